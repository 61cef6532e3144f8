using Poolhouse.Workers;

#pragma warning disable VSTHRD001 // There is no main thread: Post and Send are what is tested.
namespace Poolhouse.Tests.Workers;

/// <summary>An action that runs once per state.</summary>
public sealed class Broadcasts
{
    [Fact]
    public async Task A_broadcast_runs_once_per_state_on_its_thread_whether_idle_or_busy()
    {
        using var bench = new WorkerBench(3);
        await bench.Pool.WarmUpAsync(3).WaitAsync(Background.Limit);
        var block = bench.Block();
        var seen = new List<Tool>();

        var broadcast = bench.Pool.BroadcastAsync(tool =>
        {
            Assert.Equal(tool.CreatedOn, Environment.CurrentManagedThreadId);
            lock (seen)
            {
                seen.Add(tool);
            }
        });
        Background.Until(() => Count() == 2);
        Assert.False(broadcast.IsCompleted);
        await block.ReleaseAsync();

        Assert.Equal(3, await broadcast.WaitAsync(Background.Limit));
        Assert.Equal(bench.Policy.Created, seen.OrderBy(static tool => tool.Number));

        int Count()
        {
            lock (seen)
            {
                return seen.Count;
            }
        }
    }

    [Fact]
    public async Task A_broadcast_skips_workers_without_a_state()
    {
        using var bench = new WorkerBench(2);
        Assert.Equal(0, await bench.Pool.BroadcastAsync(static _ => Assert.Fail("There is none.")).WaitAsync(Background.Limit));
        bench.Pool.SynchronizationContext.Send(static _ => { }, null);

        Assert.Equal(0, await bench.Pool.BroadcastAsync(static _ => Assert.Fail("There is none.")).WaitAsync(Background.Limit));

        Assert.Equal((1, 0), (bench.Now.Workers, bench.Now.Created));
    }

    [Fact]
    public async Task Exceptions_of_a_broadcast_are_aggregated_after_all_have_ended()
    {
        using var bench = new WorkerBench(3);
        await bench.Pool.WarmUpAsync(3).WaitAsync(Background.Limit);

        var broadcast = bench.Pool.BroadcastAsync(static tool =>
        {
            if (tool.Number > 0)
            {
                throw new FormatException($"tool {tool.Number}");
            }
        });

        var error = await Assert.ThrowsAsync<AggregateException>(() => broadcast.WaitAsync(Background.Limit));
        Assert.Equal(
            ["tool 1", "tool 2"], error.InnerExceptions.Select(static inner => inner.Message).Order(StringComparer.Ordinal));

        // The others' states are gone, as after any work that throws.
        Assert.Equal(1, await bench.Pool.BroadcastAsync(static _ => { }).WaitAsync(Background.Limit));
        Assert.Equal(2, bench.Policy.Destroyed);
    }

    [Fact]
    public async Task A_cancelled_broadcast_skips_workers_that_have_not_started_it()
    {
        using var bench = new WorkerBench();
        bench.Use();
        var block = bench.Block();
        using var cancelling = new CancellationTokenSource();
        var broadcast = bench.Pool.BroadcastAsync(static _ => Assert.Fail("It was cancelled."), cancelling.Token);

        await cancelling.CancelAsync();

        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => broadcast.WaitAsync(Background.Limit));
        await block.ReleaseAsync();
        bench.Use();
    }

    [Fact]
    public async Task A_broadcast_skips_a_worker_that_is_replaced()
    {
        var limit = TimeSpan.FromSeconds(5);
        using var bench = new WorkerBench(2);
        await bench.Pool.WarmUpAsync(2).WaitAsync(Background.Limit);
        var block = bench.Block(new WorkOptions { RunTimeout = limit });
        var broadcast = bench.Pool.BroadcastAsync(tool => Assert.NotEqual(block.Thread, tool.CreatedOn));

        bench.Clock.Advance(limit);

        Assert.Equal(1, await broadcast.WaitAsync(Background.Limit));
        Assert.Equal(1, bench.Now.AbandonedWorkers);
        block.Release();
        Background.Until(() => bench.Now.AbandonedWorkers == 0);
    }

    [Fact]
    public async Task Disposing_the_pool_ends_a_broadcast()
    {
        using var bench = new WorkerBench();
        var block = bench.Block();
        var broadcast = bench.Pool.BroadcastAsync(static _ => { });

        bench.Pool.Dispose();
        await block.ReleaseAsync();

        Assert.Equal(0, await broadcast.WaitAsync(Background.Limit));
    }
}
