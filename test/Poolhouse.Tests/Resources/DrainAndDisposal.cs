
namespace Poolhouse.Tests.Resources;

/// <summary>Warming up, draining and disposal.</summary>
public sealed class DrainAndDisposal
{
    [Fact]
    public async Task Draining_serves_waiters_and_rejects_new_callers()
    {
        var bench = new Workbench(2);
        var leases = bench.Rent(2);
        var waiting = bench.RequestAsync();
        var drained = bench.Pool.DrainAsync();
        bench.Run();

        await Assert.ThrowsAsync<ObjectDisposedException>(() => bench.RequestAsync());
        Assert.Throws<ObjectDisposedException>(() => bench.Pool.TryRent(out _));
        Assert.Throws<ObjectDisposedException>(() => bench.Pool.Resize(3));
        bench.Return(leases);
        Assert.True(waiting.IsCompletedSuccessfully);
        Assert.False(drained.IsCompleted);
        bench.Return(await waiting);

        await drained.WaitAsync(Background.Limit);
        Assert.Equal((0, 2L), (bench.Now.Live, bench.Now.DestroyedFor(DestroyReason.PoolDisposed)));
    }

    [Fact]
    public async Task Draining_while_suspended_ends_after_the_pool_resumes()
    {
        var bench = new Workbench(2);
        bench.Fill(2);
        bench.Return(bench.Rent(2));
        bench.Pool.Suspend();
        var waiting = bench.RequestAsync();
        var drained = bench.Pool.DrainAsync();
        bench.Run();
        bench.Pool.Resume();
        bench.Run();

        // The item is not returned, so its return cannot be what releases the other one.
        (await waiting).Detach();
        bench.Run();

        await drained.WaitAsync(Background.Limit);
    }

    [Fact]
    public async Task The_wait_for_a_drain_can_be_cancelled_and_disposal_ends_the_drain()
    {
        var bench = new Workbench();
        var lease = bench.Rent();
        var waiting = bench.RequestAsync();
        using var cancellation = new CancellationTokenSource();
        var drained = bench.Pool.DrainAsync(cancellation.Token);
        await cancellation.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => drained);

        bench.Pool.Dispose();
        bench.Run();

