using Poolhouse.Explorer.Scheduling;

namespace Poolhouse.Explorer.Scenarios;

/// <summary>Callers that await and callers that block, on a whole pool.</summary>
public sealed class WholePool(ITestOutputHelper output) : Exploration(output)
{
    [Fact]
    public void A_return_and_a_cancellation_compete_for_an_awaiting_caller() => Explore(play =>
    {
        var bench = new PoolBench(play);
        var lease = bench.RentFirst();
        var cancellation = new CancellationTokenSource();
        play.Actor("renter", () => PoolBench.Return(bench.RentAsync(cancellation.Token)));
        play.Actor("canceller", cancellation.Cancel);
        play.Actor("returner", () => PoolBench.Return(lease));
        play.AtEnd(() => Assert.InRange(bench.Cancelled, 0, 1));
    }, preemptions: 1, random: 1_000);

    [Fact]
    public void A_late_cancellation_does_not_reach_the_next_wait() => Explore(play =>
    {
        var bench = new PoolBench(play);
        var lease = bench.RentFirst();
        var cancellation = new CancellationTokenSource();
        play.Actor("renter", () =>
        {
            PoolBench.Return(bench.RentAsync(cancellation.Token));
            PoolBench.Require(bench.RentAsync());
        });
        play.Actor("canceller", cancellation.Cancel);
        play.Actor("returner", () => PoolBench.Return(lease));
    }, preemptions: 1, random: 1_000);

    [Fact]
    public void A_cancelled_wait_leaves_the_item_to_the_next() => Explore(play =>
    {
        var bench = new PoolBench(play);
        var lease = bench.RentFirst();
        var cancellation = new CancellationTokenSource();
        play.Actor("first", () => PoolBench.Return(bench.RentAsync(cancellation.Token)));
        play.Actor("next", () => PoolBench.Require(bench.RentAsync()));
        play.Actor("canceller", cancellation.Cancel);
        play.Actor("returner", () => PoolBench.Return(lease));
    }, preemptions: 0, random: 2_000);

    [Fact]
    public void A_blocking_and_an_awaiting_caller_share_one_queue() => Explore(play =>
    {
        var bench = new PoolBench(play);
        var lease = bench.RentFirst();
        play.Actor("blocker", () => PoolBench.Require(bench.Rent()));
        play.Actor("awaiter", () => PoolBench.Require(bench.RentAsync()));
        play.Actor("returner", () => PoolBench.Return(lease));
    }, preemptions: 1, random: 1_000);

    [Fact]
    public void A_timeout_and_a_return_compete() => Explore(play =>
    {
        var second = TimeSpan.FromSeconds(1);
        var bench = new PoolBench(play, configure: options => options.RentTimeout = second) { Horizon = second };
        var lease = bench.RentFirst();
        play.Actor("renter", () => PoolBench.Return(bench.RentAsync()));
        play.Actor("returner", () =>
        {
            Actor.Until(() => bench.Time >= second, "the last moment");
            PoolBench.Return(lease);
        });
        play.AtEnd(() => Assert.InRange(bench.TimedOut, 0, 1));
    }, preemptions: 1, random: 1_000);

    [Fact]
    public void Every_caller_is_served_or_gets_an_ObjectDisposedException() => Explore(play =>
    {
        var bench = new PoolBench(play);
        var lease = bench.RentFirst();
        play.Actor("operator", bench.DisposePool);
        play.Actor("renter", () => PoolBench.Return(bench.RentAsync()));
        play.Actor("returner", () => PoolBench.Return(lease));
        play.AtEnd(() => Assert.Equal(0, bench.Policy.Alive));
    }, preemptions: 1, random: 1_000);

    [Fact]
    public void A_drain_ends_when_the_last_lease_has_ended() => Explore(play =>
    {
        var bench = new PoolBench(play);
        var lease = bench.RentFirst();
        play.Actor("operator", () =>
        {
            bench.DrainPool();
            Part.Require(bench.Policy.Alive == 0, "A drain ended while a part was alive.");
        });
        play.Actor("renter", () => PoolBench.Return(bench.RentAsync()));
        play.Actor("returner", () => PoolBench.Return(lease));
    }, preemptions: 1, random: 1_000);
}
