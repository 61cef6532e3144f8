using Poolhouse.Explorer.Scheduling;

namespace Poolhouse.Explorer.Scenarios;

/// <summary>The clock jumps past every deadline at any step: no item is lost, leaked or destroyed twice (I30).</summary>
public sealed class ClockJumps(ITestOutputHelper output) : Exploration(output)
{
    private static readonly TimeSpan _day = TimeSpan.FromDays(1);
    private static readonly TimeSpan _hour = TimeSpan.FromHours(1);

    [Fact]
    public void During_a_creation() => Explore(run =>
    {
        var bench = new PoolBench(run) { Horizon = _day };
        bench.Begin();
        run.Actor("renter", () => PoolBench.Require(bench.RentAsync()));
        ExploreJump(run, bench);
    }, preemptions: 1, random: 1_000);

    [Fact]
    public void During_a_reset() => Explore(run =>
    {
        var bench = new PoolBench(run, resets: true) { Horizon = _day };
        var lease = bench.RentFirst();
        run.Actor("returner", () => PoolBench.Return(lease));
        run.Actor("renter", () => PoolBench.Require(bench.RentAsync()));
        ExploreJump(run, bench);
    }, preemptions: 0, random: 2_000);

    [Fact]
    public void During_a_destruction() => Explore(run =>
    {
        var bench = new PoolBench(run) { Horizon = _day };
        var lease = bench.RentFirst();
        run.Actor("leaver", () =>
        {
            lease.Value.Release();
            lease.Discard();
        });
        run.Actor("renter", () => PoolBench.Require(bench.RentAsync()));
        ExploreJump(run, bench);
    }, preemptions: 0, random: 2_000);

    [Fact]
    public void During_a_disposal() => Explore(run =>
    {
        var bench = new PoolBench(run, resets: true) { Horizon = _day };
        var lease = bench.RentFirst();
        run.Actor("returner", () => PoolBench.Return(lease));
        run.Actor("operator", bench.DisposePool);
        ExploreJump(run, bench);
        run.AtEnd(() => Assert.Equal(0, bench.Policy.Alive));
    }, preemptions: 1, random: 1_000);

    private static void ExploreJump(ScenarioRun run, PoolBench bench) => run.Actor("clock", () =>
    {
        Actor.Step("jump", "clock");
        bench.Jump(_hour);
    });
}
