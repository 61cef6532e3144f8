using System.Diagnostics;
using Microsoft.EntityFrameworkCore;
using Npgsql;
using Poolhouse.Data;
using Poolhouse.Data.Tests.Faults;
using Poolhouse.Data.Tests.Servers;
using Poolhouse.Tool.Servers;

namespace Poolhouse.EntityFrameworkCore.Tests;

/// <summary>I33: the database is down.</summary>
public sealed class Outages
{
    private const int Callers = 32;

    private static readonly TimeSpan _outage = TimeSpan.FromSeconds(3);

    [Fact]
    public async Task With_EnableRetryOnFailure_no_request_fails_while_the_server_is_down_for_three_seconds()
    {
        await using var server = await PostgresServer.StartOwnAsync();
        var connectionString = server.ConnectionString + ";Pooling=false";
        var poolOptions = new DbPoolOptions();
        poolOptions.Pool.MaxSize = 8;
        await using var pool = new DbConnectionPool<NpgsqlConnection>(
            NpgsqlFactory.Instance, server.ConnectionString, poolOptions);
        var options = new DbContextOptionsBuilder<Shop>()
            .UseNpgsql(
                connectionString, npgsql => npgsql.EnableRetryOnFailure(20, TimeSpan.FromSeconds(2), errorCodesToAdd: null))
            .UsePoolhouse(pool).Options;
        using var ended = new CancellationTokenSource();
        var served = new int[Callers];
        var refusals = 0;
        var callers = Enumerable.Range(0, Callers).Select(RequestAsync).ToList();
        await Patience.UntilAsync(() => new ValueTask<int>(served.Min()), fewest => fewest > 2, "all callers are served");

        await server.StopAsync(PostgresStop.Immediate);
        var stopped = Stopwatch.GetTimestamp();

        // Without the retries, the pool tells its callers what happens.
        var plain = new DbContextOptionsBuilder<Shop>().UseNpgsql(connectionString).UsePoolhouse(pool).Options;
        await using (var shop = new Shop(plain))
        {
            await Patience.UntilAsync(
                async () => await Record.ExceptionAsync(() => shop.BackendAsync()),
                static failure => failure is { } thrown && Causes(thrown).OfType<DbPoolException>().Any(
                    refused => refused.OutageDuration > TimeSpan.Zero), "a refusal");
        }

        await Patience.UntilAsync(
            () => ValueTask.FromResult(Stopwatch.GetElapsedTime(stopped)), static elapsed => elapsed > _outage, "three seconds");
        await server.StartAgainAsync(TestContext.Current.CancellationToken);
        var before = (int[])served.Clone();
        await Patience.UntilAsync(
            () => new ValueTask<bool>(served.Zip(before).All(pair => pair.First > pair.Second)), static all => all,
            "all callers are served again");
        await ended.CancelAsync();
        await Patience.WithinAsync(Task.WhenAll(callers));

        Assert.Equal(0, refusals);

        async Task RequestAsync(int caller)
        {
            while (!ended.IsCancellationRequested)
            {
                await using var shop = new Shop(options);
                try
                {
                    await shop.BackendAsync();
                    Interlocked.Increment(ref served[caller]);
                }
                catch (Exception failure) when (failure is not OperationCanceledException)
                {
                    Interlocked.Increment(ref refusals);
                    TestContext.Current.SendDiagnosticMessage(failure.ToString());
                }
            }
        }
    }

    private static IEnumerable<Exception> Causes(Exception failure)
    {
        for (var cause = failure; cause is not null; cause = cause.InnerException)
        {
            yield return cause;
        }
    }
}
