using Poolhouse.Explorer.Scheduling;

namespace Poolhouse.Explorer.Scenarios;

/// <summary>The clock jumps past every deadline at any step: no item is lost, leaked or destroyed twice (I30).</summary>
public sealed class ClockJumps(ITestOutputHelper output) : Exploration(output)
{
    private static readonly TimeSpan _day = TimeSpan.FromDays(1);
    private static readonly TimeSpan _hour = TimeSpan.FromHours(1);

    [Fact]
    public void During_a_creation() => Explore(play =>
    {
        var bench = new PoolBench(play) { Horizon = _day };
        bench.Begin();
        play.Actor("renter", () => PoolBench.Require(bench.RentAsync()));
        PlayJump(play, bench);
    }, preemptions: 1, random: 1_000);

    [Fact]
    public void During_a_reset() => Explore(play =>
    {
        var bench = new PoolBench(play, resets: true) { Horizon = _day };
        var lease = bench.RentFirst();
        play.Actor("returner", () => PoolBench.Return(lease));
        play.Actor("renter", () => PoolBench.Require(bench.RentAsync()));
        PlayJump(play, bench);
    }, preemptions: 0, random: 2_000);

    [Fact]
    public void During_a_destruction() => Explore(play =>
    {
        var bench = new PoolBench(play) { Horizon = _day };
        var lease = bench.RentFirst();
        play.Actor("leaver", () =>
        {
            lease.Value.LetGo();
            lease.Discard();
        });
        play.Actor("renter", () => PoolBench.Require(bench.RentAsync()));
        PlayJump(play, bench);
    }, preemptions: 0, random: 2_000);

    [Fact]
    public void During_a_disposal() => Explore(play =>
    {
        var bench = new PoolBench(play, resets: true) { Horizon = _day };
        var lease = bench.RentFirst();
        play.Actor("returner", () => PoolBench.Return(lease));
        play.Actor("operator", bench.DisposePool);
        PlayJump(play, bench);
        play.AtEnd(() => Assert.Equal(0, bench.Policy.Alive));
    }, preemptions: 1, random: 1_000);

    private static void PlayJump(Play play, PoolBench bench) => play.Actor("clock", () =>
    {
        Actor.Step("jump", "clock");
        bench.Jump(_hour);
    });
}
