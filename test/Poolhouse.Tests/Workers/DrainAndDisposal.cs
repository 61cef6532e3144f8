using Poolhouse.Workers;

namespace Poolhouse.Tests.Workers;

/// <summary>How a pool ends: drained, shut down, disposed.</summary>
public sealed class DrainAndDisposal
{
    [Fact]
    public async Task A_drained_pool_runs_queued_items_and_accepts_no_new_ones()
    {
        using var bench = new WorkerBench(2);
        bench.Options.QueueCapacity = 3;
        var blocks = new[] { bench.Block(), bench.Block(new WorkOptions { Key = "k" }) };
        var ran = 0;
        var items = Enumerable.Range(0, 20)
            .Select(number =>
                bench.RunAsync(_ => Interlocked.Increment(ref ran), number % 2 == 0 ? default : new WorkOptions { Key = "k" }))
            .ToList();

        var drain = bench.Pool.DrainAsync();
        AssertClosed(bench);
        Assert.False(drain.IsCompleted);
        Array.ForEach(blocks, static block => block.Release());

        await drain.WaitAsync(Background.Limit);
        await Task.WhenAll(items).WaitAsync(Background.Limit);
        Assert.Equal((20, 0), (ran, bench.Now.Workers));
        Assert.All(bench.Policy.Created, static tool => Assert.Equal((1, tool.CreatedOn), (tool.Destructions, tool.DestroyedOn)));
    }

    [Fact]
    public async Task Exceptions_of_cancellation_callbacks_do_not_reach_the_disposing_caller()
    {
        using var bench = new WorkerBench();
        var heardOn = new TaskCompletionSource<int>(TaskCreationOptions.RunContinuationsAsynchronously);
        bench.Policy.TokenReceived = token => token.Register(() =>
        {
            heardOn.SetResult(Environment.CurrentManagedThreadId);
            throw new InvalidTimeZoneException();
        });
        var block = bench.Block();
        var disposed = new Thread(() =>
        {
            bench.Pool.Dispose();
            bench.Pool.Dispose();
        });

        disposed.Start();
        disposed.Join();

        Assert.NotEqual(disposed.ManagedThreadId, await heardOn.Task.WaitAsync(Background.Limit));
        await block.ReleaseAsync();
    }

    [Fact]
    public async Task Draining_a_pool_without_threads_completes_at_once()
    {
        using var bench = new WorkerBench();

        Assert.True(bench.Pool.DrainAsync().IsCompletedSuccessfully);

        AssertClosed(bench);
        await bench.Pool.DrainAsync();
    }

    [Fact]
    public async Task Idle_workers_end_when_the_pool_is_drained()
    {
        using var bench = new WorkerBench(2);
        bench.Options.MinWorkers = 2;
        await bench.Pool.WarmUpAsync(2).WaitAsync(Background.Limit);
        bench.UntilParked(2);

        await bench.Pool.DrainAsync().WaitAsync(Background.Limit);

        Assert.All(bench.Policy.Created, static tool => Assert.Equal((1, tool.CreatedOn), (tool.Destructions, tool.DestroyedOn)));
    }

    [Fact]
    public async Task The_wait_for_a_drain_can_be_cancelled_and_disposal_ends_the_drain()
    {
        using var bench = new WorkerBench();
        var block = bench.Block();
        var queued = bench.Fill(1);
        using var cancelling = new CancellationTokenSource();
        var drain = bench.Pool.DrainAsync(cancelling.Token);
        var other = bench.Pool.DrainAsync();

        await cancelling.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => drain.WaitAsync(Background.Limit));
        bench.Pool.Dispose();

