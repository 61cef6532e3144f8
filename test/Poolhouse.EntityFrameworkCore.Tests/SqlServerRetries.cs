using Microsoft.Data.SqlClient;
using Microsoft.EntityFrameworkCore;
using Microsoft.EntityFrameworkCore.Diagnostics;
using Microsoft.EntityFrameworkCore.Storage;
using Microsoft.Extensions.Logging;
using Poolhouse.Data;
using Poolhouse.Tool.Servers;

namespace Poolhouse.EntityFrameworkCore.Tests;

/// <summary>
/// I33: the strategy of <c>EnableRetryOnFailure</c> of SqlServer retries the pool's refusals. It needs no server: SqlClient opens
/// no connection in the invariant globalization mode of these tests, and nothing listens on the port.
/// </summary>
public sealed class SqlServerRetries
{
    private const int Retries = 2;

    private readonly string _connectionString =
        $"Server=127.0.0.1,{LoopbackPort.Find()};User ID=shop;Password=secret;TrustServerCertificate=true;Connect Timeout=5";

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_refusal_in_an_outage_is_retried_and_then_revealed(bool async)
    {
        await using var pool = NewPool(new TransientFailures());
        await using var shop = new Shop(NewOptions(pool, out var retries));

        var strategy = shop.Database.CreateExecutionStrategy();

        var failure = async
            ? await Assert.ThrowsAsync<RetryLimitExceededException>(
                () => strategy.ExecuteAsync(
                    () => shop.Database.ExecuteSqlRawAsync("SELECT 1", TestContext.Current.CancellationToken)))
            : Assert.Throws<RetryLimitExceededException>(
                () => strategy.Execute(() => shop.Database.ExecuteSqlRaw("SELECT 1")));

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
        await using var pool = NewPool(new TransientFailures());
        var refused = await Assert.ThrowsAsync<DbPoolException>(
            async () => await pool.RentAsync(TestContext.Current.CancellationToken));
        await using var shop = new Shop(NewOptions(pool, out var retries));
        var attempts = 0;

        var result = await shop.Database.CreateExecutionStrategy().ExecuteAsync(
            () => attempts++ == 0
                ? throw (inUpdate ? new DbUpdateException("not saved", refused) : refused)
                : Task.FromResult(attempts));

        Assert.Equal((2, 1), (result, retries.Count));
    }

    [Fact]
    public async Task A_permanent_failure_reaches_the_strategy_unchanged()
    {
        await using var pool = NewPool(errors: null);
        await using var pooled = new Shop(NewOptions(pool, out var retries));
        await using var plain = new Shop(NewOptions(pool: null, out var retriesOfProvider));

        var failures = new List<Exception>();
        foreach (var shop in (Shop[])[pooled, plain])
        {
            failures.Add(await Assert.ThrowsAnyAsync<Exception>(
                () => shop.Database.CreateExecutionStrategy().ExecuteAsync(
                    () => shop.Database.ExecuteSqlRawAsync("SELECT 1", TestContext.Current.CancellationToken))));
        }

        Assert.Equal((failures[1].GetType(), failures[1].Message), (failures[0].GetType(), failures[0].Message));
        Assert.Equal(retriesOfProvider.Count, retries.Count);
    }

    private DbConnectionPool<SqlConnection> NewPool(DbErrorClassifier? errors)
    {
        var options = new DbPoolOptions();
        options.Pool.OutageTimeout = TimeSpan.Zero;
        options.Errors = errors ?? options.Errors;
        return new DbConnectionPool<SqlConnection>(SqlClientFactory.Instance, _connectionString, options);
    }

    private DbContextOptions<Shop> NewOptions(DbConnectionPool<SqlConnection>? pool, out List<EventId> retries)
    {
        var seen = retries = [];
        var builder = new DbContextOptionsBuilder<Shop>()
            .UseSqlServer(
                _connectionString + ";Pooling=false",
                server => server.EnableRetryOnFailure(Retries, TimeSpan.FromMilliseconds(1), errorNumbersToAdd: null))
            .LogTo(
                (id, _) =>
                {
                    if (id == CoreEventId.ExecutionStrategyRetrying)
                    {
                        seen.Add(id);
                    }

                    return false;
                },
                static _ => { });
        return (pool is null ? builder : builder.UsePoolhouse(pool)).Options;
    }

    /// <summary>As after a connection was opened: then a server that cannot be reached is down.</summary>
    private sealed class TransientFailures : DbErrorClassifier
    {
        public override bool IsPermanent(Exception openFailure) => false;
    }
}
