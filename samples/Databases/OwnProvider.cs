using System.Data.Common;
using Poolhouse.Data;

namespace Poolhouse.Samples.Databases;

internal static class OwnProvider
{
    public static async Task UseAsync(DbProviderFactory factory, string connectionString)
    {
        // snippet: own-provider-use
        var options = new DbPoolOptions { Profile = new CellarProfile() };
        await using var source = PooledDataSource.Create(factory, connectionString, options);
        // end snippet

        Console.WriteLine($"{source.Name} has a profile of its own.");
    }
}
