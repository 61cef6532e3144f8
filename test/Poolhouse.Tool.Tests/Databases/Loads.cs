using System.Data;
using System.Data.Common;
using Microsoft.Data.Sqlite;
using Poolhouse.Tool.Bench.Databases;

namespace Poolhouse.Tool.Tests.Databases;

public sealed class Loads
{
    private const string Query = "SELECT sum(n) FROM number";

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Every_query_completed_during_the_measurement_counts_with_its_time(bool areThreads)
    {
        using var file = new TemporarySqlite();
        await using var source = ProviderSource.OfSqlite(file.ConnectionString);
        var load = new ClosedLoad(source, Query, 2, areThreads, new TickingClock(TimeSpan.FromMilliseconds(1)));

        var result = await load.RunAsync(
            TimeSpan.Zero, TimeSpan.FromSeconds(1), TestContext.Current.CancellationToken);

        Assert.NotEmpty(result.Latencies);
        Assert.All(result.Latencies, seconds => Assert.InRange(seconds, 0, 1));
        Assert.Equal(result.Latencies.Order(), result.Latencies);
        Assert.Equal(result.Latencies.Count / 1.0, result.PerSecond, 6);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task If_no_query_ends_in_time_the_measurement_lasts_until_one_does(bool areThreads)
    {
        using var file = new TemporarySqlite();
        await using var source = ProviderSource.OfSqlite(file.ConnectionString);
        var load = new ClosedLoad(source, Query, 1, areThreads, new TickingClock(TimeSpan.FromMinutes(1)));

        var result = await load.RunAsync(
            TimeSpan.FromSeconds(1), TimeSpan.FromSeconds(3), TestContext.Current.CancellationToken);

        var latency = Assert.Single(result.Latencies);
        Assert.InRange(result.Seconds, latency, latency + 120);
        Assert.Equal(1 / result.Seconds, result.PerSecond, 6);
    }

    [Fact]
    public async Task Callers_that_waited_for_a_connection_run_no_query_after_a_cancellation()
    {
        await using var source = new OneAtATime();
        using var stop = new CancellationTokenSource();
        var load = new ClosedLoad(source, "SELECT note()", 4, areThreads: true, TimeProvider.System)
            .RunAsync(TimeSpan.Zero, TimeSpan.FromMinutes(5), stop.Token);
        Assert.True(source.Begun.Wait(TimeSpan.FromMinutes(1), TestContext.Current.CancellationToken));

        await stop.CancelAsync();
        source.Continued.Set();

        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => load);
        Assert.Equal(1, source.Queries);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_failed_query_ends_the_load_with_its_own_exception(bool areThreads)
    {
        using var file = new TemporarySqlite();
        await using var source = ProviderSource.OfSqlite(file.ConnectionString);
        var load = new ClosedLoad(source, "SELECT nonsense", 3, areThreads, TimeProvider.System);

        await Assert.ThrowsAsync<SqliteException>(() => load.RunAsync(
            TimeSpan.Zero, TimeSpan.FromMinutes(5), TestContext.Current.CancellationToken));
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_cancelled_load_throws_OperationCanceledException(bool areThreads)
    {
        using var file = new TemporarySqlite();
        using var stop = new CancellationTokenSource();
        await using var source = ProviderSource.OfSqlite(file.ConnectionString);
        var load = new ClosedLoad(source, Query, 2, areThreads, TimeProvider.System);
        var run = load.RunAsync(TimeSpan.Zero, TimeSpan.FromMinutes(5), stop.Token);

        await stop.CancelAsync();

        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => run);
    }

    [Fact]
    public void A_percentile_is_the_time_within_which_that_share_of_queries_completed()
    {
        var result = new LoadResult(2, [.. Enumerable.Range(1, 100).Select(number => (double)number)]);

        Assert.Equal(50, result.PerSecond);
        Assert.Equal(50, result.Percentile(0.5));
        Assert.Equal(99, result.Percentile(0.99));
        Assert.Equal(100, result.Percentile(1));
        Assert.Equal(0, new LoadResult(1, []).Percentile(0.5));
    }

    /// <summary>One connection at a time, whose query blocks until the test continues.</summary>
    private sealed class OneAtATime : DbDataSource
    {
        private readonly SemaphoreSlim _turn = new(1);
        private int _queries;

        public ManualResetEventSlim Begun { get; } = new();

        public ManualResetEventSlim Continued { get; } = new();

        public int Queries => Volatile.Read(ref _queries);

        public override string ConnectionString => "Data Source=:memory:";

        protected override DbConnection CreateDbConnection()
        {
            _turn.Wait();
            var connection = new SqliteConnection(ConnectionString);
            connection.CreateFunction("note", Note);
            connection.StateChange += (_, change) =>
            {
                if (change.CurrentState == ConnectionState.Closed)
                {
                    _turn.Release();
                }
            };
            return connection;
        }

        protected override void Dispose(bool disposing)
        {
            _turn.Dispose();
            Begun.Dispose();
            Continued.Dispose();
            base.Dispose(disposing);
        }

        private int Note()
        {
            var query = Interlocked.Increment(ref _queries);
            Begun.Set();
            Continued.Wait();
            return query;
        }
    }
}
