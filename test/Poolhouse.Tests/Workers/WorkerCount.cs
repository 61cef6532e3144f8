using Poolhouse.Workers;

namespace Poolhouse.Tests.Workers;

/// <summary>The number of threads, which of them is used next, and when they end.</summary>
public sealed class WorkerCount
{
    [Fact]
    public void Threads_are_started_one_by_one_when_all_others_are_busy()
    {
        using var bench = new WorkerBench(3);
        Assert.Equal(0, bench.Now.Workers);

        for (var busy = 1; busy <= 3; busy++)
        {
            bench.Block();
            Assert.Equal((busy, busy), (bench.Now.Workers, bench.Now.Leased));
        }

        var more = bench.Queue();
        Assert.Equal((3, 1), (bench.Now.Workers, bench.Now.Waiting));
        Assert.False(more.HasStarted);
    }

    [Fact]
    public void An_idle_worker_is_used_before_a_thread_is_started()
    {
        using var bench = new WorkerBench(3);
        bench.Use();
        bench.UntilParked();

        bench.Use();

        Assert.Equal((1, 1), (bench.Now.Workers, bench.Now.PeakWorkers));
    }

    [Fact]
    public async Task The_most_recently_idle_worker_is_used_next()
    {
        using var bench = new WorkerBench(3);
        var blocks = new[] { bench.Block(), bench.Block(), bench.Block() };
        for (var i = 0; i < 3; i++)
        {
            await blocks[i].ReleaseAsync();
            bench.UntilParked(i + 1);
        }

        // Each blocks until all have started, so none is used twice.
        var order = new[] { bench.Block(), bench.Block(), bench.Block() }.Select(static block => block.Thread);

        Assert.Equal(blocks.Select(static block => block.Thread).Reverse(), order);
    }

    [Fact]
    public async Task MinWorkers_are_started_with_their_states_at_once_and_never_expire()
    {
        using var bench = new WorkerBench(3);
        bench.Options.MinWorkers = 2;
        _ = bench.Pool;
        Background.Until(() => bench.Policy.Created.Count == 2);
        bench.UntilParked(2);
        var blocks = new[] { bench.Block(), bench.Block(), bench.Block() };
        foreach (var block in blocks)
        {
            await block.ReleaseAsync();
        }

        bench.UntilParked(3);
        bench.Clock.Advance(TimeSpan.FromHours(1));

        Background.Until(() => bench.Policy.Destroyed == 1 && bench.Now.Workers == 2);
        Assert.Equal(2, bench.Pool.Workers.Parked);
    }

    [Fact]
    public async Task Trimming_restarts_the_minimum_of_workers()
    {
        using var bench = new WorkerBench(2);
        bench.Options.MinWorkers = 1;
        await bench.Pool.WarmUpAsync(2).WaitAsync(Background.Limit);
        bench.UntilParked(2);

        Assert.Equal(2, bench.Pool.Trim());

        Background.Until(() => bench.Policy.Created.Count == 3);
        bench.UntilParked();
        Background.Until(() => bench.Policy.Destroyed == 2 && bench.Now.Workers == 1);
    }

    [Fact]
    public async Task Warming_up_creates_the_missing_states()
    {
        using var bench = new WorkerBench(4);
        await bench.Pool.WarmUpAsync(2).WaitAsync(Background.Limit);
        Assert.Equal((2, 2), (bench.Policy.Created.Count, bench.Now.Workers));

        await bench.Pool.WarmUpAsync(2).WaitAsync(Background.Limit);
        Assert.Equal(2, bench.Policy.Created.Count);
        await bench.Pool.WarmUpAsync(4).WaitAsync(Background.Limit);

        Assert.Equal((4, 4, 0), (bench.Policy.Created.Count, bench.Now.IdleWorkers, bench.Now.Rented));
        Assert.Equal(4, bench.Policy.Created.Select(static tool => tool.CreatedOn).Distinct().Count());
        await Assert.ThrowsAsync<ArgumentOutOfRangeException>(() => bench.Pool.WarmUpAsync(5));
        await Assert.ThrowsAsync<ArgumentOutOfRangeException>(() => bench.Pool.WarmUpAsync(-1));
    }

