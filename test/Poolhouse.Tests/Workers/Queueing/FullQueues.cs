#pragma warning disable CA2012 // Whether a task has ended at once is what is tested.
using Poolhouse.Kernel.Time;
using Poolhouse.Workers;
using Poolhouse.Workers.Items;
using Poolhouse.Workers.Queueing;

namespace Poolhouse.Tests.Workers.Queueing;

/// <summary>Handling of items that find the queue full, in each mode and by each way to post.</summary>
public sealed class FullQueues
{
    public static TheoryData<QueueFullMode> Modes => new(Enum.GetValues<QueueFullMode>());

    [Theory]
    [MemberData(nameof(Modes))]
    public void TryPost_is_rejected_in_every_mode(QueueFullMode mode)
    {
        using var bench = Full(mode);

        Assert.False(bench.Pool.TryPost<object?>(static (_, _) => Assert.Fail("It was refused."), null));

        Assert.Equal((2, 0), (bench.Now.Waiting, bench.Now.Shed));
    }

    [Fact]
    public async Task Items_wait_for_a_slot_in_the_order_of_arrival()
    {
        using var bench = new WorkerBench();
        bench.Options.QueueCapacity = 2;
        var block = bench.Block();
        var order = new List<int>();

        var items = Enumerable.Range(0, 8).Select(number => bench.RunAsync(_ => order.Add(number))).ToList();
        Assert.Equal(8, bench.Now.Waiting);
        await block.ReleaseAsync();

        await Task.WhenAll(items).WaitAsync(Background.Limit);
        Assert.Equal(Enumerable.Range(0, 8), order);
    }

    [Fact]
    public async Task A_post_completes_when_it_gets_a_slot()
    {
        using var bench = Full(QueueFullMode.Wait, out var block);
        var ran = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);

        var post = bench.Pool.PostAsync(static (_, ran) => ran.SetResult(), ran).AsTask();
        Assert.False(post.IsCompleted);
        await block.ReleaseAsync();

