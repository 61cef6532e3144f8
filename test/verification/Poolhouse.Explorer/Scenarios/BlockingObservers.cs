using Poolhouse.Explorer.Scheduling;

namespace Poolhouse.Explorer.Scenarios;

/// <summary>An observer that blocks delays only the thread that calls it (I7, I25).</summary>
public sealed class BlockingObservers(ITestOutputHelper output) : Exploration(output)
{
    private static readonly TimeSpan _second = TimeSpan.FromSeconds(1);

    [Fact]
    public void A_deadline_holds_while_an_observer_blocks_on_a_leak() => Explore(run =>
    {
        var observer = new Observer();
        var bench = new PoolBench(run, configure: options =>
        {
            options.Observer = observer;
            options.RentTimeout = _second;
            options.LeakThreshold = _second / 2;
        })
        { Horizon = _second * 10 };
        var lease = bench.RentFirst();
        observer.Blocks = () => bench.TimedOut == 0;
        run.Actor("renter", () => PoolBench.Return(bench.RentAsync()));
        run.AtEnd(() =>
        {
            Assert.Equal((1, 1), (bench.TimedOut, observer.Calls));
            PoolBench.Return(lease);
        });
    }, preemptions: 1, random: 500);

    [Fact]
    public void A_creation_is_retried_while_an_observer_blocks_on_an_abandoned_one() => Explore(run =>
    {
        var observer = new Observer();
        var bench = new PoolBench(run, configure: options =>
        {
            options.Observer = observer;
            options.CreateTimeout = _second;
        })
        { Horizon = _second * 10 };
        bench.Policy.CreationEnds = _second * 5;
        bench.Begin();
        var served = 0;
        observer.Blocks = () => served == 0;
        run.Actor("renter", () =>
        {
            PoolBench.Require(bench.RentAsync());
            served++;

            // The first creation ends as well, too late.
            bench.Jump(_second * 5);
        });
        run.AtEnd(() => Assert.Equal(2, bench.Policy.Created));
    }, preemptions: 1, random: 500);

    [Fact]
    public void Capacity_is_released_while_an_observer_blocks_on_a_destruction() => Explore(run =>
    {
        var observer = new Observer();
        var bench = new PoolBench(run, configure: options => options.Observer = observer);
        var lease = bench.RentFirst();
        var served = 0;
        observer.Blocks = () => served == 0;
        run.Actor("leaver", () =>
        {
            lease.Value.Release();
            lease.Discard();
        });
        run.Actor("renter", () =>
        {
            PoolBench.Require(bench.RentAsync());
            served++;
        });
        run.AtEnd(() => Assert.Equal(2, bench.Policy.Created));
    }, preemptions: 1, random: 500);

    /// <summary>Blocks in every call except the one about the end of a caller's wait.</summary>
    private sealed class Observer : ResourcePoolObserver
    {
        public Func<bool> Blocks { get; set; } = static () => false;

        public int Calls { get; private set; }

        public override void OnCreated(in ItemCreatedArgs created) => Block();

        public override void OnCreateFailed(in ItemCreateFailedArgs failed) => Block();

        public override void OnDestroyed(in ItemDestroyedArgs destroyed) => Block();

        public override void OnLeakSuspected(in LeakSuspectedArgs suspected)
        {
            Calls++;
            Block();
        }

        private void Block() => Actor.Until(() => !Blocks(), "the release of the observer");
    }
}
