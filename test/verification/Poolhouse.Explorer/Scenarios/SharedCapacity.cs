using Poolhouse.Explorer.Scheduling;
using Poolhouse.Resources.Engine.Capacity;
using Poolhouse.Resources.Engine.Waiting;

namespace Poolhouse.Explorer.Scenarios;

/// <summary>
/// Two pools that share capacity: a waiting caller gets free capacity, and nothing is given up for a caller that has left.
/// </summary>
public sealed class SharedCapacity(ITestOutputHelper output) : Exploration(output)
{
    [Fact]
    public void A_cancelled_caller_causes_no_other_pool_to_release_an_item() => Explore(run =>
    {
        var (one, two) = Begin(run, total: 1);
        var lease = one.Rent()!.Value;
        var caller = two.NewCaller();
        run.Actor("renter", () => ReturnIfGiven(two, two.Rent(caller)));
        run.Actor("canceller", () =>
        {
            Actor.Until(() => caller.WasQueued, "the caller to wait");
            caller.Cancel();
            one.Return(lease);
        });
        run.AtEnd(() => Assert.Equal((0, 0), (one.Gone, two.Created)));
    }, preemptions: 1, random: 500);

    // In three parts, because all four actors at once have far more schedules: both callers are in the queue, or one of them
    // arrives while the other one cancels and the capacity is released.
    [Fact]
    public void A_caller_that_cancels_leaves_the_capacity_to_the_other_pool() => Explore(run =>
    {
        var (one, two) = Begin(run, total: 1);
        var lease = one.Rent()!.Value;
        var (leaving, waiting) = (Queued(two), Queued(one));
        run.Actor("leaving", () =>
        {
            leaving.Cancel();
            ReturnIfGiven(two, two.Await(leaving));
        });
        run.Actor("waiting", () =>
        {
            one.Discard(lease);
            one.Return(one.Await(waiting)!.Value);
        });
    }, preemptions: 1, random: 500);

    [Fact]
    public void A_caller_that_arrives_while_another_cancels_gets_the_capacity() => Explore(run =>
    {
        var (one, two) = Begin(run, total: 1);
        var lease = one.Rent()!.Value;
        var leaving = Queued(two);
        run.Actor("leaving", () => ReturnIfGiven(two, two.Await(leaving)));
        run.Actor("waiting", one.RentAndReturn);
        run.Actor("canceller", () =>
        {
            leaving.Cancel();
            one.Discard(lease);
        });
    }, preemptions: 1, random: 500);

    [Fact]
    public void A_caller_that_arrives_and_cancels_keeps_no_capacity() => Explore(run =>
    {
        var (one, two) = Begin(run, total: 1);
        var lease = one.Rent()!.Value;
        var caller = two.NewCaller();
        run.Actor("leaving", () => ReturnIfGiven(two, two.Rent(caller)));
        run.Actor("canceller", () =>
        {
            caller.Cancel();
            one.Discard(lease);
        });
        run.Actor("waiting", () =>
        {
            Actor.Until(() => caller.Wakes > 0, "the other caller's outcome");
            one.RentAndReturn();
        });
    }, preemptions: 1, random: 500);

    [Fact]
    public void Callers_of_both_pools_are_served() => Explore(run =>
    {
        var (one, two) = Begin(run, total: 1);
        var lease = one.Rent()!.Value;
        run.Actor("renter 1", one.RentAndReturn);
        run.Actor("renter 2", two.RentAndReturn);
        run.Actor("returner", () => one.Return(lease));
    }, preemptions: 1, random: 500);

    [Fact]
    public void Released_capacity_goes_to_the_warm_up_of_the_other_pool() => Explore(run =>
    {
        var (one, two) = Begin(run, total: 1);
        var lease = one.Rent()!.Value;
        run.Actor("warmer", () => two.Core.Operators.SetWarmTarget(1, two.Now));
        run.Actor("leaver", () => one.Discard(lease));
        run.AtEnd(() => Assert.Equal((1, 1), (two.Created, (int)two.Statistics.Idle)));
    }, preemptions: 2, random: 500);

