using Poolhouse.Workers;

namespace Poolhouse.Tests.Workers;

/// <summary>MinWorkers is kept: a worker that was abandoned, or could not be started, is replaced without new work.</summary>
public sealed class MinimumWorkers
{
    private static readonly TimeSpan _limit = TimeSpan.FromSeconds(5);

    [Fact]
    public async Task An_abandoned_worker_is_replaced_with_its_state_although_nothing_waits()
    {
        using var bench = Bench(most: 3, least: 2);
        _ = bench.Pool;
        Background.Until(() => bench.Policy.Created.Count == 2);
        bench.UntilParked(2);
        var block = bench.Block(new WorkOptions { RunTimeout = _limit });

        bench.Clock.Advance(_limit);

        await Assert.ThrowsAsync<WorkTimeoutException>(() => block.Ended.WaitAsync(Background.Limit));
        Assert.Equal((2, 1), (bench.Now.Workers, bench.Now.AbandonedWorkers));
        Background.Until(() => bench.Policy.Created.Count == 3);
        bench.UntilParked(2);
        block.Release();
        Background.Until(() => bench.Now.AbandonedWorkers == 0);
        Assert.Equal((2, 2), (bench.Now.Workers, bench.Now.IdleWorkers));
    }

    [Fact]
    public void All_workers_are_replaced_if_all_were_abandoned()
    {
        using var bench = Bench(most: 2, least: 2);
        bench.Block(new WorkOptions { RunTimeout = _limit });
        bench.Block(new WorkOptions { RunTimeout = _limit });

        bench.Clock.Advance(_limit);

        Background.Until(() => bench.Policy.Created.Count == 4);
        bench.UntilParked(2);
        Assert.Equal((2, 2, 0), (bench.Now.Workers, bench.Now.AbandonedWorkers, bench.Now.Waiting));
    }

    [Fact]
    public void A_pool_without_MinWorkers_replaces_workers_only_when_an_item_waits()
    {
        using var bench = Bench(most: 2, least: 0);
        bench.Block(new WorkOptions { RunTimeout = _limit });

        bench.Clock.Advance(_limit);

        Assert.Equal((0, 1), (bench.Now.Workers, bench.Now.AbandonedWorkers));
        Assert.Equal(1, bench.Use().Number);
    }

    [Fact]
    public async Task A_worker_whose_creation_hangs_ahead_of_demand_is_replaced()
    {
        using var bench = Bench(most: 1, least: 1).Listen();
        bench.Options.RunTimeout = _limit;
        var creation = HangOnce(bench);
        _ = bench.Pool;
        creation.WaitUntilStarted();
        var item = bench.GetAsync(static tool => tool.Number);
        Assert.Equal((1, 0), (bench.Now.Workers, bench.Now.Leased));

        bench.Clock.Advance(_limit);

        Assert.Equal(0, await item.WaitAsync(Background.Limit));
        var abandoned = Assert.Single(bench.Events.Of<WorkAbandonedArgs>());
        Assert.Equal((WorkPhase.Create, "creation of a state ahead of demand"), (abandoned.Phase, abandoned.Label));
        Assert.Equal(_limit, abandoned.RanFor);
        creation.Release();
        Background.Until(() => bench.Now.AbandonedWorkers == 0);
        Assert.Equal((1, 1), (bench.Policy.Destroyed, bench.Now.Workers));
        Assert.Equal(0, bench.Use().Number);
    }

    [Fact]
    public async Task A_warm_up_fails_if_a_creation_hangs()
    {
        using var bench = Bench(most: 1, least: 0);
        bench.Options.RunTimeout = _limit;
        var creation = HangOnce(bench);
        var warmUp = bench.Pool.WarmUpAsync(1, TestContext.Current.CancellationToken);
        creation.WaitUntilStarted();

        bench.Clock.Advance(_limit);

        var error = await Assert.ThrowsAsync<WorkTimeoutException>(() => warmUp.WaitAsync(Background.Limit));
        Assert.Equal((WorkPhase.Create, _limit), (error.Phase, error.Elapsed));
        Assert.Contains("a state was not created ahead of demand within 5 s (", error.Message, StringComparison.Ordinal);
        Assert.EndsWith(
            "Find out why the policy's Create hangs, or raise RunTimeout.", error.Message, StringComparison.Ordinal);
        creation.Release();
        await bench.Pool.WarmUpAsync(1, TestContext.Current.CancellationToken);
        Assert.Equal((1, 1), (bench.Now.Workers, bench.Now.IdleWorkers));
        Background.Until(() => bench.Now.AbandonedWorkers == 0);
    }

