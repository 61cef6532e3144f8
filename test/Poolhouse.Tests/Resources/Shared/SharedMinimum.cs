
namespace Poolhouse.Tests.Resources.Shared;

/// <summary>The minimum of items of a shared pool: created ahead of callers and refilled after a loss.</summary>
public sealed class SharedMinimum
{
    [Fact]
    public async Task Unused_items_are_destroyed_down_to_the_minimum()
    {
        using var bench = new SharedBench(maxSize: 3, maxUses: 1);
        bench.Options.Pool.MinIdle = 1;
        bench.Options.Pool.IdleTimeout = TimeSpan.FromMinutes(1);
        (await bench.RentAsync(3)).ForEach(lease => lease.Dispose());

        bench.AdvanceUntil(() => bench.Items.Live == 1, TimeSpan.FromSeconds(15), steps: 20);

        Assert.Equal([0], bench.Pool.GetUses());
    }

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    public async Task Items_beyond_the_minimum_are_destroyed_when_IdleTimeout_ends(int minIdle)
    {
        using var bench = new SharedBench(maxSize: 3, maxUses: 1);
        (bench.Options.Pool.MinIdle, bench.Options.Pool.IdleTimeout) = (minIdle, TimeSpan.FromMinutes(10));
        (await bench.RentAsync(3)).ForEach(lease => lease.Dispose());

        bench.Clock.Advance(TimeSpan.FromMinutes(9.9));
        Background.LetThreadPoolRun();
        Assert.Empty(bench.Policy.Destroyed);
        bench.Clock.Advance(TimeSpan.FromMinutes(0.1));

        Assert.All(bench.Destroyed(3 - minIdle), each => Assert.Equal(DestroyReason.Idle, each.Reason));
        Background.Until(() => bench.Items.Live == minIdle);
        Assert.Equal((3 - minIdle, 3L), (bench.Items.DestroyedFor(DestroyReason.Idle), bench.Items.Created));
        Assert.Equal(minIdle, bench.Pool.GetUses().Count);
    }

    [Fact]
    public async Task The_minimum_is_created_without_a_caller()
    {
        using var bench = new SharedBench(maxSize: 3, maxUses: 1);
        bench.Options.Pool.MinIdle = 1;

        Background.Until(() => bench.Pool.GetUses().Count == 1);

        Assert.Equal(1, bench.Items.Live);
        (await bench.RentAsync()).Dispose();
    }

    [Fact]
    public async Task The_minimum_is_created_one_by_one_and_refilled_after_a_loss()
    {
        using var bench = new SharedBench(maxSize: 4, maxUses: 1);
        bench.Options.Pool.MinIdle = 3;
        Background.Until(() => bench.Pool.GetUses().Count == 3);

        (await bench.RentAsync()).Discard();

        Background.Until(() => bench.Pool.GetUses().Count == 3 && bench.Policy.Destroyed.Count == 1);
        bench.Pool.Clear();
        Background.Until(() => bench.Pool.GetUses().Count == 3 && bench.Policy.Destroyed.Count == 4);
    }

    [Fact]
    public void Trimmed_items_are_not_reused_for_the_minimum()
    {
        using var bench = new SharedBench(maxSize: 4, maxUses: 1);
        bench.Options.Pool.MinIdle = 2;
        for (var round = 1; round <= 20; round++)
        {
            Background.Until(() => bench.Pool.GetUses().Count == 2);

            Assert.Equal(2, bench.Pool.Trim());

            Assert.Equal(2 * round, bench.Destroyed(2 * round).Count);
        }
    }

    [Fact]
    public async Task Trimmed_items_are_destroyed_although_their_policy_resets()
    {
        using var bench = new SharedBench(maxSize: 1, maxUses: 2);
        bench.Policy.Resets = static (_, _) => new ValueTask<bool>(true);
        (await bench.RentAsync()).Dispose();

        Assert.Equal(1, bench.Pool.Trim());

        Assert.Equal(DestroyReason.Trimmed, bench.Destroyed(1)[0].Reason);
    }

    [Fact]
    public async Task A_warm_up_creates_the_missing_items_together()
    {
        using var bench = new SharedBench(maxSize: 4, maxUses: 1);
        bench.Options.Pool.SlowStart = false;
        await bench.Pool.WarmUpAsync(2).WaitAsync(Background.Limit);
        var creating = new Gate<Part>();
        bench.Policy.Creates = creating.WaitAsync;

        var warm = bench.Pool.WarmUpAsync(4);
        Background.Until(() => creating.Waiting == 2);
        creating.Release(bench.Policy.New());
        creating.Release(bench.Policy.New());

        await warm.WaitAsync(Background.Limit);
        Assert.Equal(4, bench.Pool.GetUses().Count);
    }

