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
            NpgsqlFactory.Instance, direct.ConnectionString, new DbPoolOptions { Pool = { MaxSize = 1 } });
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
}