        await post.WaitAsync(Background.Limit);
        await ran.Task.WaitAsync(Background.Limit);
    }

    [Fact]
    public async Task A_post_with_a_free_slot_completes_at_once()
    {
        using var bench = new WorkerBench();
        bench.Options.QueueCapacity = 1;
        bench.Block();

        Assert.True(bench.Pool.PostAsync<object?>(static (_, _) => { }, null).IsCompletedSuccessfully);
        var second = bench.Pool.PostAsync<object?>(static (_, _) => { }, null).AsTask();

        Assert.False(second.IsCompleted);
        bench.Pool.Dispose();
        await Assert.ThrowsAsync<ObjectDisposedException>(() => second.WaitAsync(Background.Limit));
    }

    [Fact]
    public async Task New_posts_never_overtake_those_that_wait_for_a_slot()
    {
        using var bench = Full(QueueFullMode.Wait, out var block);
        var order = new List<string>();
        using var cancelling = new CancellationTokenSource();
        var outside = bench.RunAsync(_ => order.Add("outside"));

        Assert.False(bench.Pool.TryPost(static (_, order) => order.Add("barging"), order));
        var last = bench.RunAsync(_ => order.Add("last"));
        await block.ReleaseAsync();

        await Task.WhenAll(outside, last).WaitAsync(Background.Limit);
        Assert.Equal(["outside", "last"], order);
    }

    [Fact]
    public void A_released_slot_goes_to_a_waiting_post()
    {
        var lane = new LaneQueue(weight: 1, capacity: 1);
        Assert.True(lane.TryAccept(Item()));
        var outside = Item();
        Assert.False(lane.AcceptOrWait(outside));

        // The steps of a worker: a slot is free now, and has not been given to a waiting post yet.
        Assert.NotNull(lane.Take());
        Assert.False(lane.TryAccept(Item()));
        Assert.True(lane.AdmitAsRoomAllows());

        Assert.Same(outside, lane.Take());

        PostItem<Tool, object?> Item()
        {
            var item = PostItem<Tool, object?>.Rent(Work, null);
            item.Prepare(Work, lane, default, new ItemLimits(0, PoolClock.Never, PoolClock.Never), context: null);
            return item;
        }

        static void Work(Tool tool, object? argument)
        {
        }
    }

    [Fact]
    public async Task A_full_queue_rejects_items()
    {
        using var bench = Full(QueueFullMode.Reject);

        var error = await Assert.ThrowsAsync<PoolOverloadedException>(() => bench.RunAsync(static _ => { }));
        Assert.Contains("QueueCapacity (2) of the lane is reached", error.Message, StringComparison.Ordinal);
        Assert.Equal("bench", error.PoolName);
        Assert.Throws<PoolOverloadedException>(() => bench.Use());
        await Assert.ThrowsAsync<PoolOverloadedException>(
            () => bench.Pool.PostAsync<object?>(static (_, _) => { }, null).AsTask());
        await Assert.ThrowsAsync<PoolOverloadedException>(() => bench.Pool.RunAsync(static _ => Task.CompletedTask).AsTask());
        await Assert.ThrowsAsync<PoolOverloadedException>(() => bench.RunAsync(static _ => { }, new WorkOptions { Key = "k" }));

        Assert.Equal((5, 2), (bench.Now.Shed, bench.Now.Waiting));
    }

    [Fact]
    public async Task With_CallerRuns_the_caller_runs_the_item_with_its_own_state()
    {
        using var bench = Full(QueueFullMode.CallerRuns);
        var here = Environment.CurrentManagedThreadId;

        var tool = bench.Use();
        var ran = bench.GetAsync(static tool => (Environment.CurrentManagedThreadId, tool));
        Assert.True(
            bench.Pool.PostAsync(
                static (tool, here) => Assert.Equal(here, Environment.CurrentManagedThreadId),
                (object)here).IsCompletedSuccessfully);

        Assert.Equal((here, here, 1), (tool.CreatedOn, tool.DestroyedOn, tool.Destructions));
        var (thread, second) = await ran.WaitAsync(Background.Limit);
        Assert.Equal((here, 1), (thread, second.Destructions));
        Assert.NotSame(tool, second);
        Assert.Equal((3, 0), (bench.Now.RunByCallers, bench.Now.Failed));
    }

    [Fact]
    public async Task An_item_run_by_its_caller_may_fail_like_any_other()
    {
        using var bench = Full(QueueFullMode.CallerRuns, out _, listen: true);
        bench.Policy.Destroying = static _ => throw new IOException("This exception is only counted.");

        Assert.NotNull(bench.Use());
        await Assert.ThrowsAsync<FormatException>(() => bench.RunAsync(static _ => throw new FormatException("mine")));
        await bench.Pool.PostAsync<object?>(static (_, _) => throw new FormatException("unobserved"), null);

        Assert.Equal((2, 3), (bench.Now.Failed, bench.Now.RunByCallers));
        Assert.Equal(["mine", "unobserved"], bench.Events.Of<WorkFailedArgs>().Select(static failed => failed.Failure.Message));
    }

    [Fact]
    public async Task Items_the_caller_cannot_run_wait_for_a_slot()
    {
        using var bench = Full(QueueFullMode.CallerRuns, out var block);
        var here = Environment.CurrentManagedThreadId;

        Task<int>[] items =
        [
            bench.GetAsync(static _ => Environment.CurrentManagedThreadId, new WorkOptions { Key = "k" }),
            bench.Pool.RunAsync(static _ => Task.FromResult(Environment.CurrentManagedThreadId)).AsTask(),
            Task.Factory.StartNew(
                static () => Environment.CurrentManagedThreadId, default, TaskCreationOptions.None, bench.Pool.Scheduler),
        ];
        Assert.Equal(5, bench.Now.Waiting);
        await block.ReleaseAsync();

        Assert.DoesNotContain(here, await Task.WhenAll(items).WaitAsync(Background.Limit));
        Assert.Equal(0, bench.Now.RunByCallers);
    }

    [Fact]
    public async Task With_DropOldest_the_oldest_item_is_dropped()
    {
        using var bench = new WorkerBench();
        bench.Options.QueueCapacity = 2;
        bench.Options.QueueFull = QueueFullMode.DropOldest;
        var block = bench.Block();
        var items = bench.Fill(2);

        var third = bench.RunAsync(static _ => { });
        await Assert.ThrowsAsync<PoolOverloadedException>(() => items[0].WaitAsync(Background.Limit));
        await bench.Pool.PostAsync<object?>(static (_, _) => { }, null);
        var error = await Assert.ThrowsAsync<PoolOverloadedException>(() => items[1].WaitAsync(Background.Limit));
        await block.ReleaseAsync();

        await third.WaitAsync(Background.Limit);
        Assert.Contains("dropped after", error.Message, StringComparison.Ordinal);
        Assert.Equal(2, bench.Now.Shed);
    }

    [Fact]
    public async Task Posts_are_dropped_in_order()
    {
        using var bench = new WorkerBench();
        bench.Options.QueueCapacity = 70;
        bench.Options.QueueFull = QueueFullMode.DropOldest;
        var block = bench.Block();
        var ran = new List<int>();
        for (var i = 0; i < 200; i++)
        {
            await bench.Pool.PostAsync(static (_, post) => post.Ran.Add(post.Number), new Post(ran, i));
        }

        await block.ReleaseAsync();
        await bench.Pool.DrainAsync().WaitAsync(Background.Limit);

        Assert.Equal(Enumerable.Range(130, 70), ran);
        Assert.Equal(130, bench.Now.Shed);
    }

    [Fact]
    public async Task With_DropOldest_a_new_item_drops_no_others_for_a_slot_that_it_would_not_get()
    {
        using var bench = new WorkerBench();
        bench.Options.QueueCapacity = 4;
        bench.Options.QueueFull = QueueFullMode.DropOldest;
        var block = bench.Block();
        var items = bench.Fill(4);
        var tasks = Enumerable.Range(0, 4).Select(number =>
            Task.Factory.StartNew(() => number, default, TaskCreationOptions.None, bench.Pool.Scheduler)).ToList();

        await Assert.ThrowsAsync<PoolOverloadedException>(() => bench.RunAsync(static _ => { }).WaitAsync(Background.Limit));

        Assert.Equal((1, 8), (bench.Now.Shed, bench.Now.Waiting));
        await block.ReleaseAsync();
        await Task.WhenAll(items).WaitAsync(Background.Limit);
        Assert.Equal(Enumerable.Range(0, 4), await Task.WhenAll(tasks).WaitAsync(Background.Limit));
    }

    [Fact]
    public async Task Items_blocked_by_their_key_are_not_dropped()
    {
        using var bench = new WorkerBench();
        bench.Options.QueueCapacity = 2;
        bench.Options.QueueFull = QueueFullMode.DropOldest;
        var options = new WorkOptions { Key = "k" };
        var block = bench.Block(options);
        var behind = bench.Fill(2, options);

        await Assert.ThrowsAsync<PoolOverloadedException>(() => bench.RunAsync(static _ => { }).WaitAsync(Background.Limit));
        await block.ReleaseAsync();

        await Task.WhenAll(behind).WaitAsync(Background.Limit);
    }

    [Fact]
    public async Task With_DropNewest_the_newest_item_is_dropped()
    {
        using var bench = Full(QueueFullMode.DropNewest, out var block, listen: true);

        await Assert.ThrowsAsync<PoolOverloadedException>(
            () => bench.RunAsync(static _ => { }, new WorkOptions { Label = "run" }).WaitAsync(Background.Limit));
        await bench.Pool.PostAsync<object?>(
            static (_, _) => Assert.Fail("It was dropped."), null, new WorkOptions { Label = "post" });

        Assert.Equal((2, 2), (bench.Now.Shed, bench.Now.Waiting));
        Assert.Equal(
            [("run", WorkDropReason.QueueFull), ("post", WorkDropReason.QueueFull)],
            bench.Events.Of<WorkDroppedArgs>().Select(static dropped => (dropped.Label, dropped.Reason)));
        await block.ReleaseAsync();
    }

    [Theory]
    [MemberData(nameof(Modes))]
    public async Task Tasks_of_the_scheduler_are_never_rejected_or_dropped(QueueFullMode mode)
    {
        using var bench = new WorkerBench();
        bench.Options.QueueCapacity = 2;
        bench.Options.QueueFull = mode;
        var block = bench.Block();

        var tasks = Enumerable.Range(0, 6).Select(number =>
            Task.Factory.StartNew(() => number, default, TaskCreationOptions.None, bench.Pool.Scheduler)).ToList();
        var item = bench.RunAsync(static _ => { });
        await block.ReleaseAsync();

        Assert.Equal(Enumerable.Range(0, 6), await Task.WhenAll(tasks).WaitAsync(Background.Limit));
        var failure = await Record.ExceptionAsync(() => item.WaitAsync(Background.Limit));
        Assert.Equal(mode is QueueFullMode.Wait or QueueFullMode.CallerRuns, failure is null);
        Assert.True(failure is null or PoolOverloadedException, $"{failure}");
    }

    [Fact]
    public void The_bound_is_strict_for_every_way_to_post()
    {
        using var bench = new WorkerBench();
        bench.Options.QueueCapacity = 100;
        bench.Block();
        var accepted = 0;

        Threads.Run(4, _ =>
        {
            for (var i = 0; i < 60; i++)
            {
                if (bench.Pool.TryPost<object?>(static (_, _) => { }, null, i % 2 == 0 ? default : new WorkOptions { Key = i }))
                {
                    Interlocked.Increment(ref accepted);
                }
            }
        });

        Assert.Equal((100, 100), (accepted, bench.Now.Waiting));
    }

    [Fact]
    public async Task Each_lane_has_its_own_bound()
    {
        using var bench = new WorkerBench();
        bench.Options.QueueCapacity = 3;
        bench.Options.Lanes.Add(new WorkLane());
        bench.Options.Lanes.Add(new WorkLane(Capacity: 1));
        var block = bench.Block();

        var accepted = Enumerable.Range(0, 2)
            .Select(
                lane => Enumerable.Range(0, 10)
                    .Count(_ => bench.Pool.TryPost<object?>(static (_, _) => { }, null, new WorkOptions { Lane = lane })));

        Assert.Equal([3, 1], accepted);
        await block.ReleaseAsync();
    }

    [Fact]
    public void The_oldest_item_is_found_without_scanning_dropped_items()
    {
        const int Capacity = 1_000;
        var lane = new LaneQueue(weight: 1, Capacity);
        var posts = new List<WorkItem>();
        for (var number = 0; number < 20 * Capacity; number++)
        {
            var post = PostItem<Tool, object?>.Rent(Work, null);
            post.Prepare(Work, lane, default, new ItemLimits(0, PoolClock.Never, PoolClock.Never), context: null);
            posts.Add(post);
            if (!lane.TryAccept(post))
            {
                Assert.True(lane.TryTakeOldest(out var oldest));
                Assert.Same(posts[number - Capacity], oldest);
                Assert.True(lane.TryAccept(post));
            }

            Assert.InRange(lane.EntriesHeld, 1, Capacity);
        }

        static void Work(Tool tool, object? argument)
        {
        }
    }

    private static WorkerBench Full(QueueFullMode mode) => Full(mode, out _);

    /// <summary>One blocked worker and a full queue of two.</summary>
    private static WorkerBench Full(QueueFullMode mode, out BlockingWork block, bool listen = false)
    {
        var bench = new WorkerBench();
        bench.Options.QueueCapacity = 2;
        bench.Options.QueueFull = mode;
        if (listen)
        {
            bench.Listen();
        }

        block = bench.Block();
        bench.Fill(2);
        return bench;
    }

    private sealed record Post(List<int> Ran, int Number);
}
