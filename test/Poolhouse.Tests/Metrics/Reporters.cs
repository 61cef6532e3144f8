using System.Collections.Concurrent;

namespace Poolhouse.Tests.Metrics;

/// <summary>A reporter in the options is called instead of the instruments, for each kind of resource pool.</summary>
public sealed class Reporters
{
    [Fact]
    public async Task A_custom_reporter_is_notified_of_the_pool_its_waits_creations_and_leases()
    {
        var reporter = new RecordingReporter();
        var pool = ResourcePool.Create(_ => new ValueTask<Part>(new Part(1)), Options(reporter));
        await WaitForAnItemAsync(pool);
        await pool.DisposeAsync();

        Assert.Equal([pool], reporter.Added);
        Assert.Equal([pool], reporter.Removed);
        Background.Until(() => reporter.Creations > 0); // The caller has its item before the time is recorded.
        Assert.Equal(1, reporter.Creations);
        Assert.Equal(2, reporter.Leases);
        Assert.All(reporter.Waits, outcome => Assert.Equal(WaitOutcome.Served, outcome));
        Assert.NotEmpty(reporter.Waits);
    }

    [Fact]
    public async Task Exceptions_of_a_reporter_that_records_a_time_are_ignored()
    {
        var reporter = new RecordingReporter { Throws = true };
        await using var pool = ResourcePool.Create(_ => new ValueTask<Part>(new Part(1)), Options(reporter));
        for (var round = 0; round < 5; round++)
        {
            await WaitForAnItemAsync(pool);
        }

        Assert.Equal(10, reporter.Leases);
        Assert.Equal((0, 1), (pool.GetStatistics().Leased, pool.GetStatistics().Live));
    }

    [Fact]
    public async Task Every_kind_of_resource_pool_uses_the_reporter_of_its_options()
    {
        var reporter = new RecordingReporter();
        await using var keyed = new KeyedResourcePool<string, Part>(
            _ => new PartPolicy(), new KeyedResourcePoolOptions<string> { MaxSize = 1, Pool = Options(reporter) });
        await using var shared = new SharedResourcePool<Part>(
            new PartPolicy(), new SharedResourcePoolOptions { Pool = Options(reporter) });
        (await keyed.RentAsync("key").AsTask().WaitAsync(Background.Limit)).Dispose();

        Assert.Contains(keyed, reporter.Added);
        Assert.Contains(shared, reporter.Added);
        Assert.Equal(1, reporter.Leases);
    }

    [Fact]
    public async Task A_reporter_cannot_be_changed()
    {
        await using var pool = ResourcePool.Create(
            _ => new ValueTask<Part>(new Part(1)), Options(new RecordingReporter()));

        var refusal = Assert.Throws<ArgumentException>(() => pool.Reconfigure(Options(new RecordingReporter())));

        Assert.Contains("Reporter is \"another one\"", refusal.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task The_end_of_a_pool_is_reported_once_however_often_it_is_closed()
    {
        var reporter = new RecordingReporter();
        var policy = new PartPolicy();
        await CloseRepeatedlyAsync(new ResourcePool<Part>(policy, Options(reporter)), static pool => pool.DrainAsync());
        await CloseRepeatedlyAsync(
            new KeyedResourcePool<string, Part>(
                _ => policy, new KeyedResourcePoolOptions<string> { MaxSize = 1, Pool = Options(reporter) }),
            static pool => pool.DrainAsync());
        await CloseRepeatedlyAsync(
            new SharedResourcePool<Part>(policy, new SharedResourcePoolOptions { Pool = Options(reporter) }),
            static pool => pool.DrainAsync());
        await CloseRepeatedlyAsync(
            new NestedResourcePool<Part, Part>(
                policy,
                NestedPolicy.Create<Part, Part>(static (_, _) => new ValueTask<Part>(new Part(2))),
                new NestedResourcePoolOptions { ParentPool = Options(reporter), ChildPool = Options(reporter) }),
            static pool => pool.DrainAsync());

        // Those four and the pools of which they consist.
        Assert.InRange(reporter.Added.Count, 4, int.MaxValue);
        Assert.All(reporter.Added, pool => Assert.Single(reporter.Removed, pool));
        Assert.Equal(reporter.Added.Count, reporter.Removed.Count);

        static async Task CloseRepeatedlyAsync<TPool>(TPool pool, Func<TPool, Task> drain)
            where TPool : IAsyncDisposable, IDisposable
        {
            await drain(pool).WaitAsync(Background.Limit);
            await drain(pool).WaitAsync(Background.Limit);
            await pool.DisposeAsync();
            pool.Dispose();
            await pool.DisposeAsync();
        }
    }

    [Fact]
    public async Task Waits_are_not_reported_to_a_reporter_that_does_not_record_them()
    {
        var reporter = new RecordingReporter { Records = false };
        await using var pool = ResourcePool.Create(_ => new ValueTask<Part>(new Part(1)), Options(reporter));
        using var lease = await pool.RentAsync().AsTask().WaitAsync(Background.Limit);

        await Assert.ThrowsAsync<PoolTimeoutException>(() => pool.RentAsync(TimeSpan.FromMilliseconds(1)).AsTask());

        Assert.Empty(reporter.Waits);
    }

    private static ResourcePoolOptions Options(PoolReporter reporter) => new() { MaxSize = 1, Reporter = reporter };

    private static async Task WaitForAnItemAsync(ResourcePool<Part> pool)
    {
        var lease = await pool.RentAsync().AsTask().WaitAsync(Background.Limit);
        var waiting = pool.RentAsync().AsTask();
        await lease.DisposeAsync();
        (await waiting.WaitAsync(Background.Limit)).Dispose();
    }

    private sealed class PartPolicy : ResourcePolicy<Part>
    {
        public override ValueTask<Part> CreateAsync(CancellationToken cancellationToken) => new(new Part(1));
    }

    private sealed class RecordingReporter : PoolReporter
    {
        private int _creations;
        private int _leases;

        public ConcurrentQueue<IPool> Added { get; } = [];

        public ConcurrentQueue<IPool> Removed { get; } = [];

        public ConcurrentQueue<WaitOutcome> Waits { get; } = [];

        public int Creations => Volatile.Read(ref _creations);

        public int Leases => Volatile.Read(ref _leases);

        public bool Throws { get; init; }

        public bool Records { get; init; } = true;

        public override bool RecordsWaits => Records;

        public override bool RecordsUseTime => true;

        public override void Add(IPool pool) => Added.Enqueue(pool);

        public override void Remove(IPool pool) => Removed.Enqueue(pool);

        public override void RecordWait(IPool pool, WaitOutcome outcome, TimeSpan time, bool synchronous)
        {
            Waits.Enqueue(outcome);
            ThrowIfAsked();
        }

        public override void RecordCreateTime(IPool pool, TimeSpan time)
        {
            Interlocked.Increment(ref _creations);
            ThrowIfAsked();
        }

        public override void RecordUseTime(IPool pool, TimeSpan time, string? label)
        {
            Interlocked.Increment(ref _leases);
            ThrowIfAsked();
        }

        private void ThrowIfAsked()
        {
            if (Throws)
            {
                throw new InvalidOperationException("reporter");
            }
        }
    }
}