    [Fact]
    public void A_suspension_and_a_caller_of_the_other_pool_compete() => Explore(run =>
    {
        var (one, two) = Begin(run, total: 1);
        var lease = one.Rent()!.Value;
        run.Actor("renter 1", one.RentAndReturn);
        run.Actor("renter 2", two.RentAndReturn);
        run.Actor("operator", () =>
        {
            two.Core.Operators.Suspend(two.Now);
            two.Core.Operators.Resume(two.Now);
        });
        run.Actor("returner", () => one.Return(lease));
    }, preemptions: 0, random: 1_000);

    [Fact]
    public void A_caller_gets_the_capacity_that_an_operator_adds() => Explore(run =>
    {
        var (capacity, one, two) = BeginResizable(run, total: 1);
        var lease = one.Rent()!.Value;
        run.Actor("renter", two.RentAndReturn);
        run.Actor("operator", () => capacity.Resize(2));
        run.AtEnd(() =>
        {
            one.Return(lease);
            Assert.Equal((0, 1), (one.Gone, two.Created));
        });
    }, preemptions: 2, random: 500);

    [Fact]
    public void A_smaller_capacity_is_reached_whether_items_are_idle_or_come_back() => Explore(run =>
    {
        var (capacity, one, two) = BeginResizable(run, total: 2);
        var lease = one.Rent()!.Value;
        run.Actor("renter", two.RentAndReturn);
        run.Actor("returner", () => one.Return(lease));
        run.Actor("operator", () => capacity.Resize(1));
        run.AtEnd(() => Assert.Equal(1, one.Statistics.Live + two.Statistics.Live));
    }, preemptions: 1, random: 500);

    // One item is displaced from the cell by the other, which is rented again at once and kept.
    [Fact]
    public void An_item_that_is_displaced_from_its_cell_is_given_up() => Explore(run =>
    {
        var (_, one, two) = BeginResizable(run, total: 2, primed: 2);
        var (first, second) = (one.Rent()!.Value, one.Rent()!.Value);
        Lease<Part>? kept = null;
        run.Actor("returner", () =>
        {
            one.Return(first);
            one.Return(second);
        });
        run.Actor("keeper", () =>
        {
            if (one.Core.TryTakeHot() is { } entry)
            {
                entry.BeginUse(one.Now);
                kept = one.Begin(entry);
            }
        });
        run.Actor("renter", two.RentAndReturn);
        run.AtEnd(() => ReturnIfGiven(one, kept));
    }, preemptions: 2, random: 500);

    private static (CoreBench One, CoreBench Two) Begin(ScenarioRun run, int total)
    {
        var (_, one, two) = BeginResizable(run, total);
        return (one, two);
    }

    private static (SharedCapacity<Part> Capacity, CoreBench One, CoreBench Two) BeginResizable(
        ScenarioRun run, int total, int primed = 1)
    {
        var capacity = new SharedCapacity<Part>(total);
        var one = new CoreBench(run, maxSize: 2, primed: primed, cells: 1, capacity: capacity);
        var two = new CoreBench(run, maxSize: 2, cells: 1, capacity: capacity);
        run.WhenBlocked(() =>
        {
            var (first, second) = (one.Statistics, two.Statistics);
            var live = first.Live + second.Live;
            Part.Require(
                live <= Math.Max(capacity.Total, first.Leased + second.Leased),
                "More items are alive than both pools may have together (I2).");
            var isWanted = first is { Waiting: > 0, Suspended: false } || second is { Waiting: > 0, Suspended: false };
            Part.Require(!isWanted || live >= capacity.Total, "A caller waits although capacity is free (I5).");
            Part.Require(
                !isWanted || first.Idle + second.Idle == 0, "A caller waits although an item of the other pool is idle (I5).");
            return one.OnBlocked() | two.OnBlocked();
        });
        return (capacity, one, two);
    }

    private static Caller Queued(CoreBench bench)
    {
        var caller = bench.NewCaller();
        Assert.Equal(WaitOutcome.None, bench.Core.Enter(caller, stale: null, bench.Now));
        return caller;
    }

    private static void ReturnIfGiven(CoreBench bench, Lease<Part>? lease)
    {
        if (lease is { } given)
        {
            bench.Return(given);
        }
    }
}
