using System.Runtime.CompilerServices;
using Poolhouse.Testing;
using Poolhouse.Workers;

namespace Poolhouse.Tests.Workers;

/// <summary>I26: what a worker pool keeps alive, and what keeps a worker pool alive.</summary>
[Collection(nameof(Alone))]
public sealed class Rooting
{
    [Fact]
    public void A_completed_item_keeps_no_object_of_its_caller_alive()
    {
        using var bench = new WorkerBench();
        var kept = RunOne(bench);

        UntilGarbage(kept);
    }

    [Fact]
    public void The_callers_async_locals_are_not_kept_alive()
    {
        using var bench = new WorkerBench();
        bench.Options.FlowExecutionContext = true;
        var kept = RunUnderAsyncLocal(bench);

        UntilGarbage(kept);
    }

    [Fact]
    public void A_destroyed_state_is_collected_although_its_thread_lives()
    {
        using var pool =
            WorkerPool.Create(static () => new object(), new WorkerPoolOptions
            {
                MaxWorkers = 1,
                MaxItemsPerState = 1,
                IdleTimeout = Timeout.InfiniteTimeSpan,
            });
        var state = StateOf(pool);

        UntilGarbage([state]);
        Assert.Equal(1, pool.GetStatistics().Workers);
    }

    [Fact]
    public void A_dropped_pool_is_collected_after_its_threads_have_ended()
    {
        var clock = new Poolhouse.Testing.ManualTimeProvider();
        var pool = UseAndDrop(clock);

        Background.Until(() =>
        {
            clock.Advance(TimeSpan.FromMinutes(1));
            GC.Collect();
            GC.WaitForPendingFinalizers();
            return !pool.IsAlive && clock.ArmedTimers == 0;
        });
    }

    [Theory]
    [InlineData(int.MaxValue)]
    [InlineData(3)]
    public async Task A_caller_is_answered_although_no_thread_can_be_started_and_nothing_else_refers_to_the_pool(int startsFrom)
    {
        var clock = new Poolhouse.Testing.ManualTimeProvider();
        var answer = RequestAndForget(clock, startsFrom);

        // As far as needed: the third start takes place after two seconds, the timeout after thirty.
        var seconds = startsFrom == int.MaxValue ? 30 : 2;
        Background.Until(() =>
        {
            GC.Collect();
            GC.WaitForPendingFinalizers();
            if (seconds-- > 0)
            {
                clock.Advance(TimeSpan.FromSeconds(1));
            }

            return answer.IsCompleted;
        });
        Assert.Equal(startsFrom == int.MaxValue ? "timeout" : "done", await answer);
    }

    [Fact]
    public async Task Memory_is_bounded_while_workers_hang_and_callers_keep_cancelling()
    {
        using var bench = new WorkerBench();
        bench.Block();
        long before = 0;
        for (var i = 0; i < 12_000; i++)
        {
            using var cancelling = new CancellationTokenSource();
            var item = bench.Pool.RunAsync(
                static (_, _) => 0, new byte[1_000], new WorkOptions { QueueTimeout = TimeSpan.FromHours(1) }, cancelling.Token);
            cancelling.Cancel();
            await Assert.ThrowsAnyAsync<OperationCanceledException>(() => item.AsTask());
            if (i == 2_000)
            {
                before = GC.GetTotalMemory(forceFullCollection: true);
            }
        }

        // What 10,000 items keep would be 10 MB and more; what they may keep is what 100 do.
        Assert.InRange(GC.GetTotalMemory(forceFullCollection: true) - before, long.MinValue, 2_000_000);
        Assert.Equal(0, bench.Now.Waiting);
    }