    [Fact]
    public async Task The_wait_for_a_warm_up_can_be_cancelled()
    {
        using var bench = new WorkerBench();
        using var opened = new ManualResetEventSlim();
        bench.Policy.Creating = () => opened.Wait(Background.Limit);
        using var cancelling = new CancellationTokenSource();
        var warm = bench.Pool.WarmUpAsync(1, cancelling.Token);

        await cancelling.CancelAsync();

        await Assert.ThrowsAsync<TaskCanceledException>(() => warm.WaitAsync(Background.Limit));
        opened.Set();
        Background.Until(() => bench.Policy.Created.Count == 1);
    }

    [Fact]
    public async Task Growing_the_pool_runs_waiting_items_at_once()
    {
        using var bench = new WorkerBench();
        bench.Block();
        var waiting = new[] { bench.Queue(), bench.Queue() };

        bench.Pool.Resize(3);

        foreach (var block in waiting)
        {
            block.WaitUntilStarted();
            await block.ReleaseAsync();
        }

        Assert.Equal(3, bench.Now.MaxWorkers);
    }

    [Fact]
    public async Task Shrinking_the_pool_ends_idle_workers_at_once_and_busy_ones_after_their_items()
    {
        using var bench = new WorkerBench(4);
        var blocks = new[] { bench.Block(), bench.Block(), bench.Block(), bench.Block() };
        await blocks[0].ReleaseAsync();
        bench.UntilParked();

        bench.Pool.Resize(2);
        Background.Until(() => bench.Policy.Destroyed == 1 && bench.Now.Workers == 3);
        await blocks[1].ReleaseAsync();

        Background.Until(() => bench.Policy.Destroyed == 2 && bench.Now.Workers == 2);
        Assert.Equal((2, 2), (bench.Now.Workers, bench.Now.DestroyedFor(WorkerDestroyReason.Surplus)));
        await blocks[2].ReleaseAsync();
        bench.UntilParked();
        Assert.Equal(2, bench.Now.Workers);
    }

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(10_001)]
    public void A_size_out_of_range_is_rejected(int size)
    {
        using var bench = new WorkerBench(3);
        bench.Options.MinWorkers = 2;

        Assert.Throws<ArgumentOutOfRangeException>(() => bench.Pool.Resize(size));

        Assert.Equal(3, bench.Now.MaxWorkers);
    }

    [Fact]
    public void Threads_have_the_configured_properties()
    {
        using var bench = new WorkerBench(2);
        bench.Options.ThreadName = "printer";
        bench.Options.IsBackground = false;
        bench.Options.Priority = ThreadPriority.BelowNormal;
        bench.Options.MaxStackSize = 16 << 20;

        var (name, background, priority, pooled) = bench.Pool.Run(static _ =>
        {
            var thread = Thread.CurrentThread;
            return (thread.Name, thread.IsBackground, thread.Priority, thread.IsThreadPoolThread);
        });

        Assert.Equal(("printer-0", false, ThreadPriority.BelowNormal, false), (name, background, priority, pooled));

        // Deeper than the usual stack of a thread would allow.
        Assert.Equal(40_000, bench.Pool.Run(static _ => Recurse(40_000)));
    }

    [Fact]
    public void Threads_are_named_after_the_pool_by_default()
    {
        using var bench = new WorkerBench();

        Assert.Equal(
            ("bench-0", true), bench.Pool.Run(static _ => (Thread.CurrentThread.Name, Thread.CurrentThread.IsBackground)));
    }

    [Fact]
    public void A_worker_recognizes_its_own_thread()
    {
        using var bench = new WorkerBench();
        Assert.False(bench.Pool.IsWorkerThread);
        Assert.Null(bench.Pool.CurrentWorker);
        Assert.Throws<InvalidOperationException>(() => bench.Pool.CurrentState);

        var (isWorker, number, same) =
            bench.Pool.Run(tool => (bench.Pool.IsWorkerThread, bench.Pool.CurrentWorker, bench.Pool.CurrentState == tool));

        Assert.Equal((true, 0, true), (isWorker, number, same));
        using var other = new WorkerBench();
        Assert.Equal((false, (int?)null), other.Pool.Run(_ => (bench.Pool.IsWorkerThread, bench.Pool.CurrentWorker)));
        Assert.Throws<InvalidOperationException>(() => other.Pool.Run(_ => bench.Pool.CurrentState));
    }

    private static int Recurse(int depth)
    {
        Span<byte> ballast = stackalloc byte[256];
        ballast[depth & 255] = 1;
        return depth == 0 ? 0 : Recurse(depth - 1) + ballast[depth & 255];
    }
}
