
namespace Poolhouse.Tests.Resources.Shared;

/// <summary>
/// A keep-alive of a shared item holds the item, has a deadline, and its failure counts whatever happens beside it (I8, I10).
/// </summary>
public sealed class SharedKeepAlives
{
    private readonly Gate<bool> _probes = new();

    [Fact]
    public async Task An_item_trimmed_during_its_keep_alive_is_destroyed_after_it()
    {
        using var bench = await NewBenchAsync();
        await SuspectAsync(bench);

        Assert.Equal(1, bench.Pool.Trim());
        Background.LetThreadPoolRun();
        Assert.Empty(bench.Policy.Destroyed);

        _probes.Fail(new InvalidOperationException("It does not answer."));
        Assert.Equal(DestroyReason.Trimmed, bench.Destroyed(1)[0].Reason);
        using var next = await bench.RentAsync();
        Assert.Equal(2, next.Value.Number);
    }

    [Fact]
    public async Task A_taint_during_a_keep_alive_causes_another_one()
    {
        using var bench = await NewBenchAsync();
        await SuspectAsync(bench);
        var lease = await bench.RentAsync();
        lease.Taint();
        lease.Dispose();
        Assert.Equal(1, _probes.Calls);

        _probes.Release(result: true);
        Background.Until(() => _probes.Calls == 2);
        _probes.Fail(new InvalidOperationException("It does not answer."));
        Assert.Equal(DestroyReason.KeepAliveFailed, bench.Destroyed(1)[0].Reason);
    }

    [Fact]
    public async Task A_keep_alive_that_blocks_is_abandoned_at_its_deadline()
    {
        using var release = new ManualResetEventSlim();
        using var bench = await NewBenchAsync();
        using var blocking = new ManualResetEventSlim();
        bench.Policy.KeepsAlive = (_, _) =>
        {
            blocking.Set();
            release.Wait(Background.Limit, CancellationToken.None);
            return default;
        };
        var lease = await bench.RentAsync();
        lease.Taint();
        lease.Dispose();
        Assert.True(blocking.Wait(Background.Limit));

        // Not far enough for the deadline of the destruction that follows.
        bench.AdvanceUntil(() => bench.Policy.Destroyed.Count == 1, bench.Options.Pool.ValidateTimeout / 2, steps: 3);
        Assert.Equal(DestroyReason.KeepAliveFailed, bench.Destroyed(1)[0].Reason);
        Assert.Equal(1, bench.Items.Abandoned);
        release.Set();
    }

    [Fact]
    public async Task A_keep_alive_is_abandoned_although_the_observer_blocks_on_an_abandoned_creation()
    {
        using var bench = new SharedBench(maxSize: 2, maxUses: 4);
        var creations = 0;
        bench.Policy.Creates = _ => Interlocked.Increment(ref creations) == 1
            ? new ValueTask<Part>(bench.Policy.New())
            : new ValueTask<Part>(new TaskCompletionSource<Part>().Task);
        bench.Policy.KeepsAlive = async (_, token) => await _probes.WaitAsync(token);
        bench.Options.Pool.CreateTimeout = bench.Options.Pool.ValidateTimeout = TimeSpan.FromSeconds(1);
        using var observer = new BlockingObserver();
        bench.Options.Pool.Observer = observer;

        // The creation begins first, so that it is also reported first.
        var leases = await bench.RentAsync(4);
        Background.Until(() => bench.Items.Creating == 1 && Volatile.Read(ref creations) == 2);
        leases[0].Taint();
        leases[0].Dispose();
        Background.Until(() => _probes.Waiting == 1);
        var check = Background.Start(() =>
        {
            bench.Clock.Advance(TimeSpan.FromSeconds(1));
            return true;
        });
        observer.AwaitBlocked();

        leases.ForEach(lease => lease.Dispose());
        Assert.Equal(DestroyReason.KeepAliveFailed, bench.Destroyed(1)[0].Reason);
        observer.Release();
        Assert.True(await check.WaitAsync(Background.Limit));
    }

    [Fact]
    public async Task A_disposal_waits_for_a_keep_alive()
    {
        var bench = await NewBenchAsync();
        await SuspectAsync(bench);

        var disposed = bench.Pool.DisposeAsync().AsTask();
        Background.LetThreadPoolRun();
        Assert.False(disposed.IsCompleted);

        _probes.Release(result: true);
        await disposed.WaitAsync(Background.Limit);
        Assert.Single(bench.Policy.Destroyed);
    }

    [Fact]
    public async Task DisposeAsync_after_Dispose_waits_for_an_item_held_by_a_keep_alive()
    {
        var bench = await NewBenchAsync();
        var destruction = new TaskCompletionSource();
        bench.Policy.Destroys = (_, _) => new ValueTask(destruction.Task);
        await SuspectAsync(bench);
        bench.Pool.Dispose();
        var disposed = bench.Pool.DisposeAsync().AsTask();
        _probes.Release(result: true);
        bench.Destroyed(1);
        Background.LetThreadPoolRun();
        Background.LetThreadPoolRun();
        Assert.False(disposed.IsCompleted, "The disposal has ended, and an item is alive.");

        destruction.SetResult();
        await disposed.WaitAsync(Background.Limit);
    }

    [Fact]
    public async Task A_keep_alive_that_hangs_does_not_keep_a_disposed_pool_from_destroying_the_other_items()
    {
        using var bench = new SharedBench(maxSize: 2, maxUses: 1);
        bench.Policy.KeepsAlive = async (_, token) => await _probes.WaitAsync(token);
        var leases = await bench.RentAsync(2);
        leases[0].Taint();
        leases[0].Dispose();
        Background.Until(() => _probes.Waiting == 1);
        leases[1].Dispose();
        bench.Pool.Dispose();
        Assert.Equal(2, bench.Destroyed(1)[0].Part.Number);

        bench.AdvanceUntil(() => bench.Policy.Destroyed.Count == 2, bench.Options.Pool.ValidateTimeout, steps: 3);
    }

    [Fact]
    public async Task Nothing_is_alive_after_a_disposal_although_an_item_was_about_to_be_added()
    {
        for (var run = 0; run < 300; run++)
        {
            var bench = new SharedBench(maxSize: 2, maxUses: 1);
            var request = bench.RequestAsync();
            await bench.Pool.DisposeAsync();
            if (await request.ContinueWith(static rent => rent.IsCompletedSuccessfully, TaskScheduler.Default))
            {
                continue;
            }

            Assert.Equal(bench.Policy.Created.Count, bench.Policy.Destroyed.Count);
        }
    }

    private async Task<SharedBench> NewBenchAsync()
    {
        var bench = new SharedBench(maxSize: 1, maxUses: 4);
        bench.Policy.KeepsAlive = async (_, token) => await _probes.WaitAsync(token);
        (await bench.RentAsync()).Dispose();
        return bench;
    }

    /// <summary>A use of the item ends tainted, and its keep-alive begins.</summary>
    private async Task SuspectAsync(SharedBench bench)
    {
        var lease = await bench.RentAsync();
        lease.Taint();
        await lease.DisposeAsync();
        Background.Until(() => _probes.Waiting == 1);
    }
}
