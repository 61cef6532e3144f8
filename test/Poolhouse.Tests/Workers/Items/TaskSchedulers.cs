#pragma warning disable CA2025, xUnit1031 // The bench outlives its tasks: each is waited for, by threads that may block.
#pragma warning disable VSTHRD001 // There is no main thread: Post is what is tested.

using System.Runtime.CompilerServices;

namespace Poolhouse.Tests.Workers.Items;

/// <summary>The pool as a task scheduler.</summary>
public sealed class TaskSchedulers
{
    [Fact]
    public async Task Tasks_run_on_the_pools_threads_and_return_to_them()
    {
        using var bench = new WorkerBench(2);

        var places = await StartAsync(bench, async () =>
        {
            var first = bench.Pool.IsWorkerThread && SynchronizationContext.Current is null
                && TaskScheduler.Current == bench.Pool.Scheduler;
            await Task.Yield();
            var second = bench.Pool.IsWorkerThread;
            var state = bench.Pool.CurrentState.CreatedOn == Environment.CurrentManagedThreadId;
            await Task.Run(static () => { }).ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
            return (first, second, state, bench.Pool.IsWorkerThread);
        }).Unwrap().WaitAsync(Background.Limit);

        Assert.Equal((true, true, true, false), places);
    }

    [Theory]
    [InlineData(false, false)]
    [InlineData(true, false)]
    [InlineData(false, true)]
    [InlineData(true, true)]
    public async Task A_state_created_for_CurrentState_is_created_outside_of_the_context_of_its_task(bool isTask, bool isDeep)
    {
        using var bench = new WorkerBench();
        var local = new AsyncLocal<string?>();
        string? seen = "none";
        bench.Policy.Creating = () =>
        {
            seen = local.Value;
            if (!isDeep)
            {
                YieldAsync().GetAwaiter().GetResult();
            }
        };
        var used = new TaskCompletionSource<bool>(TaskCreationOptions.RunContinuationsAsynchronously);
        if (isTask)
        {
            _ = StartAsync(bench, Use);
        }
        else
        {
            bench.Pool.SynchronizationContext.Post(_ => Use(), null);
        }

        Assert.True(await used.Task.WaitAsync(Background.Limit));
        Assert.Null(seen);

        bool Use()
        {
            if (isDeep && RuntimeHelpers.TryEnsureSufficientExecutionStack())
            {
                return Use() && isDeep;
            }

            local.Value = "the item's";
            var context = SynchronizationContext.Current;
            var isOwn = bench.Pool.CurrentState.CreatedOn == Environment.CurrentManagedThreadId;
            return used.TrySetResult(
                isOwn && (local.Value, SynchronizationContext.Current) == ("the item's", context)
                && (TaskScheduler.Current == bench.Pool.Scheduler) == isTask);
        }

        static async Task YieldAsync() => await Task.Yield();
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task An_exception_of_Create_reaches_the_caller_of_CurrentState_unchanged(bool isCancellation)
    {
        using var bench = new WorkerBench();
        Exception failure = isCancellation ? new OperationCanceledException() : new IOException();
        bench.Policy.Creating = () => throw failure;

        var thrown = await StartAsync(bench, () => Record.Exception(() => bench.Pool.CurrentState))
            .WaitAsync(Background.Limit);

        Assert.Same(failure, thrown);
    }

    [Fact]
    public async Task A_worker_that_waits_for_a_task_of_its_own_pool_runs_it_itself()
    {
        using var bench = new WorkerBench();

        var same = await StartAsync(bench, () =>
        {
            var here = Environment.CurrentManagedThreadId;
            var inner = StartAsync(bench, static () => Environment.CurrentManagedThreadId);
            return here == inner.GetAwaiter().GetResult();
        }).WaitAsync(Background.Limit);

        Assert.True(same);
        Background.Until(() => bench.Now.Waiting == 0);
    }

    [Fact]
    public void No_other_thread_runs_a_task_of_the_pool()
    {
        using var bench = new WorkerBench();
        bench.Block();
        var task = StartAsync(bench, static () => Environment.CurrentManagedThreadId);
        var inline = new Task<int>(static () => Environment.CurrentManagedThreadId);

        var waited = Background.Start(() =>
        {
            inline.RunSynchronously(bench.Pool.Scheduler);
            return (Caller: Environment.CurrentManagedThreadId, Ran: inline.Result);
        });

        Background.Until(() => waited.IsCompleted || bench.Now.Waiting == 2);
        Assert.False(waited.IsCompleted);
        bench.Pool.Resize(2);
        Assert.True(waited.Wait(Background.Limit));
        Assert.NotEqual(waited.Result.Caller, waited.Result.Ran);
        Assert.True(task.Wait(Background.Limit));
        Assert.Equal(waited.Result.Ran, task.Result);
    }

    [Fact]
    public async Task A_continuation_after_the_pool_was_closed_does_not_hang()
    {
        using var bench = new WorkerBench();
        var opened = new TaskCompletionSource();
        var begun = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var task = StartAsync(bench, async () =>
        {
            begun.SetResult();
            await opened.Task;
            return bench.Pool.IsWorkerThread;
        }).Unwrap();
        await begun.Task.WaitAsync(Background.Limit);
        await bench.Pool.DisposeAsync();

        opened.SetResult();

        Assert.False(await task.WaitAsync(Background.Limit));
    }

    [Fact]
    public async Task A_task_that_was_queued_when_the_pool_was_closed_runs_on_the_thread_pool()
    {
        using var bench = new WorkerBench();
        bench.Block();
        var task = StartAsync(bench, static () => Thread.CurrentThread.IsThreadPoolThread);

        bench.Pool.Dispose();

        Assert.True(await task.WaitAsync(Background.Limit));
    }

    [Fact]
    public async Task A_drained_pool_runs_the_continuations_of_its_tasks()
    {
        using var bench = new WorkerBench();
        var task = StartAsync(bench, async () =>
        {
            for (var i = 0; i < 100; i++)
            {
                await Task.Yield();
            }
        }).Unwrap();

        await bench.Pool.DrainAsync().WaitAsync(Background.Limit);

        await task.WaitAsync(Background.Limit);
    }

    [Fact]
    public void The_scheduler_reports_its_concurrency_level()
    {
        using var bench = new WorkerBench(3);

        Assert.Equal(3, bench.Pool.Scheduler.MaximumConcurrencyLevel);
        bench.Pool.Resize(5);

        Assert.Equal(5, bench.Pool.Scheduler.MaximumConcurrencyLevel);
    }

    private static Task<T> StartAsync<T>(WorkerBench bench, Func<T> body) =>
        Task.Factory.StartNew(body, CancellationToken.None, TaskCreationOptions.None, bench.Pool.Scheduler);
}
