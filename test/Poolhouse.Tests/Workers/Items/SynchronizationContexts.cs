using Poolhouse.Workers;

#pragma warning disable VSTHRD001 // There is no main thread: Post and Send are what is tested.

namespace Poolhouse.Tests.Workers.Items;

/// <summary>The synchronization contexts of the pool and of a worker.</summary>
public sealed class SynchronizationContexts
{
    [Fact]
    public async Task The_context_of_the_pool_runs_callbacks_on_any_worker()
    {
        using var bench = new WorkerBench(2);
        var seen = new TaskCompletionSource<(bool, SynchronizationContext?, object?)>(
            TaskCreationOptions.RunContinuationsAsynchronously);

        bench.Pool.SynchronizationContext.Post(
            state => seen.SetResult((bench.Pool.IsWorkerThread, SynchronizationContext.Current, state)), "state");

        Assert.Equal((true, bench.Pool.SynchronizationContext, (object?)"state"), await seen.Task.WaitAsync(Background.Limit));
        Assert.Empty(bench.Policy.Created);
    }

    [Fact]
    public void Send_blocks_until_the_callback_has_run_and_rethrows_its_exception()
    {
        using var bench = new WorkerBench();
        var thread = 0;

        bench.Pool.SynchronizationContext.Send(_ => thread = Environment.CurrentManagedThreadId, null);

        Assert.NotEqual(Environment.CurrentManagedThreadId, thread);
        Assert.NotEqual(0, thread);
        Assert.Throws<FormatException>(
            () => bench.Pool.SynchronizationContext.Send(static _ => throw new FormatException(), null));
        bench.Pool.Run(_ =>
        {
            var here = Environment.CurrentManagedThreadId;
            bench.Pool.SynchronizationContext.Send(_ => thread = Environment.CurrentManagedThreadId, null);
            Assert.Equal(here, thread);
        });
    }

    [Fact]
    public void A_posted_callback_that_throws_is_counted_and_reported()
    {
        using var bench = new WorkerBench().Listen();

        bench.Pool.SynchronizationContext.Post(static _ => throw new FormatException("unobserved"), null);

        Background.Until(() => bench.Events.Of<WorkFailedArgs>().Count == 1);
        Assert.Equal(("unobserved", 1), (bench.Events.Of<WorkFailedArgs>()[0].Failure.Message, bench.Now.Failed));
    }

    [Fact]
    public async Task After_the_pool_is_closed_callbacks_run_on_the_thread_pool()
    {
        using var bench = new WorkerBench();
        await bench.Pool.DisposeAsync();
        var seen = new TaskCompletionSource<bool>(TaskCreationOptions.RunContinuationsAsynchronously);

        bench.Pool.SynchronizationContext.Post(_ => seen.SetResult(Thread.CurrentThread.IsThreadPoolThread), null);

        Assert.True(await seen.Task.WaitAsync(Background.Limit));
        Assert.True(Background.CanDo(() => bench.Pool.SynchronizationContext.Send(static _ => { }, null)));
    }

    [Fact]
    public async Task Callbacks_that_were_queued_when_the_pool_was_closed_run_on_the_thread_pool()
    {
        using var bench = new WorkerBench();
        bench.Block();
        var seen = new TaskCompletionSource<bool>(TaskCreationOptions.RunContinuationsAsynchronously);
        bench.Pool.SynchronizationContext.Post(_ => seen.SetResult(Thread.CurrentThread.IsThreadPoolThread), null);

        bench.Pool.Dispose();

        Assert.True(await seen.Task.WaitAsync(Background.Limit));
    }

    [Fact]
    public async Task The_context_of_a_worker_returns_to_it_or_to_another_worker_if_it_has_ended()
    {
        using var bench = new WorkerBench();
        var context = await ContextOfAsync(bench);
        bench.UntilParked();
        var first = bench.Policy.Created[0].CreatedOn;
        Assert.Equal(first, await PostAsync(context));
        var sent = 0;
        Assert.True(Background.CanDo(() => context.Send(_ => sent = Environment.CurrentManagedThreadId, null)));
        Assert.Equal(first, sent);

        bench.UntilParked();
        bench.Pool.Trim();
        Background.Until(() => bench.Policy.Destroyed == 1);
        var other = await PostAsync(context);

        Assert.Equal(bench.Use().CreatedOn, other);
        Assert.True(Background.CanDo(() => context.Send(_ => sent = Environment.CurrentManagedThreadId, null)));
        Assert.Equal(other, sent);
    }

    [Fact]
    public async Task An_exception_of_a_callback_does_not_end_the_worker()
    {
        using var bench = new WorkerBench().Listen();
        var context = await ContextOfAsync(bench);

        context.Post(static _ => throw new FormatException("unobserved"), null);

        Background.Until(() => bench.Events.Of<WorkFailedArgs>().Count == 1);
        Assert.Throws<FormatException>(() => context.Send(static _ => throw new FormatException(), null));
        Assert.Equal((1, 1, 2), (bench.Use().Number, bench.Now.Workers, bench.Now.Failed));
    }

    [Fact]
    public async Task Contexts_reject_null()
    {
        using var bench = new WorkerBench();
        var context = await ContextOfAsync(bench);

        Assert.Throws<ArgumentNullException>(() => context.Post(null!, null));
        Assert.Throws<ArgumentNullException>(() => context.Send(null!, null));
        Assert.Throws<ArgumentNullException>(() => bench.Pool.SynchronizationContext.Post(null!, null));
        Assert.Throws<ArgumentNullException>(() => bench.Pool.SynchronizationContext.Send(null!, null));
    }

    [Fact]
    public async Task CreateCopy_returns_the_same_context()
    {
        using var bench = new WorkerBench();
        var context = await ContextOfAsync(bench);

        Assert.Same(context, context.CreateCopy());
        Assert.Same(bench.Pool.SynchronizationContext, bench.Pool.SynchronizationContext.CreateCopy());
    }

    [Fact]
    public void Synchronous_items_have_no_synchronization_context()
    {
        using var bench = new WorkerBench();

        Assert.True(bench.Pool.Run(static _ => SynchronizationContext.Current is null));
    }

    private static async Task<SynchronizationContext> ContextOfAsync(WorkerBench bench) =>
        await bench.Pool.RunAsync(static _ => Task.FromResult(SynchronizationContext.Current!)).AsTask()
            .WaitAsync(Background.Limit);

    private static async Task<int> PostAsync(SynchronizationContext context)
    {
        var seen = new TaskCompletionSource<int>(TaskCreationOptions.RunContinuationsAsynchronously);
        context.Post(_ => seen.SetResult(Environment.CurrentManagedThreadId), null);
        return await seen.Task.WaitAsync(Background.Limit);
    }
}
