using Poolhouse.Explorer.Scheduling;

namespace Poolhouse.Explorer.Scenarios;

/// <summary>Threads that cannot be started and work that cannot be queued: later, and nothing is lost (I3, I5).</summary>
public sealed class ResourceExhaustion(ITestOutputHelper output) : Exploration(output)
{
    private static readonly TimeSpan _hour = TimeSpan.FromHours(1);

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    public void A_thread_that_cannot_be_started_is_a_failed_creation(int threads) => Explore(play =>
    {
        var bench = new PoolBench(play, createsSynchronously: true) { Horizon = _hour };
        bench.Begin();
        bench.LackThreads(threads);
        play.Actor("blocker", () => PoolBench.Require(bench.Rent()));
        play.Actor("awaiter", () => PoolBench.Require(bench.RentAsync()));
        play.AtEnd(() =>
        {
            Assert.Equal(1, bench.Policy.Made);

            // The awaiting caller may have come first: then no thread was needed.
            Assert.InRange(bench.Pool.GetStatistics().CreateFailures, 0, threads);
        });
    }, preemptions: 1, random: 1_000, variant: $" ({threads})");

    [Theory]
    [InlineData(1)]
    [InlineData(3)]
    public void Work_that_cannot_be_queued_for_a_return_is_queued_later(int works) => Explore(play =>
    {
        var bench = new PoolBench(play, resets: true) { Horizon = _hour };
        var lease = bench.RentFirst();
        play.Actor("returner", () => PoolBench.Return(lease));
        play.Actor("awaiter", () => PoolBench.Require(bench.RentAsync()));
        PlayLackOfMemory(play, bench, works);
    }, preemptions: 1, random: 1_000, variant: $" ({works})");

    [Fact]
    public void A_wake_up_that_cannot_be_queued_is_queued_later() => Explore(play =>
    {
        var bench = new PoolBench(play) { Horizon = _hour };
        var lease = bench.RentFirst();
        var cancellation = new CancellationTokenSource();
        play.Actor("returner", () => PoolBench.Return(lease));
        play.Actor("renter", () => PoolBench.Return(bench.RentAsync(cancellation.Token)));
        play.Actor("canceller", cancellation.Cancel);
        PlayLackOfMemory(play, bench, works: 1);
    }, preemptions: 1, random: 1_000);

    [Fact]
    public void A_destruction_that_cannot_be_queued_is_queued_later() => Explore(play =>
    {
        var bench = new PoolBench(play) { Horizon = _hour };
        var lease = bench.RentFirst();
        play.Actor("leaver", () =>
        {
            lease.Value.LetGo();
            lease.Discard();
        });
        play.Actor("operator", bench.DisposePool);
        PlayLackOfMemory(play, bench, works: 2);
        play.AtEnd(() => Assert.Equal(0, bench.Policy.Alive));
    }, preemptions: 1, random: 1_000);

    private static void PlayLackOfMemory(Play play, PoolBench bench, int works) => play.Actor("memory", () =>
    {
        Actor.Step("run out", "memory");
        bench.LackMemory(works);
    });
}
