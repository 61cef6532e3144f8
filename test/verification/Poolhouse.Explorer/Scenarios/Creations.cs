using Poolhouse.Explorer.Scheduling;
using Poolhouse.Resources.Engine;

namespace Poolhouse.Explorer.Scenarios;

/// <summary>Creations that belong to the pool, not to the caller for which they began (I11, I16).</summary>
public sealed class Creations(ITestOutputHelper output) : Exploration(output)
{
    private static readonly TimeSpan _second = TimeSpan.FromSeconds(1);

    [Fact]
    public void A_creation_serves_the_waiter_that_is_first_when_it_completes() => Explore(run =>
    {
        var bench = new CoreBench(run, maxSize: 1);
        var caller = bench.NewCaller();
        run.Actor("first", () => Use(bench, caller));
        run.Actor("second", bench.RentAndReturn);
        run.Actor("canceller", caller.Cancel);
        run.AtEnd(() => Assert.Equal(1, bench.Created));
    }, preemptions: 1, random: 1_000);

    [Fact]
    public void A_failed_creation_is_retried_for_the_waiters() => Explore(run =>
    {
        var bench = new CoreBench(run, maxSize: 2) { FailingCreations = 1, Horizon = _second };
        run.Actor("renter 1", bench.RentAndReturn);
        run.Actor("renter 2", bench.RentAndReturn);
    }, preemptions: 1, random: 1_000);

    [Fact]
    public void A_failed_creation_and_a_cancellation_compete() => Explore(run =>
    {
        var bench = new CoreBench(run, maxSize: 1, configure: FailFast) { FailingCreations = 1, Horizon = _second };
        var caller = bench.NewCaller();
        run.Actor("renter", () => Use(bench, caller));
        run.Actor("canceller", caller.Cancel);
    }, preemptions: 3);

    [Fact]
    public void A_failure_reaches_the_oldest_caller_and_no_caller_is_left_waiting() => Explore(run =>
    {
        var bench = new CoreBench(run, maxSize: 2, configure: FailFast) { FailingCreations = 2, Horizon = _second };
        run.Actor("renter 1", () => Use(bench));
        run.Actor("renter 2", () => Use(bench));
        run.AtEnd(() =>
            Assert.InRange(bench.Callers.Count(caller => caller is { Outcome: WaitOutcome.Failed, Failure: null }), 0, 1));
    });

    [Fact]
    public void A_failed_creation_releases_its_capacity_during_a_return() => Explore(run =>
    {
        var bench = new CoreBench(run, maxSize: 2, primed: 1, configure: FailFast) { FailingCreations = 1, Horizon = _second };
        var lease = bench.Rent()!.Value;
        run.Actor("renter", () => Use(bench));
        run.Actor("returner", () => bench.Return(lease));
    });

    [Fact]
    public void No_more_creations_than_wanted_or_allowed() => Explore(run =>
    {
        var bench = new CoreBench(run, maxSize: 2, configure: options => options.MaxConcurrentCreates = 1);
        for (var i = 1; i <= 2; i++)
        {
            run.Actor($"renter {i}", bench.RentAndReturn);
        }

        run.AtEnd(() =>
        {
            Assert.Equal(1, bench.MostCreating);
            Assert.InRange(bench.Created, 1, 2);
        });
    }, preemptions: 1, random: 1_000);

    [Fact]
    public void A_detached_item_releases_its_capacity_to_a_waiter() => Explore(run =>
    {
        var bench = new CoreBench(run, maxSize: 1, primed: 1);
        var lease = bench.Rent()!.Value;
        run.Actor("keeper", () => bench.Detach(lease));
        run.Actor("renter", bench.RentAndReturn);
        run.AtEnd(() => Assert.Equal(2, bench.Created));
    }, preemptions: 3);

