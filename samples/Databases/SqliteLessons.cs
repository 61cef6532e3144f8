using System.Data.Common;
using Dapper;
using Microsoft.Data.Sqlite;
using Poolhouse.Data;

namespace Poolhouse.Samples.Databases;

internal static class SqliteLessons
{
    public static async Task RunAsync(string connectionString)
    {
        await UseDataSourceAsync(connectionString);
        await UseDapperAsync(connectionString);
        await ResetAsync(connectionString);
        UseFactory(connectionString);
        await WaitAsync(connectionString);
    }

    private static async Task UseDataSourceAsync(string connectionString)
    {
        // snippet: db-source
        await using var source = PooledDataSource.Create(SqliteFactory.Instance, connectionString);

        await using (var connection = await source.OpenConnectionAsync())
        await using (var command = connection.CreateCommand())
        {
            command.CommandText = "CREATE TABLE IF NOT EXISTS cups (name TEXT, price INT)";
            await command.ExecuteNonQueryAsync();
        }

        var statistics = source.GetStatistics();
        Console.WriteLine($"{statistics.Live} connection alive, {statistics.Leased} in use.");
        // end snippet
    }

    private static async Task UseDapperAsync(string connectionString)
    {
        await using var source = PooledDataSource.Create(SqliteFactory.Instance, connectionString);
        // snippet: db-dapper
        await using var connection = source.CreateConnection();
        await connection.ExecuteAsync("INSERT INTO cups VALUES (@Name, @Price)", new { Name = "espresso", Price = 3 });
        var cheap = await connection.QueryAsync<string>("SELECT name FROM cups WHERE price < @Limit", new { Limit = 5 });
        // end snippet
        Console.WriteLine($"Cheap: {string.Join(", ", cheap)}.");
    }

    private static async Task ResetAsync(string connectionString)
    {
        // snippet: db-options
        var options = new DbPoolOptions
        {
            Pool = new ResourcePoolOptions { MaxSize = 1, Name = "shop", RentTimeout = TimeSpan.FromSeconds(5) },
            Reset = SessionReset.Sqlite,
        };
        await using var source = PooledDataSource.Create(SqliteFactory.Instance, connectionString, options);
        // end snippet
        await using (var connection = await source.OpenConnectionAsync())
        {
            await connection.ExecuteAsync("CREATE TEMP TABLE mine (id INT); PRAGMA cache_size = 77; BEGIN; DELETE FROM cups");
        }

        await using (var connection = await source.OpenConnectionAsync())
        {
            var left = await connection.QuerySingleAsync<int>("SELECT count(*) FROM sqlite_temp_master");
            var cups = await connection.QuerySingleAsync<int>("SELECT count(*) FROM cups");
            Console.WriteLine($"The next user finds {left} temporary tables and {cups} cup.");
        }
    }

    private static void UseFactory(string connectionString)
    {
        // snippet: db-factory
        using var factory = new PooledProviderFactory(SqliteFactory.Instance);
        DbProviderFactories.RegisterFactory("Microsoft.Data.Sqlite", factory);

        // Existing code is unchanged.
        using var connection = DbProviderFactories.GetFactory("Microsoft.Data.Sqlite").CreateConnection()!;
        connection.ConnectionString = connectionString + ";Max Pool Size=5";
        connection.Open();
        // end snippet
        Console.WriteLine($"Old code: {connection.State}.");
    }

    private static async Task WaitAsync(string connectionString)
    {
        // A caller that does not wait gets no connection that has to be validated first.
        var pool = new ResourcePoolOptions
        {
            MaxSize = 1,
            RentTimeout = TimeSpan.Zero,
            ValidateAfterIdle = Timeout.InfiniteTimeSpan,
        };
        await using var source =
            PooledDataSource.Create(SqliteFactory.Instance, connectionString, new DbPoolOptions { Pool = pool });
        await source.WarmUpAsync(1);
        await using var first = await source.OpenConnectionAsync();

        // snippet: db-errors
        try
        {
            await using var second = await source.OpenConnectionAsync();
        }
        catch (DbException failure) when (failure.IsTransient)
        {
            Console.WriteLine($"{failure.GetType().Name}: worth another try.");
        }

        // end snippet
    }
}
