using Poolhouse.Workers;

#pragma warning disable VSTHRD001 // There is no main thread: the context of the pool is what is tested.

namespace Poolhouse.Tests.Workers;

/// <summary>
/// One rule for every kind of work: an exception is counted and reported, and the state is destroyed unless the policy keeps it.
/// </summary>
public sealed class WorkFailures
{
    public static TheoryData<string> Ways =>
        ["item", "asynchronous item", "post", "task", "task inline", "context", "send", "continuation", "broadcast"];

    [Theory]
    [MemberData(nameof(Ways))]
    public async Task An_exception_is_counted_and_reported_and_destroys_the_state(string way)
    {
        using var bench = new WorkerBench().Listen();
        bench.Use();

        await ThrowAsync(bench, way);

        Background.Until(() => bench.Events.Of<WorkFailedArgs>().Count == 1);
        Assert.Equal("thrown", bench.Events.Of<WorkFailedArgs>()[0].Failure.Message);
        Assert.Equal(1, bench.Use().Number);
        Assert.Equal((1, WorkerDestroyReason.Tainted), (bench.Now.Failed, bench.Policy.Created[0].Reason));
    }

    [Theory]
    [MemberData(nameof(Ways))]
    public async Task The_state_survives_if_the_policy_keeps_it(string way)
    {
        using var bench = new WorkerBench();
        bench.Policy.Survivors = static (_, failure) => failure is FormatException { Message: "thrown" };
        bench.Use();

        await ThrowAsync(bench, way);

        Background.Until(() => bench.Now.Failed == 1);
        bench.UntilParked();
        Assert.Equal(0, bench.Use().Number);
    }

    [Fact]
    public async Task A_task_cancelled_before_it_started_keeps_the_state()
    {
        using var bench = new WorkerBench();
        using var cancelling = new CancellationTokenSource();
        bench.Use();
        var block = bench.Block();
        var task = Task.Factory.StartNew(static () => { }, cancelling.Token, TaskCreationOptions.None, bench.Pool.Scheduler);

        await cancelling.CancelAsync();
        await block.ReleaseAsync();

        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => task.WaitAsync(Background.Limit));
        Assert.Equal(0, await bench.GetAsync(static tool => tool.Number).WaitAsync(Background.Limit));
        Assert.Equal(0, bench.Now.Failed);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_task_cancelled_while_it_uses_the_state_destroys_the_state(bool runsAnother)
    {
        using var bench = new WorkerBench();
        using var cancelling = new CancellationTokenSource();
        bench.Use();
        var task = Task.Factory.StartNew(
            () =>
            {
                Assert.Equal(0, bench.Pool.CurrentState.Number);
                if (runsAnother)
                {
                    // It does not use the state.
                    new Task(static () => { }).RunSynchronously(bench.Pool.Scheduler);
                }

                cancelling.Cancel();
                cancelling.Token.ThrowIfCancellationRequested();
            },
            cancelling.Token,
            TaskCreationOptions.None,
            bench.Pool.Scheduler);

        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => task.WaitAsync(Background.Limit));

