using Poolhouse.Workers;

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

    [Theory]
    [InlineData(false, false)]
    [InlineData(false, true)]
    [InlineData(true, false)]
    [InlineData(true, true)]
    public async Task The_policy_sees_neither_the_context_nor_the_interrupt_that_an_item_has_left(bool isPost, bool fails)
    {
        using var bench = new WorkerBench();
        var local = new AsyncLocal<string?>();
        var seen = new List<string>();
        bench.Options.MaxItemsPerState = 2;
        bench.Policy.Breaks = _ => See("IsBroken", isBroken: false);
        bench.Policy.Survivors = (_, _) => See("Survives", IsInterrupted());
        bench.Policy.Destroying = _ => See("Destroy", IsInterrupted());
        bench.Use();

        if (isPost)
        {
            Assert.True(bench.Pool.TryPost((_, _) => Work(), string.Empty));
        }
        else
        {
            await bench.RunAsync(_ => Work()).WaitAsync(Background.Limit).ContinueWith(static _ => { }, TaskScheduler.Default);
        }

        Assert.Equal(1, bench.Use().Number);
        Assert.Empty(seen);
        Assert.Equal(WorkerDestroyReason.MaxItems, bench.Policy.Created[0].Reason);

        void Work()
        {
            local.Value = "left";
            SynchronizationContext.SetSynchronizationContext(new SynchronizationContext());
            Thread.CurrentThread.Interrupt();
            if (fails)
            {
                throw new FormatException();
            }
        }

        bool See(string hook, bool isBroken)
        {
            if (isBroken || local.Value is not null || SynchronizationContext.Current is not null)
            {
                seen.Add(hook);
            }

            return string.Equals(hook, "Survives", StringComparison.Ordinal);
        }
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

    private static bool IsInterrupted()
    {
        try
        {
            using var set = new ManualResetEvent(initialState: true);
            set.WaitOne();
            return false;
        }
        catch (ThreadInterruptedException)
        {
            return true;
        }
    }
}
