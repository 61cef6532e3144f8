using Poolhouse.Workers;

namespace Poolhouse.Tests.Workers.Items;

/// <summary>
/// An asynchronous item holds its worker, its capacity and its state, and resumes on that worker after each await.
/// </summary>
public sealed class AsynchronousWork
{
    [Fact]
    public async Task Every_part_of_an_item_runs_on_its_worker_with_its_state()
    {
        using var bench = new WorkerBench(3);

        await Task.WhenAll(Enumerable.Range(0, 30).Select(_ => bench.Pool.RunAsync(async tool =>
        {
            for (var part = 0; part < 5; part++)
            {
                Assert.Equal(tool.CreatedOn, Environment.CurrentManagedThreadId);
                Assert.Same(tool, bench.Pool.CurrentState);
                await Task.Yield();
            }
        }).AsTask())).WaitAsync(Background.Limit);

        Assert.InRange(bench.Policy.Created.Count, 1, 3);
    }

    [Fact]
    public async Task No_other_item_runs_on_the_worker_meanwhile()
    {
        using var bench = new WorkerBench();
        var opened = new TaskCompletionSource();
        var begun = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var order = new List<string>();
        var item = bench.Pool.RunAsync(async _ =>
        {
            begun.SetResult();
            await opened.Task;
            order.Add("first");
        }).AsTask();
        await begun.Task.WaitAsync(Background.Limit);
        var next = bench.RunAsync(_ => order.Add("second"));
        Assert.Equal((1, 1), (bench.Now.Leased, bench.Now.Waiting));

        opened.SetResult();

        await Task.WhenAll(item, next).WaitAsync(Background.Limit);
        Assert.Equal(["first", "second"], order);
    }

    [Fact]
    public async Task An_item_keeps_its_worker_while_parts_run_elsewhere()
    {
        using var bench = new WorkerBench();

        var (elsewhere, home, pool) = await bench.Pool.RunAsync(async tool =>
        {
            await Task.Yield();
            var home = Environment.CurrentManagedThreadId == tool.CreatedOn;
            await Task.Run(static () => { }).ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
            return (Environment.CurrentManagedThreadId != tool.CreatedOn, home, bench.Now.Leased);
        }).AsTask().WaitAsync(Background.Limit);

        Assert.Equal((true, true, 1), (elsewhere, home, pool));
    }

    [Fact]
    public async Task An_exception_of_an_item_reaches_its_caller_and_taints_the_state()
    {
        using var bench = new WorkerBench();

        await Assert.ThrowsAsync<FormatException>(
            () => bench.Pool.RunAsync(static _ => throw new FormatException()).AsTask().WaitAsync(Background.Limit));
        await Assert.ThrowsAsync<FormatException>(
            () => bench.Pool.RunAsync(ThrowLaterAsync).AsTask().WaitAsync(Background.Limit));

        Assert.Equal(2, bench.Use().Number);
        Assert.Equal(2, bench.Policy.Created.Count(static tool => tool.Reason == WorkerDestroyReason.Tainted));

        static async Task ThrowLaterAsync(Tool tool)
        {
            await Task.Yield();
            throw new FormatException();
        }
    }

    [Fact]
    public async Task A_cancelled_task_is_a_cancelled_item()
    {
        using var bench = new WorkerBench();
        var token = new CancellationToken(canceled: true);

        var item = bench.Pool.RunAsync(_ => Task.FromCanceled(token)).AsTask();

        await Assert.ThrowsAsync<TaskCanceledException>(() => item.WaitAsync(Background.Limit));
        Assert.True(item.IsCanceled);
    }

    [Fact]
    public async Task A_null_task_fails_the_item()
    {
        using var bench = new WorkerBench();

        var error = await Assert.ThrowsAsync<InvalidOperationException>(
            () => bench.Pool.RunAsync(NoTask).AsTask().WaitAsync(Background.Limit));

        Assert.Contains("returned null instead of a task", error.Message, StringComparison.Ordinal);
    }

#pragma warning disable MA0022, VSTHRD114 // The null is the error under test.
    private static Task NoTask(Tool tool) => null!;
#pragma warning restore MA0022, VSTHRD114

    [Fact]
    public async Task Results_reach_the_caller()
    {
        using var bench = new WorkerBench();

        Assert.Equal(42, await bench.Pool.RunAsync(static _ => Task.FromResult(42)).AsTask().WaitAsync(Background.Limit));
        Assert.Equal("late", await bench.Pool.RunAsync(static async _ =>
        {
            await Task.Yield();
            return "late";
        }).AsTask().WaitAsync(Background.Limit));
    }

    [Fact]
    public async Task An_item_running_during_the_disposal_completes_on_its_worker()
    {
        using var bench = new WorkerBench();
        var opened = new TaskCompletionSource();
        var begun = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var item = bench.Pool.RunAsync(async tool =>
        {
            begun.SetResult();
            await opened.Task;
            return Environment.CurrentManagedThreadId == tool.CreatedOn && tool.Destructions == 0;
        }).AsTask();
        await begun.Task.WaitAsync(Background.Limit);

        bench.Pool.Dispose();
        opened.SetResult();

        Assert.True(await item.WaitAsync(Background.Limit));
        Background.Until(() => bench.Policy.Created[0].Destructions == 1);
    }

    [Fact]
    public async Task A_continuation_after_its_item_ended_runs_between_two_other_items_on_the_same_worker()
    {
        using var bench = new WorkerBench(2).Listen();
        var late = new TaskCompletionSource();
        var thread = new TaskCompletionSource<int>(TaskCreationOptions.RunContinuationsAsynchronously);
        var tool = await bench.Pool.RunAsync(tool =>
        {
            _ = LaterAsync();
            return Task.FromResult(tool);
        }).AsTask().WaitAsync(Background.Limit);
        bench.UntilParked();

        late.SetResult();

        Assert.Equal(tool.CreatedOn, await thread.Task.WaitAsync(Background.Limit));

        async Task LaterAsync()
        {
            await late.Task;
            thread.SetResult(Environment.CurrentManagedThreadId);
        }
    }

    [Fact]
    public async Task A_static_delegate_gets_its_argument_and_keeps_its_worker()
    {
        using var bench = new WorkerBench();
        var opened = new TaskCompletionSource();

        var sum = bench.Pool.RunAsync(
            static async (tool, opened) =>
            {
                await opened.Task;
                return tool.CreatedOn == Environment.CurrentManagedThreadId;
            },
            opened).AsTask();
        var nothing = bench.Pool.RunAsync(static async (_, opened) => await opened.Task, opened).AsTask();

        opened.SetResult();

        Assert.True(await sum.WaitAsync(Background.Limit));
        await nothing.WaitAsync(Background.Limit);
    }
}
