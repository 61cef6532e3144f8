using System.Collections.Concurrent;
using Poolhouse.Workers;

namespace Poolhouse.Tests.Workers.Queueing;

/// <summary>I7: an item that waits or runs for too long times out on time, although every worker hangs.</summary>
public sealed class Timeouts
{
    private static readonly TimeSpan _limit = TimeSpan.FromSeconds(5);

    [Fact]
    public async Task A_queue_timeout_is_reported_on_time_although_every_worker_hangs()
    {
        using var bench = new WorkerBench();
        bench.Options.QueueTimeout = _limit;
        var block = bench.Block();
        var item = bench.RunAsync(static _ => Assert.Fail("It is out of time."));

        bench.Clock.Advance(_limit - TimeSpan.FromTicks(1));
        Assert.Equal(1, bench.Now.Waiting);
        bench.Clock.Advance(TimeSpan.FromTicks(10_000));

        Assert.Equal((0, 1), (bench.Now.Waiting, bench.Now.Timeouts));
        var error = await Assert.ThrowsAsync<WorkTimeoutException>(() => item.WaitAsync(Background.Limit));
        Assert.Equal(("bench", WorkPhase.Queue), (error.PoolName, error.Phase));
        Assert.InRange(error.Elapsed, _limit, _limit + TimeSpan.FromMilliseconds(1));
        await block.ReleaseAsync();
    }

    [Fact]
    public async Task An_item_may_have_its_own_timeout_or_none()
    {
        using var bench = new WorkerBench();
        bench.Options.QueueTimeout = _limit;
        var block = bench.Block();
        var hasty = bench.RunAsync(static _ => { }, new WorkOptions { QueueTimeout = TimeSpan.FromSeconds(1) });
        var usual = bench.RunAsync(static _ => { });
        var patient = bench.RunAsync(static _ => { }, new WorkOptions { QueueTimeout = Timeout.InfiniteTimeSpan });

        bench.Clock.Advance(TimeSpan.FromSeconds(1));
        await Assert.ThrowsAsync<WorkTimeoutException>(() => hasty.WaitAsync(Background.Limit));
        Assert.False(usual.IsCompleted);
        bench.Clock.Advance(TimeSpan.FromDays(1));
        await Assert.ThrowsAsync<WorkTimeoutException>(() => usual.WaitAsync(Background.Limit));

        await block.ReleaseAsync();
        await patient.WaitAsync(Background.Limit);
    }

    [Fact]
    public async Task A_post_that_waits_for_a_slot_times_out_on_time()
    {
        using var bench = new WorkerBench();
        bench.Options.QueueCapacity = 1;
        bench.Block();
        bench.Fill(1);
        var options = new WorkOptions { QueueTimeout = _limit };
        var item = bench.RunAsync(static _ => { }, options);
        var post = bench.Pool.PostAsync<object?>(static (_, _) => { }, null, options).AsTask();

        bench.Clock.Advance(_limit);

        await Assert.ThrowsAsync<WorkTimeoutException>(() => item.WaitAsync(Background.Limit));
        await Assert.ThrowsAsync<WorkTimeoutException>(() => post.WaitAsync(Background.Limit));
        Assert.Equal(1, bench.Now.Waiting);
    }

    [Fact]
    public async Task An_item_that_has_started_does_not_hit_its_queue_timeout()
    {
        using var bench = new WorkerBench();
        var block = bench.Block(new WorkOptions { QueueTimeout = _limit });

        bench.Clock.Advance(TimeSpan.FromHours(1));
        await block.ReleaseAsync();

        Assert.Equal(0, bench.Now.Timeouts);
    }

    [Fact]
    public async Task The_deadline_of_an_earlier_use_does_not_end_the_next_one()
    {
        using var bench = new WorkerBench();
        for (var i = 0; i < 100; i++)
        {
            await bench.RunAsync(static _ => { }, new WorkOptions { QueueTimeout = _limit }).WaitAsync(Background.Limit);
        }

        var block = bench.Block();
        var items = bench.Fill(200);
        bench.Clock.Advance(_limit);
        await block.ReleaseAsync();

        await Task.WhenAll(items).WaitAsync(Background.Limit);
        Assert.Equal(0, bench.Now.Timeouts);
    }

