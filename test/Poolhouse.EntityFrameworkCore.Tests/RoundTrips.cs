using Microsoft.EntityFrameworkCore;
using Npgsql;
using Poolhouse.Data;
using Poolhouse.Data.Tests.Faults;
using Poolhouse.Data.Tests.Providers;
using Poolhouse.Data.Tests.Servers;

namespace Poolhouse.EntityFrameworkCore.Tests;

/// <summary>With Npgsql, a use of a context costs one request (ADR 0014).</summary>
public sealed class RoundTrips(PostgresServer server)
{
    private const int Uses = 20;

    [Fact]
    public async Task A_context_that_opens_queries_and_closes_costs_one_request()
    {
        var direct = new NpgsqlConnectionStringBuilder(await server.GetConnectionStringAsync());
        await using var counter = new RoundTripCounter(direct.Port);
        direct.Port = counter.Port;
        await using var pool = new DbConnectionPool<NpgsqlConnection>(
            NpgsqlFactory.Instance, direct.ConnectionString,
            new DbPoolOptions { Pool = { MaxSize = 1, ValidateAfterIdle = Timeout.InfiniteTimeSpan } });
        var options = new DbContextOptionsBuilder<Shop>().UseNpgsql(direct.ConnectionString).UsePoolhouse(pool).Options;
        long before = 0;
        for (var i = 0; i <= Uses; i++)
        {
            await using (var shop = new Shop(options))
            {
                await shop.Database.OpenConnectionAsync(TestContext.Current.CancellationToken);
                Assert.Equal(i, await shop.Database.SqlQuery<int>($"SELECT {i} AS \"Value\"").SingleAsync());
                await shop.Database.CloseConnectionAsync();
            }

            await Patience.UntilAsync(
                () => ValueTask.FromResult(pool.GetStatistics()), now => now is { Leased: 0, Idle: 1 }, "the connection is idle");
            before = i == 0 ? counter.Requests : before;
        }

        Assert.Equal((Uses, 1), (counter.Requests - before, counter.Connections));
    }

    // Without a hand-over to another thread, whose time is a fifth of that of a query.
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task After_a_query_the_connection_is_idle_at_once(bool async)
    {
        await using var pool = new DbConnectionPool<NpgsqlConnection>(
            NpgsqlFactory.Instance, await server.GetConnectionStringAsync(), new DbPoolOptions { Pool = { MaxSize = 1 } });
        var options = new DbContextOptionsBuilder<Shop>().UseNpgsql("Host=127.0.0.1").UsePoolhouse(pool).Options;
        for (var i = 0; i < Uses; i++)
        {
            await using var shop = new Shop(options);
            var query = shop.Database.SqlQuery<int>($"SELECT {i} AS \"Value\"");
#pragma warning disable CA1849, xUnit1051 // Both are tested.
            Assert.Equal(i, async ? await query.SingleAsync() : query.Single());
#pragma warning restore CA1849, xUnit1051
            Assert.Equal(1, pool.GetStatistics().Idle);
        }

        Assert.Equal(1, pool.GetStatistics().Created);
    }

    // The provider would read the rest of the rows on the stack of the caller.
    [Fact]
    public async Task A_reader_that_is_left_open_is_closed_in_the_background()
    {
        await using var pool = new DbConnectionPool<NpgsqlConnection>(
            NpgsqlFactory.Instance, await server.GetConnectionStringAsync(), new DbPoolOptions { Pool = { MaxSize = 1 } });
        var options = new DbContextOptionsBuilder<Shop>().UseNpgsql("Host=127.0.0.1").UsePoolhouse(pool).Options;
        await using (var shop = new Shop(options))
        {
            var rows = shop.Database.SqlQueryRaw<int>("SELECT i AS \"Value\" FROM generate_series(1, 10000000) i").AsEnumerable()
                .GetEnumerator();
            Assert.True(rows.MoveNext());
        }

        Assert.Equal((0, 1), (pool.GetStatistics().Idle, pool.GetStatistics().Resetting));
    }
}
