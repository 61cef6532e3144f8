using Microsoft.Data.Sqlite;
using Poolhouse.Data;

namespace Poolhouse.Samples.Cookbook;

internal static class Databases
{
    public static async Task MoveFromTheProvidersPoolAsync()
    {
        const string ConnectionString = "Data Source=:memory:";
        // was: await using var connection = new SqliteConnection(ConnectionString); await connection.OpenAsync();
        await using var source = PooledDataSource.Create(SqliteFactory.Instance, ConnectionString);
        await using var connection = await source.OpenConnectionAsync();

        // What the provider offers beyond ADO.NET is on its own connection.
        var version = connection.Unwrap<SqliteConnection>().ServerVersion;

        Console.WriteLine($"SQLite 3: {version.StartsWith("3.", StringComparison.Ordinal)}");
    }
}
