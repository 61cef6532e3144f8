using Poolhouse.Explorer.Scheduling;

namespace Poolhouse.Explorer.Scenarios;

/// <summary>Callers that await and callers that block, on a whole pool.</summary>
public sealed class WholePool(ITestOutputHelper output) : Exploration(output)
{
    [Fact]
    public void A_return_and_a_cancellation_compete_for_an_awaiting_caller() => Explore(run =>
    {
        var bench = new PoolBench(run);
        var lease = bench.RentFirst();
        var cancellation = new CancellationTokenSource();
        run.Actor("renter", () => PoolBench.Return(bench.RentAsync(cancellation.Token)));
        run.Actor("canceller", cancellation.Cancel);
        run.Actor("returner", () => PoolBench.Return(lease));
        run.AtEnd(() => Assert.InRange(bench.Cancelled, 0, 1));
    }, preemptions: 1, random: 1_000);

    [Fact]
    public void A_late_cancellation_does_not_reach_the_next_wait() => Explore(run =>
    {
        var bench = new PoolBench(run);
        var lease = bench.RentFirst();
        var cancellation = new CancellationTokenSource();
        run.Actor("renter", () =>
        {
            PoolBench.Return(bench.RentAsync(cancellation.Token));
            PoolBench.Require(bench.RentAsync());
        });
        run.Actor("canceller", cancellation.Cancel);
        run.Actor("returner", () => PoolBench.Return(lease));
    }, preemptions: 1, random: 1_000);

    [Fact]
    public void A_cancelled_wait_leaves_the_item_to_the_next() => Explore(run =>
    {
        var bench = new PoolBench(run);
        var lease = bench.RentFirst();
        var cancellation = new CancellationTokenSource();
        run.Actor("first", () => PoolBench.Return(bench.RentAsync(cancellation.Token)));
        run.Actor("next", () => PoolBench.Require(bench.RentAsync()));
        run.Actor("canceller", cancellation.Cancel);
        run.Actor("returner", () => PoolBench.Return(lease));
    }, preemptions: 0, random: 2_000);

    // Awaiting a ValueTask on two threads is a mistake. It must not give one waiter object to two later callers (I1).
    [Fact]
    public void Two_threads_that_take_the_result_of_one_wait_do_not_make_later_callers_share_a_waiter() => Explore(run =>
    {
        var bench = new PoolBench(run);
        var lease = bench.RentFirst();
        var wait = bench.Pool.RentAsync();
        var taken = new List<Lease<Part>>();
        var ended = 0;
        run.Actor("returner", () => PoolBench.Return(lease));
        run.Actor("taker 1", () => Take(wait));
        run.Actor("taker 2", () => Take(wait));
        run.Actor("later callers", () =>
        {
            Actor.Until(() => ended == 2, "the end of the wait");
            Part.Require(taken.Count == 1, "The item was lost, or given to two callers.");
#pragma warning disable CA2012 // They are compared, and then consumed once each.
            var waits = new[] { bench.Pool.RentAsync(), bench.Pool.RentAsync() };
#pragma warning restore CA2012
            Part.Require(waits[0] != waits[1], "Two callers share a waiter.");
            taken[0].Dispose();
            foreach (var later in waits)
            {
                Actor.Until(() => later.IsCompleted, "its lease");
                later.GetAwaiter().GetResult().Dispose();
            }
        });

        void Take(ValueTask<Lease<Part>> rent)
        {
            try
            {
                Actor.Until(() => HasEnded(rent), "its lease");
                taken.Add(rent.GetAwaiter().GetResult());
            }
            catch (InvalidOperationException)
            {
                // The other thread has taken it.
            }

            ended++;
        }
    }, preemptions: 2, random: 500);

    [Fact]
    public void A_blocking_and_an_awaiting_caller_share_one_queue() => Explore(run =>
    {
        var bench = new PoolBench(run);
        var lease = bench.RentFirst();
        run.Actor("blocker", () => PoolBench.Require(bench.Rent()));
        run.Actor("awaiter", () => PoolBench.Require(bench.RentAsync()));
        run.Actor("returner", () => PoolBench.Return(lease));
    }, preemptions: 1, random: 1_000);

    [Fact]
    public void A_timeout_and_a_return_compete() => Explore(run =>
    {
        var second = TimeSpan.FromSeconds(1);
        var bench = new PoolBench(run, configure: options => options.RentTimeout = second) { Horizon = second };
        var lease = bench.RentFirst();
        run.Actor("renter", () => PoolBench.Return(bench.RentAsync()));
        run.Actor("returner", () =>
        {
            Actor.Until(() => bench.Time >= second, "the last moment");
            PoolBench.Return(lease);
        });
        run.AtEnd(() => Assert.InRange(bench.TimedOut, 0, 1));
    }, preemptions: 1, random: 1_000);

    [Fact]
    public void Every_caller_is_served_or_gets_an_ObjectDisposedException() => Explore(run =>
    {
        var bench = new PoolBench(run);
        var lease = bench.RentFirst();
        run.Actor("operator", bench.DisposePool);
        run.Actor("renter", () => PoolBench.Return(bench.RentAsync()));
        run.Actor("returner", () => PoolBench.Return(lease));
        run.AtEnd(() => Assert.Equal(0, bench.Policy.Alive));
    }, preemptions: 1, random: 1_000);

    [Fact]
    public void A_drain_ends_when_the_last_lease_has_ended() => Explore(run =>
    {
        var bench = new PoolBench(run);
        var lease = bench.RentFirst();
        run.Actor("operator", () =>
        {
            bench.DrainPool();
            Part.Require(bench.Policy.Alive == 0, "A drain ended while a part was alive.");
        });
        run.Actor("renter", () => PoolBench.Return(bench.RentAsync()));
        run.Actor("returner", () => PoolBench.Return(lease));
    }, preemptions: 1, random: 1_000);

    // A task whose result was taken cannot be inspected any more.
    private static bool HasEnded(ValueTask<Lease<Part>> rent)
    {
        try
        {
            return rent.IsCompleted;
        }
        catch (InvalidOperationException)
        {
            return true;
        }
    }
}
