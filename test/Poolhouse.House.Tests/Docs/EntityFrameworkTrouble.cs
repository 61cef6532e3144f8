using Microsoft.EntityFrameworkCore;
using Microsoft.Extensions.DependencyInjection;
using Poolhouse.Data;
using Poolhouse.EntityFrameworkCore;

namespace Poolhouse.House.Tests.Docs;

/// <summary>Makes the pool of Entity Framework's contexts throw each of its messages, once.</summary>
internal static class EntityFrameworkTrouble
{
    private const string ConnectionString = "Host=localhost;Database=one;Pooling=false";

    public static IReadOnlyDictionary<string, Action> All { get; } = new Dictionary<string, Action>(StringComparer.Ordinal)
    {
        ["no provider yet"] = () => Open(static (options, pool) => options.UsePoolhouse(pool).UseNpgsql(ConnectionString)),
        ["services of the application's own"] = OpenWithOwnServices,
        ["another database"] = () => Open(static (options, pool) => options.UseNpgsql(ConnectionString).UsePoolhouse(pool)),
    };

    private static void OpenWithOwnServices()
    {
        using var services = new ServiceCollection().AddEntityFrameworkNpgsql().BuildServiceProvider();
        Open((options, pool) => options.UseNpgsql(ConnectionString).UsePoolhouse(pool).UseInternalServiceProvider(services));
    }

    private static void Open(Action<DbContextOptionsBuilder, DbConnectionPool<StubConnection>> configure)
    {
        using var pool = new DbConnectionPool<StubConnection>(static () => new StubConnection(), new DbPoolOptions { Reset = SessionReset.None });
        var options = new DbContextOptionsBuilder();
        configure(options, pool);
        using var context = new DbContext(options.Options);
        context.Database.OpenConnection();
    }
}
