using Poolhouse.Explorer.Scheduling;

namespace Poolhouse.Explorer.Scenarios;

/// <summary>Hooks that end at the very moment when they are given up: one outcome, and nothing is lost (I7, I10).</summary>
public sealed class Deadlines(ITestOutputHelper output) : Exploration(output)
{
    private static readonly TimeSpan _second = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan _minute = TimeSpan.FromMinutes(1);

    [Fact]
    public void A_creation_that_ends_at_its_deadline_has_one_outcome() => Explore(play =>
    {
        var bench = new PoolBench(play, configure: options => options.CreateTimeout = _second) { Horizon = _minute };
        bench.Policy.CreationEnds = _second;
        bench.Begin();
        play.Actor("renter", () => PoolBench.Require(bench.RentAsync()));
        play.AtEnd(() => Assert.InRange(bench.Policy.Made, 1, 2));
    });

    [Fact]
    public void A_reset_that_ends_at_its_deadline_has_one_outcome() => Explore(play =>
    {
        var bench = new PoolBench(play, resets: true, configure: options => options.ResetTimeout = _second) { Horizon = _minute };
        var lease = bench.RentFirst();
        bench.Policy.ResetEnds = _second;
        play.Actor("returner", () => PoolBench.Return(lease));
        play.Actor("renter", () => PoolBench.Require(bench.RentAsync()));
    }, preemptions: 1, random: 1_000);

    [Fact]
    public void A_destruction_that_ends_at_its_deadline_releases_its_capacity_once() => Explore(play =>
    {
        var bench = new PoolBench(play, configure: options => options.DestroyTimeout = _second) { Horizon = _minute };
        var lease = bench.RentFirst();
        bench.Policy.DestructionEnds = _second;
        play.Actor("leaver", () =>
        {
            lease.Value.LetGo();
            lease.Discard();
        });
        play.Actor("renter", () => PoolBench.Require(bench.RentAsync()));
        play.AtEnd(() => Assert.Equal(2, bench.Policy.Made));
    }, preemptions: 1, random: 1_000);

    [Fact]
    public void A_disposal_during_a_creation_waits_for_it() => Explore(play =>
    {
        var bench = new PoolBench(play);
        bench.Begin();
        play.Actor("renter", () => PoolBench.Return(bench.RentAsync()));
        play.Actor("operator", bench.DisposePool);
        play.AtEnd(() => Assert.Equal(0, bench.Policy.Alive));
    }, preemptions: 1, random: 1_000);
}
