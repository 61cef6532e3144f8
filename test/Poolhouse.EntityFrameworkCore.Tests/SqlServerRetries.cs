using Microsoft.Data.SqlClient;
using Microsoft.EntityFrameworkCore;
using Microsoft.EntityFrameworkCore.Diagnostics;
using Microsoft.EntityFrameworkCore.Storage;
using Microsoft.Extensions.Logging;
using Poolhouse.Data;
using Poolhouse.Data.Tests.Faults;
using Poolhouse.Tool.Servers.Tds;

namespace Poolhouse.EntityFrameworkCore.Tests;

/// <summary>
/// I33: the strategy of <c>EnableRetryOnFailure</c> of SqlServer retries the pool's refusals. On the model of SQL Server.
/// </summary>
public sealed class SqlServerRetries : IAsyncDisposable
{
    private const int Retries = 2;

    private readonly TdsServer _server = TdsServer.Start();
    private readonly DbPoolOptions _options = new()
    {
        Pool =
        {
            OutageTimeout = TimeSpan.FromMilliseconds(50),
            RetryDelay = TimeSpan.FromMilliseconds(10),
            MaxRetryDelay = TimeSpan.FromMilliseconds(10),
        },
    };

    public ValueTask DisposeAsync() => _server.DisposeAsync();

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_refusal_in_an_outage_is_retried_and_then_revealed(bool async)
    {
        await using var pool = NewPool();
        await using var shop = new Shop(NewOptions(pool, _ => { }, out var retries));
        await shop.Database.ExecuteSqlRawAsync("SELECT 1", Token);
        BeginOutage(pool);

        var failure = async
            ? await Assert.ThrowsAsync<RetryLimitExceededException>(() => shop.Orders.CountAsync(Token))
            : Assert.Throws<RetryLimitExceededException>(() => shop.Orders.Count());

        var refused = Assert.IsType<DbPoolException>(failure.InnerException);
        Assert.NotNull(refused.InnerException);
        Assert.NotNull(refused.OutageDuration);
        Assert.Equal(Retries, retries.Count);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task An_operation_succeeds_when_the_outage_has_ended_between_two_attempts(bool inUpdate)
    {
        await using var pool = NewPool();
        await using var shop = new Shop(NewOptions(pool, _ => EndOutage(pool), out var retries));
        await shop.Database.ExecuteSqlRawAsync(
            "CREATE TABLE Orders (Id INT IDENTITY PRIMARY KEY, Customer NVARCHAR(50) NOT NULL)", Token);
        shop.Add(new Order { Customer = "Ada" });
        BeginOutage(pool);

        Assert.Equal(1, inUpdate ? await shop.SaveChangesAsync(Token) : 1 + await shop.Orders.CountAsync(Token));

        Assert.Single(retries);
    }

    [Fact]
    public async Task A_permanent_failure_reaches_the_strategy_unchanged()
    {
        _server.RefuseLogin = _ => new TdsError(18456, "Login failed.", severity: 14);
        await using var pool = NewPool();
        await using var pooled = new Shop(NewOptions(pool, _ => { }, out var retries));
        await using var plain = new Shop(NewOptions(pool: null, _ => { }, out var retriesOfProvider));

        var failures = new List<Exception>();
        foreach (var shop in (Shop[])[pooled, plain])
        {
            failures.Add(await Assert.ThrowsAnyAsync<Exception>(() => shop.Orders.CountAsync(Token)));
        }

        Assert.Equal((failures[1].GetType(), failures[1].Message), (failures[0].GetType(), failures[0].Message));
        Assert.Equal(retriesOfProvider.Count, retries.Count);
    }

    // Logins are refused: SqlClient would repeat a refused connect by itself until its time is up. Connections that were used in
    // the last 10 ms are not checked: a statement on one would fail, and not the rent.
    private void BeginOutage(DbConnectionPool<SqlConnection> pool)
    {
        Assert.True(SpinWait.SpinUntil(() => pool.GetStatistics().Idle == 1, Patience.Limit));
        _server.RefuseLogin = _ => new TdsError(40613, "Not now.", severity: 16, endsBatch: true);
        _server.KillAll();
        Assert.Equal(1, pool.Trim());
    }

    // The next caller waits for an attempt that succeeds, however slow the machine is.
    private void EndOutage(DbConnectionPool<SqlConnection> pool)
    {
        _options.Pool.OutageTimeout = Timeout.InfiniteTimeSpan;
        pool.Reconfigure(_options);
        _server.RefuseLogin = null;
    }

    private static CancellationToken Token => TestContext.Current.CancellationToken;

    private string ConnectionString => _server.ConnectionString + ";Connect Timeout=60;ConnectRetryCount=0";

    private DbConnectionPool<SqlConnection> NewPool() => new(SqlClientFactory.Instance, ConnectionString, _options);

    private DbContextOptions<Shop> NewOptions(
        DbConnectionPool<SqlConnection>? pool, Action<EventId> onRetry, out List<EventId> retries)
    {
        var seen = retries = [];
        var builder = new DbContextOptionsBuilder<Shop>()
            .UseSqlServer(
                ConnectionString + ";Pooling=false",
                server => server.EnableRetryOnFailure(Retries, TimeSpan.FromMilliseconds(1), errorNumbersToAdd: null))
            .LogTo(
                (id, _) =>
                {
                    if (id == CoreEventId.ExecutionStrategyRetrying)
                    {
                        seen.Add(id);
                        onRetry(id);
                    }

                    return false;
                },
                static _ => { });
        return (pool is null ? builder : builder.UsePoolhouse(pool)).Options;
    }
}
