using Poolhouse.Workers;

namespace Poolhouse.Tests.Workers;

/// <summary>Items that run suspiciously long, and items that wait for themselves.</summary>
public sealed class StuckWork
{
    private static readonly TimeSpan _threshold = TimeSpan.FromSeconds(5);

    [Fact]
    public async Task An_item_that_hangs_is_reported_once_by_its_label()
    {
        using var bench = Watched();
        var block = bench.Block(new WorkOptions { Label = "import" });

        bench.Clock.Advance(_threshold - TimeSpan.FromTicks(1));
        Assert.Empty(bench.Events.Of<WorkStuckArgs>());
        bench.Clock.Advance(TimeSpan.FromTicks(10_000));
        bench.Clock.Advance(TimeSpan.FromHours(1));

        var stuck = Assert.Single(bench.Events.Of<WorkStuckArgs>());
        Assert.Equal(("import", 0, false), (stuck.Label, stuck.Worker, stuck.AwaitsOwnPool));
        Assert.InRange(stuck.RunningFor, _threshold, _threshold + TimeSpan.FromMilliseconds(1));
        Assert.Equal(1, bench.Now.Stuck);
        await block.ReleaseAsync();
        await bench.Block().ReleaseAsync();
        Assert.Single(bench.Events.Of<WorkStuckArgs>());
    }

    [Fact]
    public async Task An_item_that_was_reported_during_the_creation_of_its_state_is_not_reported_again()
    {
        using var bench = Watched();
        var creation = new BlockingWork();
        bench.Policy.Creating = creation.Block;
        var block = bench.Queue();
        creation.WaitUntilStarted();
        bench.Clock.Advance(_threshold);
        Assert.Single(bench.Events.Of<WorkStuckArgs>());

        creation.Release();
        block.WaitUntilStarted();
        bench.Clock.Advance(_threshold);

        Assert.Single(bench.Events.Of<WorkStuckArgs>());
        Assert.Equal(1, bench.Now.Stuck);
        await block.ReleaseAsync();
    }

    [Fact]
    public async Task Without_a_label_the_name_of_the_method_is_reported()
    {
        using var bench = Watched();
        using var begun = new ManualResetEventSlim();
        using var opened = new ManualResetEventSlim();
        var run = Background.Start(() => bench.Pool.Run(Hang));
        Assert.True(begun.Wait(Background.Limit));

        bench.Clock.Advance(_threshold);

        Assert.Contains(nameof(Hang), Assert.Single(bench.Events.Of<WorkStuckArgs>()).Label, StringComparison.Ordinal);
        opened.Set();
        Assert.True(await run.WaitAsync(Background.Limit));

        bool Hang(Tool tool)
        {
            begun.Set();
            return opened.Wait(Background.Limit);
        }
    }

    [Fact]
    public async Task An_item_that_blocks_on_another_item_of_its_pool_is_detected()
    {
        using var bench = Watched();
        using var cancelling = new CancellationTokenSource();
        var begun = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var item = bench.RunAsync(_ =>
        {
            // A task does not show that it is an item of this pool.
            var inner = bench.RunAsync(static _ => { }, default, cancelling.Token);
            begun.SetResult();
            Assert.ThrowsAny<OperationCanceledException>(() => inner.WaitAsync(Background.Limit).GetAwaiter().GetResult());
        });
        await begun.Task.WaitAsync(Background.Limit);

        bench.Clock.Advance(_threshold);

        Assert.True(Assert.Single(bench.Events.Of<WorkStuckArgs>()).AwaitsOwnPool);
        await cancelling.CancelAsync();
        await item.WaitAsync(Background.Limit);
    }

    [Fact]
    public async Task An_item_that_blocks_on_an_asynchronous_child_which_waits_for_the_pool_is_detected()
    {
        using var bench = Watched();
        using var cancelling = new CancellationTokenSource();
        var submitted = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var item = bench.RunAsync(_ => Assert.ThrowsAny<OperationCanceledException>(
            () => ChildAsync().WaitAsync(Background.Limit).GetAwaiter().GetResult()));
        await submitted.Task.WaitAsync(Background.Limit);

        bench.Clock.Advance(_threshold);

        Assert.True(Assert.Single(bench.Events.Of<WorkStuckArgs>()).AwaitsOwnPool);
        await cancelling.CancelAsync();
        await item.WaitAsync(Background.Limit);

        async Task ChildAsync()
        {
            // Continues on the thread pool.
            await Task.Yield();
            var inner = bench.RunAsync(static _ => { }, default, cancelling.Token);
            submitted.SetResult();
            await inner;
        }
    }

    [Fact]
    public async Task An_asynchronous_item_that_blocks_on_code_that_continues_on_its_thread_is_detected()
    {
        using var bench = Watched();
        using var ended = new CancellationTokenSource();
        var begun = new TaskCompletionSource<Task>(TaskCreationOptions.RunContinuationsAsynchronously);
        var item = bench.Pool.RunAsync(_ =>
        {
            var child = ChildAsync();
            begun.SetResult(child);
            Assert.ThrowsAny<OperationCanceledException>(
                () => child.WaitAsync(Background.Limit, ended.Token).GetAwaiter().GetResult());
            return Task.CompletedTask;
        }).AsTask();
        await begun.Task.WaitAsync(Background.Limit);

        bench.Clock.Advance(_threshold);

        Assert.True(Assert.Single(bench.Events.Of<WorkStuckArgs>()).AwaitsOwnPool);
        await ended.CancelAsync();
        await item.WaitAsync(Background.Limit);

        static async Task ChildAsync() => await Task.Yield();
    }

    private static WorkerBench Watched()
    {
        var bench = new WorkerBench().Listen();
        bench.Options.StuckThreshold = _threshold;
        return bench;
    }
}