    [Fact]
    public void A_discarded_item_releases_its_capacity_when_it_is_destroyed() => Explore(run =>
    {
        var bench = new CoreBench(run, maxSize: 1, primed: 1);
        var lease = bench.Rent()!.Value;
        run.Actor("leaver", () => bench.Discard(lease));
        run.Actor("renter", bench.RentAndReturn);
        run.AtEnd(() => Assert.Equal((2, 1), (bench.Created, bench.Gone)));
    });

    [Fact]
    public void The_minimum_is_filled_while_items_are_rented_and_returned() => Explore(run =>
    {
        var bench = new CoreBench(run, maxSize: 2, primed: 1, configure: options => options.MinIdle = 1);
        var lease = bench.Rent()!.Value;
        run.Actor("leaver", () => bench.Discard(lease));
        run.Actor("renter", bench.RentAndReturn);
        run.AtEnd(() => Assert.InRange(bench.Statistics.Idle, 1, 2));
    }, preemptions: 1, random: 1_000);

    [Fact]
    public void A_caller_is_not_rejected_for_an_outage_while_an_item_was_just_returned() => Explore(run =>
    {
        var bench = new CoreBench(run, maxSize: 2, primed: 1, configure: FailFast) { FailingCreations = 1, Horizon = _second };
        var lease = bench.Rent()!.Value;
        run.Actor("renter", () =>
        {
            Use(bench);
            bench.Return(lease);

            // Like a caller that checked before the return.
            var given = bench.Wait(bench.NewCaller(), stale: null);
            Part.Require(given is not null, "A caller was refused while an item was idle.");
            bench.Return(given!.Value);
        });
        run.Actor("alarm", bench.FireTimer);
    }, preemptions: 3);

    [Fact]
    public void A_caller_that_waited_for_a_dead_item_gets_the_outage() => Explore(run =>
    {
        var bench = new CoreBench(run, maxSize: 2, primed: 1, configure: options =>
        {
            FailFast(options);
            options.RetryDelay = options.MaxRetryDelay = TimeSpan.FromHours(1);
        })
        { FailingCreations = 1, FailingChecks = 1 };
        var lease = bench.Rent()!.Value;
        var isIdle = false;
        run.Actor("renter 1", () =>
        {
            Use(bench);
            bench.Return(lease);
            isIdle = true;
        });
        for (var number = 2; number <= 3; number++)
        {
            run.Actor($"renter {number}", () =>
            {
                Actor.Until(() => isIdle, "the part to be idle");
                var stale = bench.Core.TryTakeHot() ?? bench.Core.TryTakeIdle();
                if (bench.Wait(bench.NewCaller(), stale) is { } given)
                {
                    bench.Return(given);
                }
            });
        }

        run.AtEnd(() => Assert.Equal(0, bench.Statistics.Live));
    }, preemptions: 1, random: 500);

    [Fact]
    public void A_caller_is_refused_or_gets_the_item_that_is_returned_at_the_same_moment_and_never_both() => Explore(run =>
    {
        var bench = new CoreBench(run, maxSize: 2, primed: 1, configure: options =>
        {
            options.OutageTimeout = TimeSpan.FromMilliseconds(1);
            options.RetryDelay = options.MaxRetryDelay = TimeSpan.FromHours(1);
        })
        { FailingCreations = 1, Horizon = _second };
        var lease = bench.Rent()!.Value;
        run.Actor("renter", () => Use(bench));
        run.Actor("returner", () => bench.Return(lease));
        run.Actor("alarm", bench.FireTimer);
        run.AtEnd(() => Assert.Equal((0, 0L), (bench.Statistics.Waiting, bench.Statistics.Leased)));
    }, preemptions: 2, random: 500);

    private static void FailFast(ResourcePoolOptions options) => options.OutageTimeout = TimeSpan.Zero;

    private static void Use(CoreBench bench, Caller? caller = null)
    {
        if (bench.Rent(caller) is { } lease)
        {
            bench.Return(lease);
        }
    }
}