        Assert.Equal(1, await bench.GetAsync(static tool => tool.Number).WaitAsync(Background.Limit));
        Assert.Equal((1, WorkerDestroyReason.Tainted), (bench.Now.Failed, bench.Policy.Created[0].Reason));
    }

    [Theory]
    [InlineData(true, 0)]
    [InlineData(false, 1)]
    public async Task The_state_survives_an_item_and_its_inline_task_only_if_the_policy_keeps_it_after_both(
        bool keepsBoth, int expected)
    {
        using var bench = new WorkerBench();
        bench.Policy.Survivors = (_, failure) => failure is FormatException || keepsBoth;
        bench.Use();

        await Assert.ThrowsAsync<FormatException>(() => bench.RunAsync(_ =>
        {
            new Task(ThrowAnother).RunSynchronously(bench.Pool.Scheduler);
            Throw();
        }).WaitAsync(Background.Limit));

        Assert.Equal((expected, 2), (bench.Use().Number, bench.Now.Failed));
    }

    [Theory]
    [InlineData(true, 0)]
    [InlineData(false, 1)]
    public async Task The_state_survives_two_callbacks_only_if_the_policy_keeps_it_after_both(bool keepsBoth, int expected)
    {
        using var bench = new WorkerBench();
        bench.Policy.Survivors = (_, failure) => failure is FormatException || keepsBoth;
        bench.Use();

        await bench.Pool.RunAsync(static _ =>
        {
            SynchronizationContext.Current!.Post(static _ => Throw(), null);
            SynchronizationContext.Current.Post(static _ => ThrowAnother(), null);
            return Task.CompletedTask;
        }).AsTask().WaitAsync(Background.Limit);

        Background.Until(() => bench.Now.Failed == 2);
        bench.UntilParked();
        Assert.Equal(expected, bench.Use().Number);
    }

    [Theory]
    [InlineData(99, 0)]
    [InlineData(100, 1)]
    [InlineData(1_000, 1)]
    public async Task The_state_does_not_survive_more_failures_of_one_item_than_are_recorded(int failures, int expected)
    {
        using var bench = new WorkerBench();
        var judged = 0;
        bench.Policy.Survivors = (_, _) => ++judged > 0;
        bench.Use();

        await bench.RunAsync(_ =>
        {
            for (var failed = 0; failed < failures; failed++)
            {
                new Task(Throw).RunSynchronously(bench.Pool.Scheduler);
            }
        }).WaitAsync(Background.Limit);

        Assert.Equal(
            (expected, failures, expected == 0 ? failures : 0), (bench.Use().Number, (int)bench.Now.Failed, judged));
    }

    [Fact]
    public void The_failures_of_one_post_destroy_one_state()
    {
        using var bench = new WorkerBench();
        bench.Use();

        Assert.True(bench.Pool.TryPost(
            static (_, pool) =>
            {
                new Task(Throw).RunSynchronously(pool.Scheduler);
                Throw();
            },
            bench.Pool));

        Assert.Equal([1, 1, 1], [bench.Use().Number, bench.Use().Number, bench.Use().Number]);
        Assert.Equal((2, 1), (bench.Now.Failed, bench.Now.Destroyed));
    }

    private static async Task ThrowAsync(WorkerBench bench, string way)
    {
        var pool = bench.Pool;
        switch (way)
        {
            case "item":
                await Assert.ThrowsAsync<FormatException>(() => bench.RunAsync(static _ => Throw()).WaitAsync(Background.Limit));
                break;
            case "asynchronous item":
                await Assert.ThrowsAsync<FormatException>(() => pool.RunAsync(static async _ =>
                {
                    await Task.Yield();
                    Throw();
                }).AsTask().WaitAsync(Background.Limit));
                break;
            case "post":
                await pool.PostAsync<object?>(static (_, _) => Throw(), null);
                break;
            case "task":
                await Assert.ThrowsAsync<FormatException>(() => StartAsync(pool).WaitAsync(Background.Limit));
                break;
            case "task inline":
                await bench.RunAsync(_ =>
                {
                    var task = new Task(Throw);
                    task.RunSynchronously(pool.Scheduler);
                    Assert.True(task.IsFaulted);
                }).WaitAsync(Background.Limit);
                break;
            case "context":
                pool.SynchronizationContext.Post(static _ => Throw(), null);
                break;
            case "send":
                Assert.Throws<FormatException>(() => pool.SynchronizationContext.Send(static _ => Throw(), null));
                break;
            case "continuation":
                await pool.RunAsync(static _ =>
                {
                    SynchronizationContext.Current!.Post(static _ => Throw(), null);
                    return Task.CompletedTask;
                }).AsTask().WaitAsync(Background.Limit);
                break;
            default:
                await Assert.ThrowsAsync<AggregateException>(
                    () => pool.BroadcastAsync(static _ => Throw()).WaitAsync(Background.Limit));
                break;
        }
    }

    private static Task StartAsync(WorkerPool<Tool> pool) =>
        Task.Factory.StartNew(Throw, CancellationToken.None, TaskCreationOptions.None, pool.Scheduler);

    private static void Throw() => throw new FormatException("thrown");

    private static void ThrowAnother() => throw new IOException("thrown as well");
}
