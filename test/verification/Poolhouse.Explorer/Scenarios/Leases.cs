using Poolhouse.Explorer.Scheduling;

namespace Poolhouse.Explorer.Scenarios;

/// <summary>One lease in the hands of several threads (I12, I9).</summary>
public sealed class Leases(ITestOutputHelper output) : Exploration(output)
{
    [Fact]
    public void A_lease_ended_by_two_threads_ends_once() => Explore(play =>
    {
        var bench = new CoreBench(play, maxSize: 1, primed: 1);
        var lease = bench.Rent()!.Value;
        bench.LetGo(lease);
        play.Actor("first", lease.Dispose);
        play.Actor("second", lease.Dispose);
        play.Actor("renter", bench.RentAndReturn);
        play.AtEnd(() => Assert.Equal(1, bench.DoubleReturns));
    });

    [Fact]
    public void A_return_and_a_discard_compete() => Explore(play =>
    {
        var bench = new CoreBench(play, maxSize: 1, primed: 1);
        var lease = bench.Rent()!.Value;
        bench.LetGo(lease);
        play.Actor("returner", lease.Dispose);
        play.Actor("leaver", lease.Discard);
        play.Actor("renter", bench.RentAndReturn);
        play.AtEnd(() => Assert.Equal(1, bench.DoubleReturns));
    }, preemptions: 1, random: 1_000);

    [Fact]
    public void A_late_return_does_not_end_the_next_lease() => Explore(play =>
    {
        var bench = new CoreBench(play, maxSize: 1, primed: 1);
        var lease = bench.Rent()!.Value;
        play.Actor("returner", () => bench.Return(lease));
        play.Actor("late", () =>
        {
            Actor.Until(() => !lease.IsActive, "the end of the lease");
            lease.Dispose();
        });
        play.Actor("renter", () =>
        {
            var next = bench.Rent()!.Value;
            Actor.Step("use", "part");
            Part.Require(next.IsActive, "A lease was ended by another one.");
            bench.Return(next);
        });
        play.AtEnd(() => Assert.Equal(1, bench.DoubleReturns));
    });

    [Fact]
    public void A_late_taint_does_not_reach_the_next_lease() => Explore(play =>
    {
        var bench = new CoreBench(play, maxSize: 1, primed: 1, cells: 1);
        var lease = bench.Rent()!.Value;
        play.Actor("returner", () => bench.Return(lease));
        play.Actor("late", lease.Taint);
        play.Actor("renter", bench.RentAndReturn);
        play.AtEnd(() => Assert.All(bench.TaintedUses, uses => Assert.Equal(1, uses)));
    });

    [Fact]
    public void Value_returns_the_item_of_the_lease_or_throws() => Explore(play =>
    {
        var bench = new CoreBench(play, maxSize: 1, primed: 1);
        var lease = bench.Rent()!.Value;
        var part = lease.Value;
        play.Actor("leaver", () => bench.Discard(lease));
        play.Actor("reader", () =>
        {
            try
            {
                Part.Require(lease.Value == part, "The value of a lease is not its own.");
            }
            catch (ObjectDisposedException)
            {
                // It had ended.
            }
        });
        play.Actor("renter", bench.RentAndReturn);
    }, preemptions: 1, random: 1_000);
}
