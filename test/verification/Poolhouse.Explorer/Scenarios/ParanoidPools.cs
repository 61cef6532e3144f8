using System.Runtime.CompilerServices;
using Poolhouse.Caching;
using Poolhouse.Explorer.Scheduling;

namespace Poolhouse.Explorer.Scenarios;

/// <summary>
/// Arrays in paranoid mode: the quarantine gives each to one thread, and keeps what the budget allows (I1, I2, I12).
/// </summary>
public sealed class ParanoidPools(ITestOutputHelper output) : Exploration(output)
{
    private const int Length = 16;

    [Fact]
    public void Threads_that_rent_and_return_never_share_an_array() => Explore(run =>
    {
        var pool = NewPool(most: 4);
        Fill(pool, 4);
        for (var actor = 1; actor <= 2; actor++)
        {
            var mine = (byte)actor;
            run.Actor($"user {actor}", () => UseTwo(pool, mine));
        }

        run.AtEnd(() => AssertQuiescent(pool, most: 4));
    }, preemptions: 2, random: 1_000);

    [Fact]
    public void A_trim_and_a_snapshot_meet_rents_and_returns() => Explore(run =>
    {
        var pool = NewPool(most: 4);
        Fill(pool, 4);
        run.Actor("user", () => UseTwo(pool, 1));
        run.Actor("operator", () => pool.Trim());
        run.Actor("reader", () => Assert.InRange(pool.GetStatistics().RetainedBytes, 0, 4 * Length));
        run.AtEnd(() => AssertQuiescent(pool, most: 4));
    }, preemptions: 1, random: 1_000);

    // A counter that falls is taken for that of a restarted process.
    [Fact]
    public void The_number_of_returns_does_not_fall_during_a_trim() => Explore(run =>
    {
        var pool = NewPool(most: 4);
        Fill(pool, 4);
        run.Actor("operator", () => pool.Trim());
        run.Actor("reader", () =>
        {
            Assert.Equal(4, pool.GetStatistics().Returned);
            Assert.Equal(4, pool.GetStatistics().Returned);
        });
    }, preemptions: 2, random: 300);

    [Fact]
    public void A_disposal_keeps_no_array_that_is_returned_at_the_same_time() => Explore(run =>
    {
        var pool = NewPool(most: 4);
        var array = pool.Rent(Length);
        run.Actor("user", () => pool.Return(array));
        run.Actor("owner", pool.Dispose);
        run.AtEnd(() => Assert.Equal((0, 0), (pool.GetStatistics().Retained, pool.GetStatistics().Leased)));
    }, preemptions: 2, random: 300);

    [Fact]
    public void Of_two_returns_of_an_array_one_succeeds() => Explore(run =>
    {
        var pool = NewPool(most: 4);
        var array = pool.Rent(Length);
        run.Actor("first", () => pool.Return(array));
        run.Actor("second", () => pool.Return(array));
        run.AtEnd(() =>
        {
            Assert.Equal((1, 1), (pool.GetStatistics().DoubleReturns, pool.GetStatistics().Retained));
            AssertQuiescent(pool, most: 4);
        });
    }, preemptions: 2, random: 300);

    [Fact]
    public void A_thread_that_returned_an_array_before_does_not_join_the_next_return() => Explore(run =>
    {
        var pool = NewPool(most: 1);
        var array = pool.Rent(Length);
        var (isReturned, isRentedAgain) = (false, false);
        run.Actor("first user", () =>
        {
            pool.Return(array);
            isReturned = true;
            Actor.Until(() => isRentedAgain, "the next rent");
            pool.Return(array);
        });
        run.Actor("next user", () =>
        {
            Actor.Until(() => isReturned, "the first return");
            Assert.Same(array, pool.Rent(Length));
            isRentedAgain = true;
            pool.Return(array);
        });
        run.AtEnd(() =>
        {
            Assert.Equal((1, 1), (pool.GetStatistics().DoubleReturns, pool.GetStatistics().Retained));
            AssertQuiescent(pool, most: 1);
        });
    }, preemptions: 2, random: 300);

    [Fact]
    public void Two_returns_at_once_lose_no_array() => Explore(run =>
    {
        var budget = new RetentionBudget(4);
        var store = new TieredStore(budget, weight: 1, quarantine: 0);
        store.PushToQuarantine(new object(), "stamp");
        for (var actor = 1; actor <= 2; actor++)
        {
            run.Actor($"returner {actor}", () => Assert.Equal(PushResult.Kept, store.PushToQuarantine(new object(), "stamp")));
        }

        run.AtEnd(() =>
        {
            Assert.Equal(1, budget.Free);
            var removed = new List<object?>();
            store.TrimAll(close: false, removed);
            Assert.Equal((3, 4), (removed.Distinct().Count(), budget.Free));
        });
    }, preemptions: 2, random: 300);

    /// <summary>Keeps the reports of deliberate misuse off the standard error stream.</summary>
#pragma warning disable CA2255 // Once for all scenarios.
    [ModuleInitializer]
    internal static void Subscribe() => PoolMisuse.Detected += static (_, _) => { };
#pragma warning restore CA2255

    // No rent is sampled: recording call stacks would take longer than everything else here.
    private static TieredArrayPool<byte> NewPool(int most)
    {
        var options = new ArrayPoolOptions
        {
            MaxRetainedBytes = most * Length,
            Paranoid = ParanoidMode.Report,
            ParanoidSampling = 1_000_000,
            IdleTimeout = Timeout.InfiniteTimeSpan,
            MemoryPressure = new MemoryPressureSource(),
        };
        return new TieredArrayPool<byte>(options);
    }

    private static void Fill(TieredArrayPool<byte> pool, int count)
    {
        var arrays = Enumerable.Range(0, count).Select(_ => pool.Rent(Length)).ToList();
        arrays.ForEach(array => pool.Return(array));
    }

    private static void UseTwo(TieredArrayPool<byte> pool, byte mine)
    {
        var (one, other) = (pool.Rent(Length), pool.Rent(Length));
        Assert.NotSame(one, other);
        (one[0], other[0]) = (mine, mine);
        Actor.Step("use", "arrays");
        Assert.Equal((mine, mine), (one[0], other[0]));
        pool.Return(one);
        pool.Return(other);
    }

    // The whole budget is free again after a trim: as many arrays as at first can be retained.
    private static void AssertQuiescent(TieredArrayPool<byte> pool, int most)
    {
        var statistics = pool.GetStatistics();
        Assert.Equal(0, statistics.Leased);
        Assert.Equal(statistics.Created, statistics.Retained + statistics.Destroyed);
        pool.Trim();
        Fill(pool, most);
        Assert.Equal(most, pool.GetStatistics().Retained);
    }
}
