using Poolhouse.Explorer.Scheduling;

namespace Poolhouse.Explorer.Scenarios;

/// <summary>One lease that several threads use (I12, I9).</summary>
public sealed class Leases(ITestOutputHelper output) : Exploration(output)
{
    [Fact]
    public void A_lease_ended_by_two_threads_ends_once() => Explore(run =>
    {
        var bench = new CoreBench(run, maxSize: 1, primed: 1);
        var lease = bench.Rent()!.Value;
        bench.Release(lease);
        run.Actor("first", lease.Dispose);
        run.Actor("second", lease.Dispose);
        run.Actor("renter", bench.RentAndReturn);
        run.AtEnd(() => Assert.Equal(1, bench.DoubleReturns));
    });

    [Fact]
    public void A_return_and_a_discard_compete() => Explore(run =>
    {
        var bench = new CoreBench(run, maxSize: 1, primed: 1);
        var lease = bench.Rent()!.Value;
        bench.Release(lease);
        run.Actor("returner", lease.Dispose);
        run.Actor("leaver", lease.Discard);
        run.Actor("renter", bench.RentAndReturn);
        run.AtEnd(() => Assert.Equal(1, bench.DoubleReturns));
    }, preemptions: 1, random: 1_000);

    [Fact]
    public void A_late_return_does_not_end_the_next_lease() => Explore(run =>
    {
        var bench = new CoreBench(run, maxSize: 1, primed: 1);
        var lease = bench.Rent()!.Value;
        run.Actor("returner", () => bench.Return(lease));
        run.Actor("late", () =>
        {
            Actor.Until(() => !lease.IsActive, "the end of the lease");
            lease.Dispose();
        });
        run.Actor("renter", () =>
        {
            var next = bench.Rent()!.Value;
            Actor.Step("use", "part");
            Part.Require(next.IsActive, "A lease was ended by another one.");
            bench.Return(next);
        });
        run.AtEnd(() => Assert.Equal(1, bench.DoubleReturns));
    });

    [Fact]
    public void A_late_taint_does_not_reach_the_next_lease() => Explore(run =>
    {
        var bench = new CoreBench(run, maxSize: 1, primed: 1, cells: 1);
        var lease = bench.Rent()!.Value;
        run.Actor("returner", () => bench.Return(lease));
        run.Actor("late", lease.Taint);
        run.Actor("renter", bench.RentAndReturn);
        run.AtEnd(() => Assert.All(bench.TaintedUses, uses => Assert.Equal(1, uses)));
    });

    [Fact]
    public void Value_returns_the_item_of_the_lease_or_throws() => Explore(run =>
    {
        var bench = new CoreBench(run, maxSize: 1, primed: 1);
        var lease = bench.Rent()!.Value;
        var part = lease.Value;
        run.Actor("leaver", () => bench.Discard(lease));
        run.Actor("reader", () =>
        {
            try
            {
                Part.Require(lease.Value == part, "A lease has the item of another one.");
            }
            catch (ObjectDisposedException)
            {
                // It had ended.
            }
        });
        run.Actor("renter", bench.RentAndReturn);
    }, preemptions: 1, random: 1_000);
}
