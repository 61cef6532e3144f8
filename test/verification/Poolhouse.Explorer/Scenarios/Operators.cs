using Poolhouse.Explorer.Scheduling;
using Poolhouse.Resources.Engine;

namespace Poolhouse.Explorer.Scenarios;

/// <summary>Operations such as clear and resize during rents and returns.</summary>
public sealed class Operators(ITestOutputHelper output) : Exploration(output)
{
    [Fact]
    public void A_resumed_pool_serves_its_waiters() => Explore(run =>
    {
        var bench = new CoreBench(run, maxSize: 1, primed: 1);
        var lease = bench.Rent()!.Value;
        run.Actor("operator", () =>
        {
            bench.Core.Operators.Suspend(bench.Now);
            bench.Core.Operators.Resume(bench.Now);
        });
        run.Actor("returner", () => bench.Return(lease));
        run.Actor("renter", bench.RentAndReturn);
    });

    [Fact]
    public void A_warm_up_begins_while_another_one_begins_or_ends() => Explore(run =>
    {
        // One creation at a time: each further item is created only if the target still requires it when the previous one exists.
        var bench = new PoolBench(run, configure: options => (options.MaxSize, options.MaxConcurrentCreates) = (3, 1));
        bench.Begin();
        run.Actor("operator 1", () => bench.WarmUp(1));
        run.Actor("operator 2", () => bench.WarmUp(3));
        run.AtEnd(() => Assert.Equal(3, bench.Policy.Alive));
    }, preemptions: 1, random: 1_000);

    [Fact]
    public void A_suspended_pool_rents_no_item() => Explore(run =>
    {
        var bench = new CoreBench(run, maxSize: 1, primed: 1);
        var lease = bench.Rent()!.Value;
        bench.Core.Operators.Suspend(bench.Now);
        var rests = false;
        run.Actor("returner", () => bench.Return(lease));
        run.Actor("renter", () =>
        {
            var given = bench.Rent();
            Part.Require(rests, "A suspended pool rented out an item.");
            bench.Return(given!.Value);
        });
        run.WhenBlocked(() =>
        {
            var first = !rests;
            rests = true;
            if (first)
            {
                run.Actor("operator", () => bench.Core.Operators.Resume(bench.Now));
            }

            return first;
        });
    });

    [Fact]
    public void A_smaller_pool_destroys_returned_items() => Explore(run =>
    {
        var bench = new CoreBench(run, maxSize: 2, primed: 2);
        var (one, two) = (bench.Rent()!.Value, bench.Rent()!.Value);
        run.Actor("operator", () => bench.Resize(1));
        run.Actor("returner 1", () => bench.Return(one));
        run.Actor("returner 2", () => bench.Return(two));
        run.Actor("renter", bench.RentAndReturn);
        run.AtEnd(() => Assert.Equal(1, bench.Statistics.Live));
    }, preemptions: 1, random: 1_000);

    [Fact]
    public void A_larger_pool_creates_for_its_waiters() => Explore(run =>
    {
        var bench = new CoreBench(run, maxSize: 1, primed: 1) { Bound = 2 };
        var lease = bench.Rent()!.Value;
        run.Actor("operator", () => bench.Resize(2));
        run.Actor("renter", bench.RentAndReturn);
        run.Actor("returner", () => bench.Return(lease));
    }, preemptions: 1, random: 1_000);

    [Fact]
    public void A_pool_that_shrinks_and_grows_loses_nothing() => Explore(run =>
    {
        var bench = new CoreBench(run, maxSize: 2, primed: 2);
        var lease = bench.Rent()!.Value;
        run.Actor("operator", () =>
        {
            bench.Resize(1);
            bench.Resize(2);
        });
        run.Actor("returner", () => bench.Return(lease));
        run.Actor("renter", bench.RentAndReturn);
    }, preemptions: 1, random: 1_000);

    [Fact]
    public void A_cleared_pool_rents_no_old_item() => Explore(run =>
    {
        var bench = new CoreBench(run, maxSize: 2, primed: 1);
        var lease = bench.Rent()!.Value;
        var old = lease.Value;
        run.Actor("operator", () =>
        {
            bench.Core.Operators.Clear(spread: 0, since: int.MaxValue, bench.Now);
            var fresh = bench.Rent()!.Value;
            Part.Require(fresh.Value != old, "A cleared item was rented.");
            bench.Return(fresh);
        });
        run.Actor("returner", () => bench.Return(lease));
    }, preemptions: 1, random: 1_000);

    [Fact]
    public void Clearing_reaches_items_being_created() => Explore(run =>
    {
        var bench = new CoreBench(run, maxSize: 1);
        run.Actor("renter", bench.RentAndReturn);
        run.Actor("operator", () => bench.Core.Operators.Clear(spread: 0, since: int.MaxValue, bench.Now));
        run.AtEnd(() => Assert.InRange(bench.Created, 1, 2));
    });

    [Fact]
    public void Trimming_a_rent_and_a_return_compete() => Explore(run =>
    {
        var bench = new CoreBench(run, maxSize: 2, primed: 2);
        var lease = bench.Rent()!.Value;
        run.Actor("operator", () => bench.Core.Operators.DestroyIdle(int.MaxValue, DestroyReason.Trimmed, bench.Now));
        run.Actor("returner", () => bench.Return(lease));
        run.Actor("renter", bench.RentAndReturn);
    }, preemptions: 1, random: 1_000);

    [Fact]
    public void A_caller_does_not_wait_for_a_keep_alive() => Explore(run =>
    {
        var bench = NewKeptAlive(run, maxSize: 2);
        bench.ChecksHang = true;
        run.Actor("alarm", bench.FireTimer);
        run.Actor("renter", () =>
        {
            bench.RentAndReturn();
            bench.ChecksHang = false;
        });
    });

    [Fact]
    public void A_caller_gets_an_item_after_its_keep_alive() => Explore(run =>
    {
        var bench = NewKeptAlive(run, maxSize: 1);
        run.Actor("alarm", bench.FireTimer);
        run.Actor("renter", bench.RentAndReturn);
        run.AtEnd(() => Assert.Equal(1, bench.Created));
    });

    [Fact]
    public void A_failed_keep_alive_releases_capacity_for_a_caller() => Explore(run =>
    {
        var bench = NewKeptAlive(run, maxSize: 1);
        bench.FailingChecks = 1;
        run.Actor("alarm", bench.FireTimer);
        run.Actor("renter", bench.RentAndReturn);
        run.AtEnd(() => Assert.InRange(bench.Created, 1, 2));
    });

    [Fact]
    public void After_a_failed_creation_in_a_smaller_pool_the_cells_are_used_again() => Explore(run =>
    {
        var bench = new CoreBench(run, maxSize: 2, primed: 1) { FailingCreations = 1, Horizon = TimeSpan.FromSeconds(10) };
        var lease = bench.Rent()!.Value;
        var caller = bench.NewCaller();
        run.Actor("renter", () =>
        {
            if (bench.Rent(caller) is { } given)
            {
                bench.Return(given);
            }
        });
        run.Actor("operator", () =>
        {
            bench.Resize(1);
            caller.Cancel();
        });
        run.Actor("returner", () => bench.Return(lease));
    }, preemptions: 1, random: 1_000);

    private static CoreBench NewKeptAlive(ScenarioRun run, int maxSize)
    {
        var interval = TimeSpan.FromSeconds(10);
        var bench = new CoreBench(
            run, maxSize, primed: 1, configure: options => options.KeepAliveInterval = interval, hooks: ResourceHooks.KeepAlive);
        bench.Now = interval.Ticks;
        return bench;
    }
}