    [Fact]
    public void A_creation_ahead_of_demand_that_takes_long_is_reported_as_stuck()
    {
        using var bench = Bench(most: 1, least: 1).Listen();
        bench.Options.StuckThreshold = _limit;
        var creation = HangOnce(bench);
        _ = bench.Pool;
        creation.WaitUntilStarted();

        bench.Clock.Advance(_limit);

        Assert.Equal("creation of a state ahead of demand", Assert.Single(bench.Events.Of<WorkStuckArgs>()).Label);
        creation.Release();
        Assert.Equal(0, bench.Use().Number);
    }

    [Fact]
    public async Task A_draining_pool_replaces_no_workers()
    {
        using var bench = Bench(most: 1, least: 1);
        var block = bench.Block(new WorkOptions { RunTimeout = _limit });
        var drain = bench.Pool.DrainAsync();

        bench.Clock.Advance(_limit);

        await drain.WaitAsync(Background.Limit);
        Assert.Equal(0, bench.Now.Workers);
        block.Release();
        Background.Until(() => bench.Now.AbandonedWorkers == 0);
        Assert.Single(bench.Policy.Created);
    }

    [Fact]
    public void A_failed_thread_start_is_retried_after_a_second()
    {
        using var bench = Bench(most: 2, least: 1).Listen();
        var starts = new Starts(bench) { Refuses = true };
        Assert.Equal((0, 1, 1), (bench.Now.Workers, starts.Count, bench.Now.CreateFailures));
        var failed = Assert.Single(bench.Events.Of<WorkerStartFailedArgs>());
        Assert.Equal(("no thread left", TimeSpan.FromSeconds(1)), (failed.Failure.Message, failed.RetryAfter));

        starts.Refuses = false;
        bench.Clock.Advance(TimeSpan.FromMilliseconds(999));
        Assert.Equal(1, starts.Count);
        bench.Clock.Advance(TimeSpan.FromMilliseconds(1));

        Assert.Equal((1, 2), (bench.Now.Workers, starts.Count));
        Background.Until(() => bench.Policy.Created.Count == 1);
        bench.UntilParked();
    }

    [Fact]
    public void While_threads_cannot_be_started_one_is_tried_per_second()
    {
        using var bench = Bench(most: 4, least: 3);
        var starts = new Starts(bench) { Refuses = true };
        Assert.Equal((0, 3), (bench.Now.Workers, starts.Count));

        for (var second = 1; second <= 20; second++)
        {
            bench.Clock.Advance(TimeSpan.FromSeconds(1));
            Assert.Equal(3 + second, starts.Count);
        }

        starts.Refuses = false;
        bench.Clock.Advance(TimeSpan.FromSeconds(1));
        Assert.Equal((3, 26), (bench.Now.Workers, starts.Count));
        bench.Clock.Advance(TimeSpan.FromHours(1));
        Assert.Equal((3, 26), (bench.Now.Workers, starts.Count));
    }

    [Fact]
    public void An_earlier_deadline_does_not_advance_the_next_retry()
    {
        using var bench = Bench(most: 2, least: 2);
        var starts = new Starts(bench) { RefusesFrom = 2 };
        _ = bench.Pool;
        bench.UntilParked();
        bench.Block(new WorkOptions { RunTimeout = TimeSpan.FromMilliseconds(300) });
        Assert.Equal((1, 2), (bench.Now.Workers, starts.Count));
        starts.RefusesFrom = int.MaxValue;

        bench.Clock.Advance(TimeSpan.FromMilliseconds(300));
        Assert.Equal((0, 1, 2), (bench.Now.Workers, bench.Now.AbandonedWorkers, starts.Count));
        bench.Clock.Advance(TimeSpan.FromMilliseconds(700));

        Assert.Equal((2, 4), (bench.Now.Workers, starts.Count));
    }

    [Fact]
    public async Task An_item_whose_thread_could_not_be_started_starts_a_second_later()
    {
        using var bench = Bench(most: 1, least: 0);
        var starts = new Starts(bench) { Refuses = true };
        var item = bench.RunAsync(static _ => { });
        Assert.Equal((1, 1), (bench.Now.Waiting, starts.Count));

        starts.Refuses = false;
        bench.Clock.Advance(TimeSpan.FromSeconds(1));

        await item.WaitAsync(Background.Limit);
    }

