namespace Poolhouse.Tests.Workers;

/// <summary>Changes that an item makes to its thread are reverted before the next item.</summary>
public sealed class ThreadRestoration
{
    [Fact]
    public void Name_priority_and_IsBackground_of_the_thread_are_restored_after_an_item()
    {
        using var bench = new WorkerBench();
        var before = bench.Pool.Run(static _ => Describe());

        bench.Pool.Run(static _ => Change());

        Assert.Equal(before, bench.Pool.Run(static _ => Describe()));
    }

    [Fact]
    public void They_are_restored_after_a_post()
    {
        using var bench = new WorkerBench();
        var before = bench.Pool.Run(static _ => Describe());

        Assert.True(bench.Pool.TryPost(static (_, _) => Change(), string.Empty));

        Assert.Equal(before, bench.Pool.Run(static _ => Describe()));
    }

    [Fact]
    public async Task They_are_restored_after_a_broadcast_and_after_an_asynchronous_item()
    {
        using var bench = new WorkerBench();
        var before = bench.Pool.Run(static _ => Describe());

        Assert.Equal(1, await bench.Pool.BroadcastAsync(static _ => Change()).WaitAsync(Background.Limit));
        Assert.Equal(before, bench.Pool.Run(static _ => Describe()));
        await bench.Pool.RunAsync(static async _ =>
        {
            await Task.Yield();
            Change();
        }).AsTask().WaitAsync(Background.Limit);

        Assert.Equal(before, bench.Pool.Run(static _ => Describe()));
    }

    [Fact]
    public void They_are_restored_after_an_item_that_throws()
    {
        using var bench = new WorkerBench();
        var before = bench.Pool.Run(static _ => Describe());

        Assert.Throws<FormatException>(() => bench.Pool.Run(static _ =>
        {
            Change();
            throw new FormatException();
        }));

        Assert.Equal(before, bench.Pool.Run(static _ => Describe()));
    }

    private static (Thread Thread, string? Name, ThreadPriority Priority, bool IsBackground) Describe()
    {
        var thread = Thread.CurrentThread;
        return (thread, thread.Name, thread.Priority, thread.IsBackground);
    }

    private static void Change()
    {
        var thread = Thread.CurrentThread;
        (thread.Name, thread.Priority, thread.IsBackground) = ("changed", ThreadPriority.BelowNormal, !thread.IsBackground);
    }
}
