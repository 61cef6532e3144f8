using Poolhouse.Explorer.Scheduling;

namespace Poolhouse.Explorer.Scenarios;

/// <summary>Closing and draining during other operations (I14).</summary>
public sealed class DrainAndDisposal(ITestOutputHelper output) : Exploration(output)
{
    [Fact]
    public void A_closed_pool_ends_empty() => Explore(run =>
    {
        var bench = new CoreBench(run, maxSize: 1, primed: 1);
        var lease = bench.Rent()!.Value;
        run.Actor("operator", () => bench.Core.Operators.Close(drain: false, bench.Now));
        run.Actor("returner", () => bench.Return(lease));
        run.Actor("renter", () => Use(bench));
        run.AtEnd(() => AssertEmpty(bench));
    }, preemptions: 1, random: 1_000);

    [Fact]
    public void Closing_and_a_creation_compete() => Explore(run =>
    {
        var bench = new CoreBench(run, maxSize: 1);
        run.Actor("operator", () => bench.Core.Operators.Close(drain: false, bench.Now));
        run.Actor("renter", () => Use(bench));
        run.AtEnd(() => AssertEmpty(bench));
    });

    [Fact]
    public void Closing_and_a_cancellation_compete() => Explore(run =>
    {
        var bench = new CoreBench(run, maxSize: 1, primed: 1);
        var lease = bench.Rent()!.Value;
        var caller = bench.NewCaller();
        run.Actor("operator", () => bench.Core.Operators.Close(drain: false, bench.Now));
        run.Actor("renter", () => Use(bench, caller));
        run.Actor("canceller", caller.Cancel);
        run.Actor("returner", () => bench.Return(lease));
        run.AtEnd(() => AssertEmpty(bench));
    }, preemptions: 1, random: 1_000);

    [Fact]
    public void A_drained_pool_serves_its_waiters_and_ends_empty() => Explore(run =>
    {
        var bench = new CoreBench(run, maxSize: 1, primed: 1);
        var lease = bench.Rent()!.Value;
        var caller = bench.NewCaller();
        run.Actor("renter", () =>
        {
            var given = bench.Rent(caller);
            Part.Require(given is not null || !caller.WasQueued, "A draining pool did not serve a waiting caller.");
            if (given is { } got)
            {
                bench.Return(got);
            }
        });
        run.Actor("operator", () => bench.Core.Operators.Close(drain: true, bench.Now));
        run.Actor("returner", () => bench.Return(lease));
        run.AtEnd(() => AssertEmpty(bench));
    }, preemptions: 1, random: 1_000);

    [Fact]
    public void Draining_and_closing_compete() => Explore(run =>
    {
        var bench = new CoreBench(run, maxSize: 1, primed: 1);
        run.Actor("renter", () => Use(bench));
        run.Actor("drainer", () => bench.Core.Operators.Close(drain: true, bench.Now));
        run.Actor("closer", () => bench.Core.Operators.Close(drain: false, bench.Now));
        run.AtEnd(() => AssertEmpty(bench));
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
        Assert.True(bench.Core.Operators.GetClosingState().Empty);
    }
}