    [Fact]
    public async Task A_drain_completes_when_the_last_item_is_cancelled_while_no_thread_can_be_started()
    {
        using var bench = Bench(most: 1, least: 0);
        _ = new Starts(bench) { Refuses = true };
        using var first = new CancellationTokenSource();
        using var last = new CancellationTokenSource();
        var items = new[]
        {
            bench.RunAsync(static _ => { }, default, first.Token),
            bench.RunAsync(static _ => { }, default, last.Token),
        };
        var drain = bench.Pool.DrainAsync();

        await first.CancelAsync();
        bench.Clock.Advance(TimeSpan.FromSeconds(1));
        Assert.False(drain.IsCompleted);
        await last.CancelAsync();

        await drain.WaitAsync(Background.Limit);
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => items[0].WaitAsync(Background.Limit));
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => items[1].WaitAsync(Background.Limit));
        Assert.Equal((2, 0), (bench.Now.Cancellations, bench.Now.Waiting));
    }

    [Fact]
    public async Task A_drain_completes_when_the_last_item_times_out_while_no_thread_can_be_started()
    {
        using var bench = Bench(most: 1, least: 0);
        _ = new Starts(bench) { Refuses = true };
        var item = bench.RunAsync(static _ => { }, new WorkOptions { QueueTimeout = _limit });
        var drain = bench.Pool.DrainAsync();
        Assert.False(drain.IsCompleted);

        bench.Clock.Advance(_limit);

        await Assert.ThrowsAsync<WorkTimeoutException>(() => item.WaitAsync(Background.Limit));
        await drain.WaitAsync(Background.Limit);
    }

    [Fact]
    public async Task A_warm_up_creates_the_state_on_another_worker_if_its_worker_is_replaced()
    {
        using var bench = Bench(most: 1, least: 0);
        var block = new BlockingWork();
        bench.Policy.Creating = () =>
        {
            bench.Policy.Creating = null;
            block.Block();
        };
        var item = bench.RunAsync(static _ => { }, new WorkOptions { RunTimeout = _limit });
        block.WaitUntilStarted();
        var warmUp = bench.Pool.WarmUpAsync(1);

        bench.Clock.Advance(_limit);

        await warmUp.WaitAsync(Background.Limit);
        Assert.Equal((1, 1), (bench.Policy.Created.Count, bench.Now.IdleWorkers));
        await Assert.ThrowsAsync<WorkTimeoutException>(() => item.WaitAsync(Background.Limit));
        block.Release();
        Background.Until(() => bench.Now.AbandonedWorkers == 0);
    }

    [Fact]
    public async Task A_failed_thread_start_reaches_the_caller_of_the_warm_up()
    {
        using var bench = Bench(most: 1, least: 0);
        _ = new Starts(bench) { Refuses = true };

        var error = await Assert.ThrowsAsync<NotSupportedException>(() => bench.Pool.WarmUpAsync(1).WaitAsync(Background.Limit));

        Assert.Equal("no thread left", error.Message);
    }

    [Fact]
    public async Task Disposal_completes_while_the_only_thread_cannot_be_started()
    {
        using var bench = Bench(most: 1, least: 0);
        bench.Options.StartThread = (_, _) =>
        {
            bench.Pool.Dispose();
            throw new NotSupportedException();
        };

        await Assert.ThrowsAsync<NotSupportedException>(() => bench.Pool.WarmUpAsync(1).WaitAsync(Background.Limit));

        await bench.Pool.DrainAsync().WaitAsync(Background.Limit);
    }

    private static WorkerBench Bench(int most, int least)
    {
        var bench = new WorkerBench(most);
        bench.Options.MinWorkers = least;
        return bench;
    }

    /// <summary>Lets the next creation block. Call it before the pool is created.</summary>
    private static BlockingWork HangOnce(WorkerBench bench)
    {
        var creation = new BlockingWork();
        bench.Policy.Creating = () =>
        {
            bench.Policy.Creating = null;
            creation.Block();
        };
        return creation;
    }

    /// <summary>
    /// Starts the pool's threads, unless the test simulates a lack of threads. Call it before the pool is created.
    /// </summary>
    private sealed class Starts
    {
        public Starts(WorkerBench bench)
        {
            var start = bench.Options.StartThread;
            bench.Options.StartThread = (thread, worker) =>
            {
                Count++;
                if (Refuses || Count >= RefusesFrom)
                {
                    throw new NotSupportedException("no thread left");
                }

                start(thread, worker);
            };
        }

        public bool Refuses { get; set; }

        public int RefusesFrom { get; set; } = int.MaxValue;

        public int Count { get; private set; }
    }
}