        await Assert.ThrowsAsync<ObjectDisposedException>(() => waiting);
        bench.Return(lease);
        await bench.Pool.DrainAsync().WaitAsync(Background.Limit);
    }

    [Fact]
    public async Task Leases_outlive_the_pool_and_their_items_are_destroyed_once()
    {
        var bench = new Workbench(3);
        var leases = bench.Rent(2);
        bench.Fill(1);
        bench.Pool.Dispose();
        bench.Pool.Dispose();
        bench.Run();
        await bench.Pool.DisposeAsync().AsTask().WaitAsync(Background.Limit);
        Assert.Equal(1, leases[0].Value.Number);
        Assert.Single(bench.Policy.Destroyed);

        bench.Return(leases);
        bench.Return(leases);

        Assert.Equal([3, 1, 2], bench.Policy.Destroyed.Select(gone => gone.Part.Number));
        Assert.Equal(0, bench.Now.Live);
        Assert.Equal(0, bench.Clock.ArmedTimers);
    }

    [Theory]
    [InlineData(false, true)]
    [InlineData(true, true)]
    [InlineData(false, false)]
    [InlineData(true, false)]
    public async Task A_creation_that_the_disposal_cancels_is_not_a_failure(bool drain, bool hasBegun)
    {
        var recorder = new Recorder();
        var bench = new Workbench(2);
        bench.Options.Observer = recorder;
        (bench.Options.MinIdle, bench.Policy.Creates) = (1, CreateNeverAsync);
        Assert.Equal(1, bench.Now.Creating);
        if (hasBegun)
        {
            bench.Run();
        }

        var drained = drain ? bench.Pool.DrainAsync() : Task.CompletedTask;

        bench.Pool.Dispose();
        bench.Run();

        await bench.Pool.DisposeAsync().AsTask().WaitAsync(Background.Limit);
        await drained.WaitAsync(Background.Limit);
        Assert.Equal((0, 0L, false), (bench.Now.Live, bench.Now.CreateFailures, bench.Now.InOutage));
        Assert.Empty(recorder.Of<ItemCreateFailedArgs>());
        bench.AssertBalanced();

        static async ValueTask<Part> CreateNeverAsync(CancellationToken token)
        {
            var cancelled = new TaskCompletionSource<Part>();
            await using var registration = token.Register(() => cancelled.TrySetCanceled(token));
            return await cancelled.Task;
        }
    }

    [Fact]
    public void A_policy_that_cancels_a_creation_of_an_open_pool_has_failed()
    {
        var bench = new Workbench();
        bench.Policy.Creates = static _ => throw new OperationCanceledException();
        _ = bench.RequestAsync();

        Assert.Equal((1L, true), (bench.Now.CreateFailures, bench.Now.InOutage));
    }

    [Fact]
    public async Task Asynchronous_disposal_waits_for_pending_work_up_to_its_deadline()
    {
        var bench = new Workbench(2);
        var resets = new Gate<bool>();
        var destructions = new Gate<bool>();
        bench.Policy.Resets = (_, token) => resets.WaitAsync(token);
        bench.Policy.Destroys = async (_, _) => await destructions.WaitAsync();
        bench.Return(bench.Rent());
        var disposal = bench.Pool.DisposeAsync().AsTask();
        bench.Run();
        Assert.False(disposal.IsCompleted);

        // The reset hangs until its deadline, and then the destruction.
        bench.Advance(5.1);
        Assert.Equal((1, false), (destructions.Waiting, disposal.IsCompleted));
        bench.Advance(5.1);

        await disposal.WaitAsync(Background.Limit);
        Assert.Equal(0, bench.Now.Live);
    }

    [Fact]
    public async Task Warming_up_completes_when_the_requested_number_is_alive()
    {
        var bench = new Workbench(5);
        var creations = new Gate<Part>();
        bench.Policy.Creates = creations.WaitAsync;
        bench.Options.MaxConcurrentCreates = 2;
        var warm = bench.Pool.WarmUpAsync(3);
        for (var i = 0; i < 3; i++)
        {
            bench.Run();
            Assert.InRange(creations.Waiting, 1, 2);
            Assert.False(warm.IsCompleted);
            creations.Release(bench.Policy.New());
        }

        bench.Run();
        await warm.WaitAsync(Background.Limit);
        Assert.Equal((3, 3), (creations.Calls, bench.Now.Idle));
        Assert.True(bench.Pool.WarmUpAsync(0).IsCompletedSuccessfully);
    }

    [Fact]
    public async Task Warming_up_fails_with_the_policys_own_exception()
    {
        var bench = new Workbench(5);
        var failure = new InvalidOperationException("down");
        bench.Policy.Creates = _ => throw failure;
        var warm = bench.Pool.WarmUpAsync(3);
        bench.Run();

        Assert.Same(failure, await Assert.ThrowsAsync<InvalidOperationException>(() => warm.WaitAsync(Background.Limit)));

        // No more items are needed.
        var failures = bench.Now.CreateFailures;
        bench.Advance(60);
        Assert.InRange(bench.Now.CreateFailures, failures, failures + 1);
        Assert.Throws<ArgumentOutOfRangeException>("count", () => { _ = bench.Pool.WarmUpAsync(6); });
        Assert.Throws<ArgumentOutOfRangeException>("count", () => { _ = bench.Pool.WarmUpAsync(-1); });
    }

    [Fact]
    public async Task Warming_up_ends_when_the_pool_is_disposed_at_the_same_moment()
    {
        var bench = new Workbench();
        var creations = new Gate<Part>();
        bench.Policy.Creates = creations.WaitAsync;
        var warm = bench.Pool.WarmUpAsync(1);
        bench.Run();
        bench.Pool.Dispose();

        // This caller checked before the pool was disposed, and starts to wait afterwards.
        var late = bench.Pool.Runtime.WarmUps.WaitAsync(1, CancellationToken.None);

        await Assert.ThrowsAsync<ObjectDisposedException>(() => warm.WaitAsync(Background.Limit));
        await Assert.ThrowsAsync<ObjectDisposedException>(() => late.WaitAsync(Background.Limit));
    }

    [Fact]
    public void A_warm_up_that_the_disposal_overtakes_leaves_no_unobserved_exception()
    {
        const string name = "overtaken";

        Assert.Equal(0, Unobserved.Count(
            static failure => failure is ObjectDisposedException { ObjectName: name },
            static () => Threads.RunAlone(static () =>
            {
                var bench = new Workbench();
                bench.Options.Name = name;
                _ = bench.Pool;
                bench.Work.LacksMemory = _ =>
                {
                    // Called when the warm-up queues its creation: it is listed, and has not checked whether the pool is open.
                    bench.Pool.Dispose();
                    return false;
                };
                var warm = bench.Pool.WarmUpAsync(1);
                Assert.IsType<ObjectDisposedException>(warm.Exception!.InnerException);
            })));
    }
}
