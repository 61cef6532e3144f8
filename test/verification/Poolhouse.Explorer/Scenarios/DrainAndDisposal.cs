using Poolhouse.Explorer.Scheduling;

namespace Poolhouse.Explorer.Scenarios;

/// <summary>Closing and draining in the middle of everything (I14).</summary>
public sealed class DrainAndDisposal(ITestOutputHelper output) : Exploration(output)
{
    [Fact]
    public void A_closed_pool_ends_empty() => Explore(play =>
    {
        var bench = new CoreBench(play, maxSize: 1, primed: 1);
        var lease = bench.Rent()!.Value;
        play.Actor("operator", () => bench.Core.Close(drain: false, bench.Now));
        play.Actor("returner", () => bench.Return(lease));
        play.Actor("renter", () => Use(bench));
        play.AtEnd(() => AssertEmpty(bench));
    }, preemptions: 1, random: 1_000);

    [Fact]
    public void Closing_and_a_creation_compete() => Explore(play =>
    {
        var bench = new CoreBench(play, maxSize: 1);
        play.Actor("operator", () => bench.Core.Close(drain: false, bench.Now));
        play.Actor("renter", () => Use(bench));
        play.AtEnd(() => AssertEmpty(bench));
    });

    [Fact]
    public void Closing_and_a_cancellation_compete() => Explore(play =>
    {
        var bench = new CoreBench(play, maxSize: 1, primed: 1);
        var lease = bench.Rent()!.Value;
        var caller = bench.NewCaller();
        play.Actor("operator", () => bench.Core.Close(drain: false, bench.Now));
        play.Actor("renter", () => Use(bench, caller));
        play.Actor("canceller", caller.Cancel);
        play.Actor("returner", () => bench.Return(lease));
        play.AtEnd(() => AssertEmpty(bench));
    }, preemptions: 1, random: 1_000);

    [Fact]
    public void A_drained_pool_serves_its_waiters_and_ends_empty() => Explore(play =>
    {
        var bench = new CoreBench(play, maxSize: 1, primed: 1);
        var lease = bench.Rent()!.Value;
        var caller = bench.NewCaller();
        play.Actor("renter", () =>
        {
            var given = bench.Rent(caller);
            Part.Require(given is not null || !caller.WasQueued, "A pool that drains did not serve one who waited.");
            if (given is { } got)
            {
                bench.Return(got);
            }
        });
        play.Actor("operator", () => bench.Core.Close(drain: true, bench.Now));
        play.Actor("returner", () => bench.Return(lease));
        play.AtEnd(() => AssertEmpty(bench));
    }, preemptions: 1, random: 1_000);

    [Fact]
    public void Draining_and_closing_compete() => Explore(play =>
    {
        var bench = new CoreBench(play, maxSize: 1, primed: 1);
        play.Actor("renter", () => Use(bench));
        play.Actor("drainer", () => bench.Core.Close(drain: true, bench.Now));
        play.Actor("closer", () => bench.Core.Close(drain: false, bench.Now));
        play.AtEnd(() => AssertEmpty(bench));
    }, preemptions: 1, random: 1_000);

    private static void Use(CoreBench bench, Caller? caller = null)
    {
        if (bench.Rent(caller) is { } lease)
        {
            bench.Return(lease);
        }
    }

    private static void AssertEmpty(CoreBench bench)
    {
        Assert.Equal(bench.Created, bench.Gone);
        Assert.True(bench.Core.GetClosingState().Empty);
    }
}
