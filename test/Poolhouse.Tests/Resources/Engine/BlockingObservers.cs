
namespace Poolhouse.Tests.Resources.Engine;

/// <summary>I7 and I25: an observer or policy that blocks delays only its own thread, and no deadline of the pool.</summary>
public sealed class BlockingObservers : IDisposable
{
    private readonly ManualResetEventSlim _release = new();
    private readonly ManualResetEventSlim _blocks = new();

    [Fact]
    public async Task Deadlines_hold_although_the_observer_blocks_on_an_abandoned_creation()
    {
        var bench = NewBench(maxSize: 1);
        bench.Policy.Creates = _ => new ValueTask<Part>(new TaskCompletionSource<Part>().Task);
        var request = bench.RequestAsync(Workbench.Seconds(3));
        var look = AdvanceElsewhere(bench, Workbench.Seconds(1));
        _blocks.Wait(Background.Limit, TestContext.Current.CancellationToken);

        bench.Clock.Advance(Workbench.Seconds(2));
        bench.Run();
        await Assert.ThrowsAsync<PoolUnavailableException>(() => request.WaitAsync(Background.Limit));

        await EndAsync(look);
    }

    [Fact]
    public async Task All_late_creations_are_abandoned_although_the_observer_blocks_on_the_first()
    {
        var bench = NewBench(maxSize: 3);
        bench.Policy.Creates = _ => new ValueTask<Part>(new TaskCompletionSource<Part>().Task);
        _ = bench.Pool.WarmUpAsync(3);
        bench.Run();
        Assert.Equal(3, bench.Now.Creating);
        var look = AdvanceElsewhere(bench, Workbench.Seconds(1));
        _blocks.Wait(Background.Limit, TestContext.Current.CancellationToken);

        Assert.Equal((0, 0, 3), (bench.Now.Creating, bench.Now.Live, bench.Now.Abandoned));

        await EndAsync(look);
    }

    [Fact]
    public async Task Deadlines_hold_although_the_observer_blocks_on_an_abandoned_destruction()
    {
        var bench = NewBench(maxSize: 1);
        bench.Policy.Destroys = (_, _) => new ValueTask(new TaskCompletionSource().Task);
        bench.Rent().Discard();
        bench.Run();
        bench.Policy.Creates = _ => new ValueTask<Part>(new TaskCompletionSource<Part>().Task);
        var request = bench.RequestAsync(Workbench.Seconds(3));
        var look = AdvanceElsewhere(bench, Workbench.Seconds(1));
        _blocks.Wait(Background.Limit, TestContext.Current.CancellationToken);

        bench.Clock.Advance(Workbench.Seconds(2));
        bench.Run();
        await Assert.ThrowsAsync<PoolTimeoutException>(() => request.WaitAsync(Background.Limit));

        await EndAsync(look);
    }

    [Fact]
    public async Task Deadlines_hold_although_the_observer_blocks_on_a_leak()
    {
        var bench = NewBench(maxSize: 1);
        bench.Options.LeakThreshold = Workbench.Seconds(1);
        bench.Rent();
        var request = bench.RequestAsync(Workbench.Seconds(3));
        var look = AdvanceElsewhere(bench, Workbench.Seconds(1));
        _blocks.Wait(Background.Limit, TestContext.Current.CancellationToken);

        bench.Clock.Advance(Workbench.Seconds(2));
        bench.Run();
        await Assert.ThrowsAsync<PoolTimeoutException>(() => request.WaitAsync(Background.Limit));

        await EndAsync(look);
    }

    [Fact]
    public async Task A_creation_is_abandoned_although_IsPermanent_blocks()
    {
        var bench = NewBench(maxSize: 1);
        bench.Options.Observer = null;
        bench.Policy.Creates = _ => throw new InvalidOperationException("No parts today.");
        bench.Policy.IsPermanentHook = _ =>
        {
            Block();
            return true;
        };
        var request = bench.Pool.RentAsync().AsTask();
        var creation = Background.Start(() =>
        {
            bench.Run();
            return true;
        });
        _blocks.Wait(Background.Limit, TestContext.Current.CancellationToken);
        Assert.Equal(1, bench.Now.Live);

        bench.Clock.Advance(Workbench.Seconds(1));

        Assert.Equal((0, 1), (bench.Now.Live, bench.Now.CreateFailures));
        await EndAsync(creation);
        Assert.False(request.IsCompleted);
        Assert.Equal(1, bench.Now.CreateFailures);
    }

    public void Dispose()
    {
        _release.Set();
        _release.Dispose();
        _blocks.Dispose();
    }

    private Workbench NewBench(int maxSize)
    {
        var bench = new Workbench(maxSize);
        bench.Options.CreateTimeout = Workbench.Seconds(1);
        bench.Options.DestroyTimeout = Workbench.Seconds(1);
        bench.Options.RetryDelay = bench.Options.MaxRetryDelay = TimeSpan.FromMinutes(10);
        bench.Options.Observer = new Blocker(Block);
        return bench;
    }

    private static Task<bool> AdvanceElsewhere(Workbench bench, TimeSpan time) => Background.Start(() =>
    {
        bench.Clock.Advance(time);
        return true;
    });

    private void Block()
    {
        _blocks.Set();
        Assert.True(_release.Wait(Background.Limit), "The test did not release the blocked call.");
    }

    private async Task EndAsync(Task<bool> blocked)
    {
        _release.Set();
        Assert.True(await blocked.WaitAsync(Background.Limit));
    }

    private sealed class Blocker(Action block) : ResourcePoolObserver
    {
        public override void OnCreateFailed(in ItemCreateFailedArgs failed) => block();

        public override void OnDestroyed(in ItemDestroyedArgs destroyed) => block();

        public override void OnLeakSuspected(in LeakSuspectedArgs suspected) => block();
    }
}
