using Poolhouse.Workers;

#pragma warning disable CA2012 // Whether a task has ended at once is what is tested.

namespace Poolhouse.Tests.Workers.Queueing;

/// <summary>
/// I6, I7: a cancelled caller gets an answer at once and holds no queue slot; an item that has started continues.
/// </summary>
public sealed class Cancellation
{
    [Fact]
    public async Task A_token_cancelled_beforehand_queues_nothing()
    {
        using var bench = new WorkerBench();
        var cancelled = new CancellationToken(canceled: true);

        Assert.True(bench.RunAsync(static _ => { }, default, cancelled).IsCanceled);
        Assert.True(bench.Pool.PostAsync<object?>(static (_, _) => { }, null, default, cancelled).IsCanceled);
        Assert.Throws<OperationCanceledException>(() => bench.Pool.Run(static _ => { }, default, cancelled));
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => bench.Pool.BroadcastAsync(static _ => { }, cancelled));

        Assert.Equal((0, 0), (bench.Now.Waiting, bench.Now.Workers));
    }

    [Fact]
    public async Task A_cancelled_item_releases_its_queue_slot_at_once_although_every_worker_hangs()
    {
        using var bench = new WorkerBench();
        bench.Options.QueueCapacity = 1;
        bench.Block();
        using var cancelling = new CancellationTokenSource();
        var item = bench.RunAsync(static _ => Assert.Fail("It was cancelled."), default, cancelling.Token);
        Assert.False(bench.Pool.TryPost<object?>(static (_, _) => { }, null));

        await cancelling.CancelAsync();

        Assert.Equal((0, 1), (bench.Now.Waiting, bench.Now.Cancellations));
        Assert.True(bench.Pool.TryPost<object?>(static (_, _) => { }, null));
        var error = await Assert.ThrowsAnyAsync<OperationCanceledException>(() => item.WaitAsync(Background.Limit));
        Assert.Equal(cancelling.Token, error.CancellationToken);
    }

    [Fact]
    public async Task The_queue_slot_of_a_cancelled_item_goes_to_the_first_waiting_post()
    {
        using var bench = new WorkerBench();
        bench.Options.QueueCapacity = 1;
        var block = bench.Block();
        using var cancelling = new CancellationTokenSource();
        _ = bench.RunAsync(static _ => { }, default, cancelling.Token);
        var post = bench.Pool.PostAsync<object?>(static (_, _) => { }, null).AsTask();
        var last = bench.RunAsync(static _ => { });
        Assert.False(post.IsCompleted);

        await cancelling.CancelAsync();

        await post.WaitAsync(Background.Limit);
        Assert.Equal(2, bench.Now.Waiting);
        await block.ReleaseAsync();
        await last.WaitAsync(Background.Limit);
    }

    [Fact]
    public async Task A_post_that_waits_for_a_slot_can_be_cancelled()
    {
        using var bench = new WorkerBench();
        bench.Options.QueueCapacity = 1;
        var block = bench.Block();
        using var cancelling = new CancellationTokenSource();
        var queued = bench.Fill(1);
        var outside = bench.RunAsync(static _ => Assert.Fail("It was cancelled."), default, cancelling.Token);
        var post = bench.Pool.PostAsync<object?>(
            static (_, _) => Assert.Fail("It was cancelled."), null, default, cancelling.Token).AsTask();
        Assert.Equal(3, bench.Now.Waiting);

        await cancelling.CancelAsync();

        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => outside.WaitAsync(Background.Limit));
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => post.WaitAsync(Background.Limit));
        Assert.Equal((1, 2), (bench.Now.Waiting, bench.Now.Cancellations));
        await block.ReleaseAsync();
        await queued[0].WaitAsync(Background.Limit);
    }

    [Fact]
    public async Task A_post_that_got_a_slot_succeeds_although_its_token_is_cancelled()
    {
        using var bench = new WorkerBench();
        var block = bench.Block();
        using var cancelling = new CancellationTokenSource();
        var ran = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        await bench.Pool.PostAsync(static (_, ran) => ran.SetResult(), ran, default, cancelling.Token);

        await cancelling.CancelAsync();
        await block.ReleaseAsync();

        await ran.Task.WaitAsync(Background.Limit);
    }

    [Fact]
    public async Task An_item_that_has_started_is_not_cancelled()
    {
        using var bench = new WorkerBench();
        using var cancelling = new CancellationTokenSource();
        var block = bench.Queue(default, cancelling.Token);
        block.WaitUntilStarted();

        await cancelling.CancelAsync();
        Assert.False(block.Ended.IsCompleted);
        await block.ReleaseAsync();

        Assert.Equal((0, 0), (bench.Now.Cancellations, bench.Policy.Destroyed));
    }

    [Fact]
    public async Task A_blocking_caller_can_be_cancelled()
    {
        using var bench = new WorkerBench();
        bench.Block();
        using var cancelling = new CancellationTokenSource();
        var blocked = Background.Start(() => bench.Pool.Run(static _ => 1, default, cancelling.Token));
        Background.Until(() => bench.Now.Waiting == 1);

        await cancelling.CancelAsync();

        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => blocked.WaitAsync(Background.Limit));
    }

    [Fact]
    public async Task A_reused_item_is_not_cancelled_by_the_token_of_its_last_use()
    {
        using var bench = new WorkerBench();
        using var cancelling = new CancellationTokenSource();
        for (var i = 0; i < 100; i++)
        {
            await bench.RunAsync(static _ => { }, default, cancelling.Token).WaitAsync(Background.Limit);
        }

        var block = bench.Block();
        var items = bench.Fill(200);
        await cancelling.CancelAsync();
        await block.ReleaseAsync();

        await Task.WhenAll(items).WaitAsync(Background.Limit);
    }

    [Theory]
    [InlineData(QueueFullMode.Wait)]
    [InlineData(QueueFullMode.Reject)]
    [InlineData(QueueFullMode.DropNewest)]
    [InlineData(QueueFullMode.DropOldest)]
    [InlineData(QueueFullMode.CallerRuns)]
    public async Task A_cancellation_during_the_enqueue_ends_the_item_once(QueueFullMode mode)
    {
        using var bench = new WorkerBench();
        bench.Options.QueueCapacity = 1;
        bench.Options.QueueFull = mode;
        var ended = 0;

        for (var i = 0; i < 3_000; i++)
        {
            using var cancelling = new CancellationTokenSource();
            var item = Task.Run(async () =>
            {
                try
                {
                    await bench.RunAsync(static _ => { }, default, cancelling.Token);
                }
                catch (Exception end) when (end is OperationCanceledException or PoolOverloadedException)
                {
                }

                Interlocked.Increment(ref ended);
            });
            if (i % 3 == 0)
            {
                _ = bench.Pool.TryPost<object?>(static (_, _) => { }, null);
            }

            cancelling.Cancel();
            await item.WaitAsync(Background.Limit);
        }

        Assert.Equal(3_000, ended);
        Background.Until(() => bench.Now.Waiting == 0 && bench.Now.Leased == 0);
        bench.Block();
        Assert.True(bench.Pool.TryPost<object?>(static (_, _) => { }, null));
        Assert.False(bench.Pool.TryPost<object?>(static (_, _) => { }, null));
    }

    [Fact]
    public async Task A_token_that_is_cancelled_while_its_callback_is_registered_ends_the_item_once()
    {
        using var bench = new WorkerBench();
        bench.Options.QueueFull = QueueFullMode.Reject;
        bench.Options.QueueCapacity = 1;
        bench.Block();
        bench.Fill(1);
        for (var i = 0; i < 2_000; i++)
        {
            using var cancelling = new CancellationTokenSource();
            Task? item = null;
            Threads.Run(2, number =>
            {
                if (number == 0)
                {
                    cancelling.Cancel();
                }
                else
                {
                    item = bench.RunAsync(static _ => { }, default, cancelling.Token);
                }
            });
            await item!.WaitAsync(Background.Limit).ContinueWith(static _ => { }, TaskScheduler.Default);
        }

        Assert.Equal(1, bench.Now.Waiting);
    }
}
