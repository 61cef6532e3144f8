using System.Data.Common;

namespace Poolhouse.Samples.Shop;

/// <summary>A mistake to practise on with <c>poolhouse watch</c>: mapped only if the setting Drill is true.</summary>
internal static class Drill
{
    private static readonly List<DbConnection> _forgotten = [];

    public static void MapDrill(this WebApplication app)
    {
        if (app.Configuration.GetValue<bool>("Drill"))
        {
            app.MapGet("/export", async ([FromKeyedServices("shop")] DbDataSource database, CancellationToken token) =>
            {
                // Never disposed: the connection does not return to the pool.
                var connection = await database.OpenConnectionAsync(token);
                lock (_forgotten)
                {
                    _forgotten.Add(connection);
                }

                return "exported";
            });
        }
    }
}