    [Fact]
    public async Task A_minimum_whose_creation_fails_is_retried()
    {
        using var bench = new SharedBench(maxSize: 2, maxUses: 1);
        (bench.Options.Pool.MinIdle, bench.Options.Pool.OutageTimeout) = (1, TimeSpan.Zero);
        bench.Policy.Creates = _ => throw new IOException("no route");
        Background.Until(() => bench.Items.CreateFailures > 0);
        bench.Policy.Creates = null;

        // The failed growth may not have ended yet: until then, the checks of the minimum start none.
        bench.AdvanceUntil(() => bench.Pool.GetUses().Count == 1, bench.Options.Pool.MaxRetryDelay, steps: 1_000);

        (await bench.RentAsync()).Dispose();
    }

    // The rule: missing items of the minimum are rented without a waiting caller, so the retry interval grows as in any pool
    // without callers.
    [Fact]
    public void The_retry_interval_of_the_minimum_grows_during_an_outage()
    {
        using var outage = new Outage();

        var pause = 0.1;
        for (var attempts = 1; attempts <= 6; attempts++, pause *= 2)
        {
            Assert.Equal(attempts, outage.Attempts);
            outage.Advance(pause - 0.01);
            Assert.Equal(attempts, outage.Attempts);
            outage.Advance(0.01);
        }
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_caller_in_a_long_retry_interval_shortens_it_until_the_caller_leaves(bool blocks)
    {
        using var outage = new Outage();
        for (var pause = 0.1; pause < 3; pause *= 2)
        {
            outage.Advance(pause);
        }

        using var cancellation = new CancellationTokenSource();
        var caller = outage.Request(blocks, cancellation.Token);
        for (var attempts = 6; attempts <= 9; attempts++)
        {
            Assert.Equal(attempts, outage.Attempts);
            outage.Advance(0.049);
            Assert.Equal(attempts, outage.Attempts);
            outage.Advance(0.001);
        }

        await cancellation.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => caller.WaitAsync(Background.Limit));
        outage.Advance(9.9);
        Assert.Equal(10, outage.Attempts);
        outage.Advance(0.1);
        Assert.Equal(11, outage.Attempts);
    }

    [Fact]
    public async Task An_item_no_longer_awaited_is_retried_at_growing_intervals()
    {
        using var outage = new Outage(minIdle: 0);
        using var cancellation = new CancellationTokenSource();
        var caller = outage.Request(blocks: false, cancellation.Token);
        outage.Advance(0);
        for (var attempts = 1; attempts <= 5; attempts++)
        {
            Assert.Equal(attempts, outage.Attempts);
            outage.Advance(0.05);
        }

        await cancellation.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => caller.WaitAsync(Background.Limit));
        outage.Advance(3.1);
        Assert.Equal(6, outage.Attempts);
        outage.Advance(0.1);
        Assert.Equal(7, outage.Attempts);
    }

    /// <summary>Items cannot be created, and pauses are as long as they can be.</summary>
    private sealed class Outage : IDisposable
    {
        private readonly SharedBench _bench = new(maxSize: 2, maxUses: 1);
        private readonly Reports _reports = new();
        private int _attempts;

        public Outage(int minIdle = 1)
        {
            _bench.Options.Pool.MinIdle = minIdle;
            _bench.Options.Pool.Random = new FixedRandom();
            _bench.Options.Pool.Observer = _reports;
            _bench.Policy.Creates = _ =>
            {
                Interlocked.Increment(ref _attempts);
                throw new IOException("no route");
            };
            Background.Until(() => _bench.Pool.GetUses().Count == 0 && _reports.Failures >= minIdle);
        }

        public int Attempts => Volatile.Read(ref _attempts);

        /// <summary>A caller that has a use and waits for the item.</summary>
        public Task<Lease<Part>> Request(bool blocks, CancellationToken cancellationToken)
        {
            var pool = _bench.Pool;
            var request = blocks
                ? Background.Start(() => pool.Rent(Timeout.InfiniteTimeSpan, cancellationToken))
                : pool.RentAsync(Timeout.InfiniteTimeSpan, cancellationToken).AsTask();
            Background.Until(() => pool.GetStatistics().Waiting == 1);
            return request;
        }

        /// <summary>
        /// Lets time pass. When this returns, every attempt that began has failed, and the next one is scheduled.
        /// </summary>
        public void Advance(double seconds)
        {
            _bench.Clock.Advance(TimeSpan.FromSeconds(seconds));
            Background.Until(
                () => _bench.Items is { Creating: 0, Waiting: > 0 } items && items.CreateFailures == _reports.Failures);
        }

        public void Dispose() => _bench.Dispose();

        private sealed class Reports : ResourcePoolObserver
        {
            private int _failures;

            public int Failures => Volatile.Read(ref _failures);

            public override void OnCreateFailed(in ItemCreateFailedArgs failed) => Interlocked.Increment(ref _failures);
        }
    }
}