        await Assert.ThrowsAsync<ObjectDisposedException>(() => queued[0].WaitAsync(Background.Limit));
        Assert.False(other.IsCompleted);
        await block.ReleaseAsync();
        await other.WaitAsync(Background.Limit);
    }

    [Fact]
    public async Task A_shutdown_within_its_timeout_is_complete()
    {
        using var bench = new WorkerBench();
        var block = bench.Block();
        var items = bench.Fill(3);
        var shutdown = bench.Pool.ShutDownAsync(TimeSpan.FromSeconds(30));

        await block.ReleaseAsync();

        var report = await shutdown.WaitAsync(Background.Limit);
        Assert.True(report.IsComplete);
        await Task.WhenAll(items).WaitAsync(Background.Limit);
    }

    [Fact]
    public async Task A_shutdown_that_times_out_reports_dropped_and_running_items()
    {
        using var bench = new WorkerBench(2).Listen();
        var blocks =
            new[] { bench.Block(new WorkOptions { Label = "first" }), bench.Block(new WorkOptions { Label = "second" }) };
        var items = bench.Fill(3);
        var shutdown = bench.Pool.ShutDownAsync(TimeSpan.FromSeconds(30));

        bench.Clock.Advance(TimeSpan.FromSeconds(30));

        var report = await shutdown.WaitAsync(Background.Limit);
        Assert.Equal((false, 3), (report.IsComplete, report.Dropped));
        Assert.Equal(
            [("first", TimeSpan.FromSeconds(30)), ("second", TimeSpan.FromSeconds(30))],
            report.Abandoned.Select(static item => (item.Label, item.RanFor)).Order());
        foreach (var item in items)
        {
            await Assert.ThrowsAsync<ObjectDisposedException>(() => item.WaitAsync(Background.Limit));
        }

        Assert.Equal(
            3, bench.Events.Of<WorkDroppedArgs>().Count(static dropped => dropped.Reason == WorkDropReason.PoolClosed));
        await blocks[0].ReleaseAsync();
        await blocks[1].ReleaseAsync();
        Background.Until(() => bench.Policy.Destroyed == 2);
    }

    [Fact]
    public async Task A_shutdown_reports_the_items_that_a_disposal_has_dropped()
    {
        using var bench = new WorkerBench();
        var block = bench.Block();
        var items = bench.Fill(2);
        Assert.True(bench.Pool.TryPost(static (_, _) => { }, string.Empty));
        var shutdown = bench.Pool.ShutDownAsync(TimeSpan.FromMinutes(1));

        bench.Pool.Dispose();
        await block.ReleaseAsync();

        var report = await shutdown.WaitAsync(Background.Limit);
        Assert.Equal((3, false), (report.Dropped, report.IsComplete));
        Assert.Empty(report.Abandoned);
        foreach (var item in items)
        {
            await Assert.ThrowsAsync<ObjectDisposedException>(() => item.WaitAsync(Background.Limit));
        }

        Assert.Equal(0, (await bench.Pool.ShutDownAsync(TimeSpan.Zero).WaitAsync(Background.Limit)).Dropped);
    }

    [Fact]
    public async Task A_shutdown_timeout_out_of_range_is_rejected()
    {
        using var bench = new WorkerBench();

        await Assert.ThrowsAsync<ArgumentOutOfRangeException>(() => bench.Pool.ShutDownAsync(TimeSpan.FromSeconds(-2)));
        await Assert.ThrowsAsync<ArgumentOutOfRangeException>(() => bench.Pool.ShutDownAsync(TimeSpan.FromDays(50)));

        bench.Use();
        Assert.True((await bench.Pool.ShutDownAsync(Timeout.InfiniteTimeSpan).WaitAsync(Background.Limit)).IsComplete);
    }

    [Fact]
    public async Task Disposal_ends_queued_items_at_once_and_lets_running_ones_complete()
    {
        using var bench = new WorkerBench();
        bench.Options.QueueCapacity = 3;
        var block = bench.Block();
        var keyed = new WorkOptions { Key = "k" };
        Task[] items =
        [
            bench.RunAsync(static _ => { }, keyed), bench.RunAsync(static _ => { }, keyed), bench.RunAsync(static _ => { }),
            bench.RunAsync(static _ => { }), bench.Pool.PostAsync<object?>(static (_, _) => { }, null).AsTask(),
        ];

        bench.Pool.Dispose();

        Assert.Equal(0, bench.Now.Waiting);
        foreach (var item in items)
        {
            var error = await Assert.ThrowsAsync<ObjectDisposedException>(() => item.WaitAsync(Background.Limit));
            Assert.Equal("bench", error.ObjectName);
        }

        Assert.False(block.Ended.IsCompleted);
        Assert.Equal(0, bench.Policy.Destroyed);
        await block.ReleaseAsync();
        Background.Until(() => bench.Policy.Destroyed == 1 && bench.Now.Workers == 0);
    }

    [Fact]
    public async Task A_disposed_pool_accepts_nothing()
    {
        using var bench = new WorkerBench();
        bench.Use();

        bench.Pool.Dispose();
        bench.Pool.Dispose();
        await bench.Pool.DisposeAsync();
        await bench.Pool.DisposeAsync();

        AssertClosed(bench);
        await bench.Pool.DrainAsync().WaitAsync(Background.Limit);
        Assert.Equal(1, bench.Policy.Created[0].Destructions);
        Assert.Equal(0, bench.Pool.Trim());
        bench.Pool.Clear();
        Assert.Equal(1, bench.Now.Rented);
    }

    [Fact]
    public async Task An_asynchronous_disposal_waits_for_running_items()
    {
        using var bench = new WorkerBench();
        var block = bench.Block();

        var disposal = bench.Pool.DisposeAsync().AsTask();
        Assert.False(disposal.IsCompleted);
        await block.ReleaseAsync();

        await disposal.WaitAsync(Background.Limit);
        Assert.Equal(1, bench.Policy.Destroyed);
    }

    [Fact]
    public async Task An_asynchronous_disposal_waits_at_most_for_its_timeout()
    {
        using var bench = new WorkerBench();
        bench.Options.StopTimeout = TimeSpan.FromSeconds(7);
        bench.Block();
        var disposal = bench.Pool.DisposeAsync().AsTask();

        bench.Clock.Advance(TimeSpan.FromSeconds(7) - TimeSpan.FromMilliseconds(1));
        Assert.False(disposal.IsCompleted);
        bench.Clock.Advance(TimeSpan.FromMilliseconds(1));

        await disposal.WaitAsync(Background.Limit);
        Assert.Equal(0, bench.Policy.Destroyed);
    }

    [Fact]
    public async Task A_warm_up_fails_if_the_pool_is_closed_before_the_states_exist()
    {
        using var bench = new WorkerBench();
        var creation = new BlockingWork();
        bench.Policy.Creating = creation.Block;
        var item = bench.RunAsync(static _ => { });
        creation.WaitUntilStarted();
        var warmUp = bench.Pool.WarmUpAsync(1);

        bench.Pool.Dispose();
        creation.Release();

        await item.WaitAsync(Background.Limit);
        var error = await Assert.ThrowsAsync<ObjectDisposedException>(() => warmUp.WaitAsync(Background.Limit));
        Assert.Equal("bench", error.ObjectName);
    }

    [Fact]
    public async Task A_worker_may_dispose_its_own_pool()
    {
        using var bench = new WorkerBench();
        var queued = bench.GetAsync(_ =>
        {
            var next = bench.RunAsync(static _ => { });
            bench.Pool.Dispose();
            return next;
        });

        var next = await queued.WaitAsync(Background.Limit);

        await Assert.ThrowsAsync<ObjectDisposedException>(() => next.WaitAsync(Background.Limit));
        Background.Until(() => bench.Policy.Destroyed == 1);
        await bench.Pool.DrainAsync().WaitAsync(Background.Limit);
    }

    [Fact]
    public async Task An_asynchronous_disposal_in_an_asynchronous_item_does_not_wait_for_its_own_worker()
    {
        using var bench = new WorkerBench();
        bench.Options.StopTimeout = Timeout.InfiniteTimeSpan;

        await bench.Pool.RunAsync(async _ =>
        {
            await Task.Yield();
            await bench.Pool.DisposeAsync();
        }).AsTask().WaitAsync(Background.Limit);

        await bench.Pool.DisposeAsync().AsTask().WaitAsync(Background.Limit);
        Assert.Equal(1, bench.Policy.Destroyed);
        AssertClosed(bench);
    }

    [Fact]
    public void All_callers_concurrent_with_a_disposal_complete()
    {
        for (var round = 0; round < 50; round++)
        {
            using var bench = new WorkerBench(2);
            var (done, refused) = (0, 0);
            Assert.Equal(0, bench.Now.Workers);
            Threads.Run(4, number =>
            {
                if (number == 0)
                {
                    bench.Pool.Dispose();
                    return;
                }

                for (var i = 0; i < 20; i++)
                {
                    try
                    {
                        Assert.True(
                            bench.RunAsync(static _ => { }, i % 2 == 0 ? default : new WorkOptions { Key = "k" })
                                .Wait(Background.Limit));
                        Interlocked.Increment(ref done);
                    }
                    catch (Exception end)
                        when (end is ObjectDisposedException or AggregateException { InnerException: ObjectDisposedException })
                    {
                        Interlocked.Increment(ref refused);
                    }
                }
            });

            Assert.Equal(60, done + refused);
            Assert.Equal(0, bench.Now.Waiting);
            Background.Until(() => bench.Policy.Created.TrueForAll(static tool => tool.Destructions == 1));
        }
    }

    [Fact]
    public void All_callers_concurrent_with_a_drain_complete_and_the_drain_ends()
    {
        for (var round = 0; round < 50; round++)
        {
            using var bench = new WorkerBench();
            var (done, refused) = (0, 0);
            Assert.Equal(0, bench.Now.Workers);
            Threads.Run(4, number =>
            {
                if (number == 0)
                {
                    Assert.True(bench.Pool.DrainAsync().Wait(Background.Limit));
                    return;
                }

                for (var i = 0; i < 20; i++)
                {
                    try
                    {
                        Assert.True(bench.RunAsync(static _ => { }).Wait(Background.Limit));
                        Interlocked.Increment(ref done);
                    }
                    catch (Exception end)
                        when (end is ObjectDisposedException or AggregateException { InnerException: ObjectDisposedException })
                    {
                        Interlocked.Increment(ref refused);
                    }
                }
            });

            Assert.Equal(60, done + refused);
            Background.Until(() => bench.Policy.Created.TrueForAll(static tool => tool.Destructions == 1));
        }
    }

    private static void AssertClosed(WorkerBench bench)
    {
        Action[] calls =
        [
            () => _ = bench.RunAsync(static _ => { }),
            () => _ = bench.Pool.RunAsync(static (_, _) => { }, 1).AsTask(),
            () => _ = bench.GetAsync(static _ => 1),
            () => _ = bench.Pool.RunAsync(static (_, one) => one, 1).AsTask(),
            () => _ = bench.Pool.RunAsync(static _ => Task.CompletedTask).AsTask(),
            () => _ = bench.Pool.RunAsync(static _ => Task.FromResult(1)).AsTask(),
            () => bench.Pool.Run(static _ => { }),
            () => bench.Pool.Run(static _ => 1),
            () => bench.Pool.TryPost<object?>(static (_, _) => { }, null),
            () => bench.Pool.TryPost(static (_, _) => { }, 1),
            () => _ = bench.Pool.PostAsync<object?>(static (_, _) => { }, null).AsTask(),
            () => bench.Pool.BroadcastAsync(static _ => { }).GetAwaiter().GetResult(),
            () => bench.Pool.WarmUpAsync(1).GetAwaiter().GetResult(),
            () => bench.Pool.Resize(1),
        ];
        Assert.All(calls, static call => Assert.Throws<ObjectDisposedException>(call));
    }
}
