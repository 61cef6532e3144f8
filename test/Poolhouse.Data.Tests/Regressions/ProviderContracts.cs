using System.Data;
using System.Data.Common;
using Npgsql;
using Poolhouse.Data.Providers;
using Poolhouse.Data.Tests.Fakes;
using Poolhouse.Data.Tests.Faults;
using Poolhouse.Data.Tests.Servers;
using Poolhouse.Testing;

namespace Poolhouse.Data.Tests.Regressions;

/// <summary>What the tests of Npgsql's pool, commands and connection strings ask for.</summary>
public sealed class ProviderContracts(PostgresServer postgres)
{
    [Fact]
    public async Task Npgsql_pool_tests_the_minimum_counts_all_connections()
    {
        await using var source = PooledDataSource.Create(
            NpgsqlFactory.Instance, await postgres.CreateDatabaseAsync() + ";Minimum Pool Size=5;Maximum Pool Size=20");
        var connections = new List<DbConnection>();
        for (var i = 0; i < 8; i++)
        {
            connections.Add(await source.OpenConnectionAsync());
        }

        await source.WarmUpAsync(8);
        Assert.Equal(8, source.GetStatistics().Live);

        foreach (var connection in connections)
        {
            await connection.DisposeAsync();
        }
    }

    [Fact]
    public async Task A_minimum_of_all_connections_is_kept_and_not_exceeded_while_they_are_in_use()
    {
        var time = new ManualTimeProvider();
        var db = new FakeDb();
        var options = new DbPoolOptions { ValidationQuery = null };
        options.Pool.TimeProvider = time;
        options.Pool.MaxLifetime = Timeout.InfiniteTimeSpan;
        PoolKeywords.Of("Minimum Pool Size=2;Maximum Pool Size=5;Connection Idle Lifetime=60").Apply(options);
        await using var source = PooledDataSource.Create(db, options);
        await source.WarmUpAsync(2);
        var connections = new List<DbConnection>();
        for (var i = 0; i < 3; i++)
        {
            connections.Add(await source.OpenConnectionAsync());
        }

        time.Advance(TimeSpan.FromSeconds(30));
        Assert.Equal((3, 3), (source.GetStatistics().Live, db.Connections.Count));
        connections.ForEach(connection => connection.Dispose());
        await Patience.UntilAsync(
            () =>
            {
                time.Advance(TimeSpan.FromSeconds(10));
                return new ValueTask<int>(source.GetStatistics().Live);
            },
            live => live == 2,
            "the surplus of the minimum is closed");
        Assert.Equal(3, db.Connections.Count);
    }

    [Fact]
    public async Task Npgsql_command_tests_a_disposed_command_rejects_new_properties()
    {
        await using var source = PooledDataSource.Create(NpgsqlFactory.Instance, await postgres.GetConnectionStringAsync());
        await using var connection = await source.OpenConnectionAsync();
        var command = connection.CreateCommand();
        command.CommandText = "SELECT 1";
        await command.DisposeAsync();

        Assert.Throws<ObjectDisposedException>(() => command.CommandText = "SELECT 2");
        Assert.Throws<ObjectDisposedException>(() => command.CommandTimeout = 1);
        Assert.Throws<ObjectDisposedException>(() => command.CommandType = CommandType.StoredProcedure);
        Assert.Throws<ObjectDisposedException>(command.Prepare);
        await Assert.ThrowsAsync<ObjectDisposedException>(() => command.PrepareAsync());
    }

    [Theory]
    [InlineData("true", true)]
    [InlineData("false", false)]
    public async Task Npgsql_tests_a_password_is_shown_if_its_caller_asks_for_that(string persist, bool isShown)
    {
        var given = $"Host=localhost;Username=anna;Password=hidden;Persist Security Info={persist}";
        using var factory = new PooledProviderFactory(NpgsqlFactory.Instance);
        await using var source = PooledDataSource.Create(NpgsqlFactory.Instance, given);
        await using var connection = source.CreateConnection();
        await using var other = factory.CreateConnection();
        other.ConnectionString = given;

        Assert.Equal(isShown, connection.ConnectionString.Contains("hidden", StringComparison.Ordinal));
        Assert.Equal(isShown, source.ConnectionString.Contains("hidden", StringComparison.Ordinal));
        Assert.Equal(isShown, other.ConnectionString.Contains("hidden", StringComparison.Ordinal));
    }
}