    [Fact]
    public void A_cancelled_item_keeps_no_object_of_its_caller_alive_although_every_worker_hangs()
    {
        using var bench = new WorkerBench();
        bench.Block();
        var (argument, key) = CancelOne(bench);

        UntilGarbage([argument, key]);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void An_item_cancelled_while_it_ran_keeps_no_object_of_its_caller_alive_until_its_queue_timeout(bool fails)
    {
        using var bench = new WorkerBench();
        var kept = CancelRunning(bench, fails);

        UntilGarbage([kept]);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void An_item_whose_key_throws_keeps_no_object_of_its_caller_alive_although_its_token_lives(bool blocking)
    {
        using var bench = new WorkerBench();
        using var cancelling = new CancellationTokenSource();
        bench.Block(new WorkOptions { Key = new UnequalKey() });
        var kept = QueueWithUnequalKey(bench, blocking, cancelling.Token);

        UntilGarbage([kept]);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static WeakReference QueueWithUnequalKey(WorkerBench bench, bool blocking, CancellationToken cancellationToken)
    {
        WeakReference? kept = null;
        Threads.RunAlone(() =>
        {
            var (argument, options) = (new object(), new WorkOptions { Key = new UnequalKey() });
            kept = new WeakReference(argument);
            Assert.Throws<NotSupportedException>(() =>
            {
                if (blocking)
                {
                    bench.Pool.Run(_ => argument.GetHashCode(), options, cancellationToken);
                }
                else
                {
                    _ = bench.Pool.RunAsync(_ => argument.GetHashCode(), options, cancellationToken).AsTask();
                }
            });
        });
        return kept!;
    }

    /// <returns>A task that the caller completes and that refers to nothing else.</returns>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static Task<string> RequestAndForget(TimeProvider clock, int startsFrom)
    {
        var answer = new TaskCompletionSource<string>(TaskCreationOptions.RunContinuationsAsynchronously);
        Threads.RunAlone(() => _ = RequestAsync(clock, startsFrom, answer));
        return answer.Task;
    }

    private static async Task RequestAsync(TimeProvider clock, int startsFrom, TaskCompletionSource<string> answer)
    {
        var starts = 0;
        var options = new WorkerPoolOptions
        {
            MaxWorkers = 1,
            TimeProvider = clock,
            QueueTimeout = TimeSpan.FromSeconds(30),
            StartThread = (thread, worker) =>
            {
                if (++starts < startsFrom)
                {
                    throw new NotSupportedException("no thread left");
                }

                thread.UnsafeStart(worker);
            },
        };
        var pool = WorkerPool.Create(static () => new object(), options);
        try
        {
            await pool.RunAsync(static _ => { });
            answer.SetResult("done");
        }
        catch (WorkTimeoutException)
        {
            answer.SetResult("timeout");
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static (WeakReference Argument, WeakReference Key) CancelOne(WorkerBench bench)
    {
        (WeakReference, WeakReference)? kept = null;
        Threads.RunAlone(() =>
        {
            using var cancelling = new CancellationTokenSource();
            var (argument, key) = (new object(), new object());
            kept = (new WeakReference(argument), new WeakReference(key));
            var item =
                bench.Pool.RunAsync(static (_, _) => 0, argument, new WorkOptions { Key = key }, cancelling.Token).AsTask();
            cancelling.Cancel();
            Assert.ThrowsAny<OperationCanceledException>(() => item.GetAwaiter().GetResult());
        });
        return kept!.Value;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static WeakReference CancelRunning(WorkerBench bench, bool fails)
    {
        WeakReference? kept = null;
        Threads.RunAlone(() =>
        {
            using var cancelling = new CancellationTokenSource();
            var (work, argument) = (new BlockingWork(), new object());
            kept = new WeakReference(argument);
            var item = bench.Pool.RunAsync(
                (_, _) =>
                {
                    work.Block();
                    return fails ? throw new IOException() : 0;
                },
                argument, new WorkOptions { QueueTimeout = TimeSpan.FromHours(1) }, cancelling.Token).AsTask();
            work.WaitUntilStarted();
            cancelling.Cancel();
            work.Release();
            Assert.Equal(fails, Record.Exception(() => item.GetAwaiter().GetResult()) is IOException);
        });
        bench.UntilParked();
        return kept!;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static WeakReference[] RunOne(WorkerBench bench)
    {
        var kept = new List<WeakReference>();
        Threads.RunAlone(() =>
        {
            var (argument, post, key, result) = (new object(), new object(), new object(), new object());
            kept.AddRange([new(argument), new(post), new(key), new(result)]);
            Assert.Same(
                result,
                bench.Pool.RunAsync((_, _) => result, argument, new WorkOptions { Key = key }).AsTask().GetAwaiter().GetResult());
            Assert.True(bench.Pool.TryPost(static (_, _) => { }, post));
            bench.Use();
        });
        return [.. kept];
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static WeakReference[] RunUnderAsyncLocal(WorkerBench bench)
    {
        WeakReference? kept = null;
        Threads.RunAlone(() =>
        {
            var local = new AsyncLocal<object> { Value = new object() };
            kept = new WeakReference(local.Value);
            Assert.True(bench.Pool.Run(_ => local.Value is not null));
            local.Value = null!;
        });
        return [kept!];
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static WeakReference StateOf(WorkerPool<object> pool)
    {
        WeakReference? kept = null;
        Threads.RunAlone(() => kept = pool.Run(static state => new WeakReference(state)));
        return kept!;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static WeakReference UseAndDrop(TimeProvider clock)
    {
        WeakReference? kept = null;
        Threads.RunAlone(() =>
        {
            var pool =
                WorkerPool.Create(static () => new object(), new WorkerPoolOptions { MaxWorkers = 2, TimeProvider = clock });
            kept = new WeakReference(pool);
            pool.Run(static _ => { });
        });
        return kept!;
    }

    private static void UntilGarbage(WeakReference[] kept) => Background.Until(() =>
    {
        GC.Collect();
        GC.WaitForPendingFinalizers();
        return Array.TrueForAll(kept, static reference => !reference.IsAlive);
    });

    private sealed class UnequalKey
    {
        public override bool Equals(object? obj) => throw new NotSupportedException("The keys cannot be compared.");

        public override int GetHashCode() => 0;
    }
}
