using Poolhouse.Explorer.Scheduling;

namespace Poolhouse.Explorer.Scenarios;

/// <summary>Hooks that end at the moment at which they are abandoned: one outcome, and nothing is lost (I7, I10).</summary>
public sealed class Deadlines(ITestOutputHelper output) : Exploration(output)
{
    private static readonly TimeSpan _second = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan _minute = TimeSpan.FromMinutes(1);

    [Fact]
    public void A_creation_that_ends_at_its_deadline_has_one_outcome() => Explore(run =>
    {
        var bench = new PoolBench(run, configure: options => options.CreateTimeout = _second) { Horizon = _minute };
        bench.Policy.CreationEnds = _second;
        bench.Begin();
        run.Actor("renter", () => PoolBench.Require(bench.RentAsync()));
        run.AtEnd(() => Assert.InRange(bench.Policy.Created, 1, 2));
    });

    [Fact]
    public void A_reset_that_ends_at_its_deadline_has_one_outcome() => Explore(run =>
    {
        var bench = new PoolBench(run, resets: true, configure: options => options.ResetTimeout = _second) { Horizon = _minute };
        var lease = bench.RentFirst();
        bench.Policy.ResetEnds = _second;
        run.Actor("returner", () => PoolBench.Return(lease));
        run.Actor("renter", () => PoolBench.Require(bench.RentAsync()));
    }, preemptions: 1, random: 1_000);

    [Fact]
    public void A_destruction_that_ends_at_its_deadline_releases_its_capacity_once() => Explore(run =>
    {
        var bench = new PoolBench(run, configure: options => options.DestroyTimeout = _second) { Horizon = _minute };
        var lease = bench.RentFirst();
        bench.Policy.DestructionEnds = _second;
        run.Actor("leaver", () =>
        {
            lease.Value.Release();
            lease.Discard();
        });
        run.Actor("renter", () => PoolBench.Require(bench.RentAsync()));
        run.AtEnd(() => Assert.Equal(2, bench.Policy.Created));
    }, preemptions: 1, random: 1_000);

    [Fact]
    public void A_disposal_during_a_creation_waits_for_it() => Explore(run =>
    {
        var bench = new PoolBench(run);
        bench.Begin();
        run.Actor("renter", () => PoolBench.Return(bench.RentAsync()));
        run.Actor("operator", bench.DisposePool);
        run.AtEnd(() => Assert.Equal(0, bench.Policy.Alive));
    }, preemptions: 1, random: 1_000);
}