    [Fact]
    public async Task An_item_that_exceeds_its_run_timeout_is_abandoned_and_its_worker_replaced()
    {
        using var bench = new WorkerBench().Listen();
        bench.Options.RunTimeout = _limit;
        var block = bench.Block(new WorkOptions { Label = "hanging" });
        var next = bench.GetAsync(static tool => tool);

        bench.Clock.Advance(_limit);

        var error = await Assert.ThrowsAsync<WorkTimeoutException>(() => block.Ended.WaitAsync(Background.Limit));
        Assert.Equal((WorkPhase.Run, _limit), (error.Phase, error.Elapsed));
        Assert.Equal(1, (await next.WaitAsync(Background.Limit)).Number);
        Assert.Equal((1, 1, 1), (bench.Now.Workers, bench.Now.AbandonedWorkers, bench.Now.Abandoned));
        var abandoned = Assert.Single(bench.Events.Of<WorkAbandonedArgs>());
        Assert.Equal(("hanging", _limit), (abandoned.Label, abandoned.RanFor));
        var first = bench.Policy.Created[0];
        Assert.Equal(0, first.Destructions);

        block.Release();
        Background.Until(() => bench.Now.AbandonedWorkers == 0);

        Assert.Equal((1, first.CreatedOn, WorkerDestroyReason.Tainted), (first.Destructions, first.DestroyedOn, first.Reason));
        Assert.Equal((2, 2, 1), (bench.Now.Rented, bench.Now.Returned, bench.Now.Workers));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task An_item_whose_state_is_checked_for_too_long_is_abandoned(bool fails)
    {
        using var bench = new WorkerBench().Listen();
        bench.Options.RunTimeout = _limit;
        bench.Options.StuckThreshold = _limit / 2;
        var check = new BlockingWork();
        bench.Policy.Breaks = tool => !fails && Hang(tool.Number);
        bench.Policy.Survivors = (tool, _) => !Hang(tool.Number);
        var item = bench.RunAsync(fails ? static _ => throw new IOException() : static _ => { });
        check.WaitUntilStarted();
        bench.Clock.Advance(_limit / 2);
        bench.Clock.Advance(_limit / 2);

        var error = await Assert.ThrowsAsync<WorkTimeoutException>(() => item.WaitAsync(Background.Limit));
        Assert.Equal((WorkPhase.Run, _limit), (error.Phase, error.Elapsed));
        Assert.Single(bench.Events.Of<WorkStuckArgs>());
        Assert.Equal(1, bench.Use().Number);
        check.Release();
        Background.Until(() => bench.Now.AbandonedWorkers == 0);
        Assert.Equal(WorkerDestroyReason.Tainted, bench.Policy.Created[0].Reason);

        bool Hang(int tool)
        {
            if (tool == 0)
            {
                check.Block();
            }

            return false;
        }
    }

    [Fact]
    public async Task The_state_of_an_abandoned_item_is_not_checked()
    {
        using var bench = new WorkerBench();
        bench.Options.RunTimeout = _limit;
        var checks = 0;
        bench.Policy.Breaks = _ => ++checks > 0;
        var block = bench.Block();
        bench.Clock.Advance(_limit);
        await Assert.ThrowsAsync<WorkTimeoutException>(() => block.Ended.WaitAsync(Background.Limit));
        block.Release();
        Background.Until(() => bench.Now.AbandonedWorkers == 0);

        Assert.Equal((0, WorkerDestroyReason.Tainted), (checks, bench.Policy.Created[0].Reason));
    }

    [Fact]
    public async Task Workers_beyond_MaxAbandonedWorkers_keep_their_capacity_and_are_reused()
    {
        using var bench = new WorkerBench(2);
        bench.Options.MaxAbandonedWorkers = 1;
        var options = new WorkOptions { RunTimeout = _limit };
        var blocks = new[] { bench.Block(options), bench.Block(options) };

        bench.Clock.Advance(_limit);
        foreach (var block in blocks)
        {
            await Assert.ThrowsAsync<WorkTimeoutException>(() => block.Ended.WaitAsync(Background.Limit));
        }

        Assert.Equal((2, 1, 1), (bench.Now.Abandoned, bench.Now.AbandonedWorkers, bench.Now.Workers));
        var more = bench.Block();
        Assert.Equal(2, bench.Now.Workers);
        var last = bench.GetAsync(static tool => tool);
        Assert.Equal(1, bench.Now.Waiting);
        blocks[1].Release();

        await last.WaitAsync(Background.Limit);
        blocks[0].Release();
        Background.Until(() => bench.Now.AbandonedWorkers == 0);
        Assert.Equal(2, bench.Now.Workers);
        Assert.Equal(2, bench.Policy.Created.Count(static tool => tool.Reason == WorkerDestroyReason.Tainted));
        await more.ReleaseAsync();
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_hung_worker_is_replaced_as_soon_as_MaxAbandonedWorkers_allows_it(bool isReconfigured)
    {
        using var bench = new WorkerBench();
        bench.Options.MaxAbandonedWorkers = 1;
        var options = new WorkOptions { RunTimeout = _limit };
        var first = bench.Block(options);
        bench.Clock.Advance(_limit);
        await Assert.ThrowsAsync<WorkTimeoutException>(() => first.Ended.WaitAsync(Background.Limit));
        var second = bench.Block(options);
        bench.Clock.Advance(_limit);
        await Assert.ThrowsAsync<WorkTimeoutException>(() => second.Ended.WaitAsync(Background.Limit));
        var next = bench.RunAsync(static _ => { });
        Assert.Equal((1, 1, 1), (bench.Now.Workers, bench.Now.AbandonedWorkers, bench.Now.Waiting));

        if (isReconfigured)
        {
            bench.Options.MaxAbandonedWorkers = 2;
            bench.Pool.Reconfigure(bench.Options);
        }
        else
        {
            first.Release();
        }

        Background.AdvanceUntil(bench.Clock, () => next.IsCompleted, TimeSpan.Zero, steps: 0);
        Assert.Equal((1, isReconfigured ? 2 : 1), (bench.Now.Workers, bench.Now.AbandonedWorkers));
    }

    [Fact]
    public async Task With_MaxAbandonedWorkers_of_zero_no_worker_is_replaced()
    {
        using var bench = new WorkerBench();
        bench.Options.MaxAbandonedWorkers = 0;
        var block = bench.Block(new WorkOptions { RunTimeout = _limit });
        var next = bench.RunAsync(static _ => { });

        bench.Clock.Advance(_limit);

        await Assert.ThrowsAsync<WorkTimeoutException>(() => block.Ended.WaitAsync(Background.Limit));
        Assert.Equal((1, 0, 1), (bench.Now.Workers, bench.Now.AbandonedWorkers, bench.Now.Waiting));
        block.Release();
        await next.WaitAsync(Background.Limit);
        Assert.Equal(2, bench.Policy.Created.Count);
    }

    [Fact]
    public async Task A_post_abandoned_before_its_state_was_created_runs_only_itself()
    {
        using var bench = new WorkerBench();
        using var entered = new ManualResetEventSlim();
        using var opened = new ManualResetEventSlim();
        bench.Policy.Creating = () =>
        {
            bench.Policy.Creating = null;
            entered.Set();
            opened.Wait(Background.Limit);
        };
        var calls = new int[300];
        await bench.Pool.PostAsync(
            static (_, calls) => Interlocked.Increment(ref calls[0]), calls, new WorkOptions { RunTimeout = _limit });
        Assert.True(entered.Wait(Background.Limit));

        bench.Clock.Advance(_limit);
        var block = bench.Block();
        for (var i = 1; i < calls.Length; i++)
        {
            var number = i;
            await bench.Pool.PostAsync(
                (_, calls) => Interlocked.Increment(ref calls[number]), calls, new WorkOptions { Label = "next" });
        }

        opened.Set();
        Background.Until(() => bench.Now.AbandonedWorkers == 0);
        await block.ReleaseAsync();
        bench.Use();

        Assert.All(calls.Skip(1), static count => Assert.Equal(1, count));
        Assert.InRange(calls[0], 0, 1);
    }

    [Fact]
    public async Task A_post_abandoned_just_before_its_first_instruction_still_runs_only_itself()
    {
        using var bench = new WorkerBench();
        bench.Options.FlowExecutionContext = true;
        bench.Use();
        var time = new AsyncLocal<Action?>(static change => change.CurrentValue?.Invoke());
        var worker = 0;
        var ran = new TaskCompletionSource<string>(TaskCreationOptions.RunContinuationsAsynchronously);

        // Called when the worker enters the caller's context, after the watch of the run time has begun.
        time.Value = () =>
        {
            if (bench.Pool.IsWorkerThread && Interlocked.Increment(ref worker) == 1)
            {
                bench.Clock.Advance(_limit);
            }
        };
        await bench.Pool.PostAsync(static (_, ran) => ran.SetResult("its own"), ran, new WorkOptions { RunTimeout = _limit });

        Assert.Equal("its own", await ran.Task.WaitAsync(Background.Limit));
        Assert.Equal(1, bench.Now.Abandoned);
    }

    [Fact]
    public async Task No_item_takes_over_the_turn_of_an_item_that_timed_out_in_the_queue()
    {
        using var bench = new WorkerBench();
        var block = bench.Block();
        var order = new ConcurrentQueue<string>();

        // One thread, so that its next item would be the object of the item that timed out, if that were reused at once.
        var caller = Background.Start(() =>
        {
            Assert.Throws<WorkTimeoutException>(
                () => bench.Pool.Run(_ => order.Enqueue("late"), new WorkOptions { QueueTimeout = _limit }));
            return bench.RunAsync(_ => order.Enqueue("last"));
        });
        Background.Until(() => bench.Now.Waiting == 1);
        var first = bench.RunAsync(_ => order.Enqueue("first"));
        Background.AdvanceUntil(bench.Clock, () => caller.IsCompleted, _limit, steps: 10);
        var last = await caller;
        block.Release();

        await Task.WhenAll(first, last).WaitAsync(Background.Limit);
        Assert.Equal(["first", "last"], order);
    }

    [Fact]
    public async Task An_asynchronous_item_that_exceeds_its_run_timeout_is_abandoned()
    {
        using var bench = new WorkerBench();
        var ended = new TaskCompletionSource();
        var begun = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var item = bench.Pool.RunAsync(
            async _ =>
            {
                begun.SetResult();
                await ended.Task;
            },
            new WorkOptions { RunTimeout = _limit }).AsTask();
        await begun.Task.WaitAsync(Background.Limit);

        bench.Clock.Advance(_limit);

        await Assert.ThrowsAsync<WorkTimeoutException>(() => item.WaitAsync(Background.Limit));
        Assert.Equal(1, bench.Use().Number);
        ended.SetResult();
        Background.Until(() => bench.Policy.Created[0].Destructions == 1 && bench.Now.AbandonedWorkers == 0);
    }

    [Fact]
    public async Task A_pool_whose_last_item_was_abandoned_completes_its_drain()
    {
        using var bench = new WorkerBench();
        var block = bench.Block(new WorkOptions { RunTimeout = _limit });
        var drain = bench.Pool.DrainAsync();

        bench.Clock.Advance(_limit);

        await drain.WaitAsync(Background.Limit);
        await Assert.ThrowsAsync<WorkTimeoutException>(() => block.Ended.WaitAsync(Background.Limit));
        block.Release();
        Background.Until(() => bench.Policy.Created[0].Destructions == 1);
    }

    [Theory]
    [InlineData(-2, 1)]
    [InlineData(1, 0)]
    public void Timeouts_out_of_range_are_rejected(int queueSeconds, int runSeconds)
    {
        using var bench = new WorkerBench();
        var options =
            new WorkOptions { QueueTimeout = TimeSpan.FromSeconds(queueSeconds), RunTimeout = TimeSpan.FromSeconds(runSeconds) };

        var error = Assert.Throws<ArgumentException>(() => { _ = bench.RunAsync(static _ => { }, options); });

        Assert.Contains(
            queueSeconds < 0 ? "WorkOptions.QueueTimeout is -00:00:02" : "WorkOptions.RunTimeout is 00:00:00", error.Message,
            StringComparison.Ordinal);
        Assert.Equal(0, bench.Now.Waiting);
    }

    [Fact]
    public void The_largest_timeout_is_rejected_as_too_long()
    {
        using var bench = new WorkerBench();

        var error = Assert.Throws<ArgumentException>(
            () => { _ = bench.RunAsync(static _ => { }, new WorkOptions { QueueTimeout = TimeSpan.MaxValue }); });

        Assert.Contains("WorkOptions.QueueTimeout is 10675199.", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Timeouts_of_an_item_are_exact()
    {
        var options = new WorkOptions { QueueTimeout = TimeSpan.Zero, RunTimeout = Timeout.InfiniteTimeSpan };

        Assert.Equal((TimeSpan.Zero, Timeout.InfiniteTimeSpan), (options.QueueTimeout, options.RunTimeout));
        Assert.Equal((null, null), (default(WorkOptions).QueueTimeout, default(WorkOptions).RunTimeout));
    }
}
