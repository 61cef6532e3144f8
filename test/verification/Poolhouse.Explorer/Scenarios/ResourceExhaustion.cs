using Poolhouse.Explorer.Scheduling;

namespace Poolhouse.Explorer.Scenarios;

/// <summary>Threads that cannot be started, and work that is queued later for lack of memory: nothing is lost (I3, I5).</summary>
public sealed class ResourceExhaustion(ITestOutputHelper output) : Exploration(output)
{
    private static readonly TimeSpan _hour = TimeSpan.FromHours(1);

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    public void A_thread_that_cannot_be_started_is_a_failed_creation(int threads) => Explore(run =>
    {
        var bench = new PoolBench(run, createsSynchronously: true) { Horizon = _hour };
        bench.Begin();
        bench.LackThreads(threads);
        run.Actor("blocker", () => PoolBench.Require(bench.Rent()));
        run.Actor("awaiter", () => PoolBench.Require(bench.RentAsync()));
        run.AtEnd(() =>
        {
            Assert.Equal(1, bench.Policy.Created);

            // The awaiting caller may have been first: then no thread was needed.
            Assert.InRange(bench.Pool.GetStatistics().CreateFailures, 0, threads);
        });
    }, preemptions: 1, random: 1_000, variant: $" ({threads})");

    [Theory]
    [InlineData(1)]
    [InlineData(3)]
    public void Work_that_cannot_be_queued_for_a_return_is_queued_later(int works) => Explore(run =>
    {
        var bench = new PoolBench(run, resets: true) { Horizon = _hour };
        var lease = bench.RentFirst();
        run.Actor("returner", () => PoolBench.Return(lease));
        run.Actor("awaiter", () => PoolBench.Require(bench.RentAsync()));
        ExploreLackOfMemory(run, bench, works);
    }, preemptions: 1, random: 1_000, variant: $" ({works})");

    [Fact]
    public void A_wake_up_that_cannot_be_queued_is_queued_later() => Explore(run =>
    {
        var bench = new PoolBench(run) { Horizon = _hour };
        var lease = bench.RentFirst();
        var cancellation = new CancellationTokenSource();
        run.Actor("returner", () => PoolBench.Return(lease));
        run.Actor("renter", () => PoolBench.Return(bench.RentAsync(cancellation.Token)));
        run.Actor("canceller", cancellation.Cancel);
        ExploreLackOfMemory(run, bench, works: 1);
    }, preemptions: 1, random: 1_000);

    [Fact]
    public void A_destruction_that_cannot_be_queued_is_queued_later() => Explore(run =>
    {
        var bench = new PoolBench(run) { Horizon = _hour };
        var lease = bench.RentFirst();
        run.Actor("leaver", () =>
        {
            lease.Value.Release();
            lease.Discard();
        });
        run.Actor("operator", bench.DisposePool);
        ExploreLackOfMemory(run, bench, works: 2);
        run.AtEnd(() => Assert.Equal(0, bench.Policy.Alive));
    }, preemptions: 1, random: 1_000);

    private static void ExploreLackOfMemory(ScenarioRun run, PoolBench bench, int works) => run.Actor("memory", () =>
    {
        Actor.Step("run out", "memory");
        bench.LackMemory(works);
    });
}
