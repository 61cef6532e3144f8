using Poolhouse.Caching;
using Poolhouse.Explorer.Scheduling;

namespace Poolhouse.Explorer.Scenarios;

/// <summary>Interrupts at every step of a thread: only a wait for an item ends with one, and nothing is lost.</summary>
public sealed class InterruptedThreads(ITestOutputHelper output) : Exploration(output)
{
    [Fact]
    public void An_interrupt_and_a_return_compete_for_a_blocking_caller() => Explore(run =>
    {
        var bench = new PoolBench(run);
        var lease = bench.RentFirst();
        ExploreInterrupted(run, "blocker", () => PoolBench.Return(bench.Rent()));
        run.Actor("returner", () => PoolBench.Return(lease));
        run.AtEnd(() => Assert.InRange(bench.Cancelled, 0, 1));
    }, preemptions: 1, random: 1_000);

    [Fact]
    public void An_interrupt_and_the_end_of_a_use_compete_for_a_blocking_caller() => Explore(run =>
    {
        var (pool, lease) = RentFirstShared(run);
        ExploreInterrupted(run, "blocker", () =>
        {
            try
            {
                pool.Rent(CancellationToken.None).Dispose();
            }
            catch (ThreadInterruptedException)
            {
                // Its wait has ended.
            }
        });
        run.Actor("user", () => lease.Dispose());
        run.AtEnd(() =>
        {
            Part.Require(pool.TryRent(out var next), "A use was lost (I3).");
            next.Dispose();
        });
    }, preemptions: 1, random: 1_000);

    [Fact]
    public void An_interrupted_wait_leaves_the_item_to_the_next() => Explore(run =>
    {
        var bench = new PoolBench(run);
        var lease = bench.RentFirst();
        ExploreInterrupted(run, "blocker", () => PoolBench.Return(bench.Rent()));
        run.Actor("next", () => PoolBench.Require(bench.Rent()));
        run.Actor("returner", () => PoolBench.Return(lease));
    }, preemptions: 0, random: 2_000);

    [Fact]
    public void A_return_is_not_interrupted() => Explore(run =>
    {
        var bench = new PoolBench(run);
        var lease = bench.RentFirst();
        ExploreInterrupted(run, "returner", () => PoolBench.Return(lease));
        run.Actor("renter", () => PoolBench.Require(bench.RentAsync()));
        run.Actor("blocker", () => PoolBench.Require(bench.Rent()));
    }, preemptions: 1, random: 1_000);

    [Fact]
    public void A_disposal_is_not_interrupted() => Explore(run =>
    {
        var bench = new PoolBench(run);
        var lease = bench.RentFirst();
        ExploreInterrupted(run, "operator", bench.Pool.Dispose);
        run.Actor("renter", () => PoolBench.Return(bench.RentAsync()));
        run.Actor("returner", () => PoolBench.Return(lease));
        run.AtEnd(() => Assert.Equal(0, bench.Policy.Alive));
    }, preemptions: 1, random: 1_000);

    [Fact]
    public void Sweeps_and_snapshots_of_a_cache_are_not_interrupted() => Explore(run =>
    {
        var tiers = new CacheEngine(
            new RetentionBudget(4), new ObjectPoolOptions { IdleTimeout = Timeout.InfiniteTimeSpan }, destroy: null);
        var lane = tiers.AddStore(1, 2);
        run.Actor("renter", () =>
        {
            tiers.PushSlow(lane, lane.Own(), new object());
            _ = lane.Own().TryPop() ?? tiers.PopSlow(lane, lane.Own());
        });
        ExploreInterrupted(run, "reader", () => tiers.GetSnapshot());
        ExploreInterrupted(run, "sweeper", () => tiers.Trim());
        run.AtEnd(() =>
        {
            tiers.Trim();
            Assert.Equal(4, tiers.Budget.Free);
        });
    }, preemptions: 0, random: 2_000);

    [Fact]
    public void A_quarantine_is_not_interrupted() => Explore(run =>
    {
        var tiers = new CacheEngine(
            new RetentionBudget(4), new ObjectPoolOptions { IdleTimeout = Timeout.InfiniteTimeSpan }, destroy: null);
        var lane = tiers.AddStore(1, 2, quarantine: 1);
        ExploreInterrupted(run, "renter", () =>
        {
            tiers.PushToQuarantine(lane, lane.Own(), new object(), "stamp");
            lane.PopFromQuarantine(lane.Own(), out _);
        });
        ExploreInterrupted(run, "reader", () => tiers.GetSnapshot());
        ExploreInterrupted(run, "sweeper", () => tiers.Trim());
        run.AtEnd(() =>
        {
            tiers.Trim();
            Assert.Equal(4, tiers.Budget.Free);
        });
    }, preemptions: 0, random: 2_000);

    /// <summary>A shared pool of one item that takes one use at a time, and that use.</summary>
    private static (SharedResourcePool<Part> Pool, Lease<Part> Lease) RentFirstShared(ScenarioRun run)
    {
        var clock = new ExplorerClock();
        var scheduler = new ExplorerScheduler(run);
        var pool = new SharedResourcePool<Part>(new PartPolicy(clock), new SharedResourcePoolOptions
        {
            MaxUsesPerItem = 1,
            Pool = new ResourcePoolOptions
            {
                MaxSize = 1,
                Name = "bench",
                RentTimeout = Timeout.InfiniteTimeSpan,
                IdleTimeout = Timeout.InfiniteTimeSpan,
                MaxLifetime = Timeout.InfiniteTimeSpan,
                TimeProvider = clock,
                Scheduler = scheduler,
                Random = new Random(1),
            },
        });
        Assert.True(pool.WarmUpAsync(1, CancellationToken.None).IsCompletedSuccessfully);
        Assert.True(pool.TryRent(out var lease));
        scheduler.IsSettingUp = false;
        return (pool, lease);
    }

    /// <summary>Adds an actor, and another one that interrupts it at any of its steps.</summary>
    private static void ExploreInterrupted(ScenarioRun run, string name, Action body)
    {
        Actor? victim = null;
        run.Actor(name, () =>
        {
            victim = Actor.Current;
            body();
        });
        run.Actor($"{name}'s interrupter", () =>
        {
            Actor.Until(() => victim is not null, name);
            Actor.Step("interrupt", name);
            victim!.Interrupt();
        });
    }
}
