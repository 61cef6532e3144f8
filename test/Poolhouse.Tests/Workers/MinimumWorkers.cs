
namespace Poolhouse.Tests.Workers;

/// <summary>The least workers are kept: one that was given up, or could not be started, is replaced without new work.</summary>
public sealed class MinimumWorkers
{
    private static readonly TimeSpan _limit = TimeSpan.FromSeconds(5);

    [Fact]
    public async Task A_worker_that_was_given_up_is_replaced_with_its_state_although_nothing_waits()
    {
        using var bench = Bench(most: 3, least: 2);
        _ = bench.Pool;
        Background.Until(() => bench.Policy.Made.Count == 2);
        bench.UntilResting(2);
        var block = bench.Block(new WorkOptions { RunTimeout = _limit });

        bench.Clock.Advance(_limit);

        await Assert.ThrowsAsync<PoolTimeoutException>(() => block.Ended.WaitAsync(Background.Limit));
        Assert.Equal((2, 1), (bench.Now.Live, bench.Now.AbandonedWorkers));
        Background.Until(() => bench.Policy.Made.Count == 3);
        bench.UntilResting(2);
        block.Open();
        Background.Until(() => bench.Now.AbandonedWorkers == 0);
        Assert.Equal((2, 2), (bench.Now.Live, bench.Now.Retained));
    }

    [Fact]
    public void All_of_them_are_replaced_if_all_were_given_up()
    {
        using var bench = Bench(most: 2, least: 2);
        bench.Block(new WorkOptions { RunTimeout = _limit });
        bench.Block(new WorkOptions { RunTimeout = _limit });

        bench.Clock.Advance(_limit);

        Background.Until(() => bench.Policy.Made.Count == 4);
        bench.UntilResting(2);
        Assert.Equal((2, 2, 0), (bench.Now.Live, bench.Now.AbandonedWorkers, bench.Now.Waiting));
    }

    [Fact]
    public void A_pool_without_least_workers_replaces_nobody_until_something_waits()
    {
        using var bench = Bench(most: 2, least: 0);
        bench.Block(new WorkOptions { RunTimeout = _limit });

        bench.Clock.Advance(_limit);

        Assert.Equal((0, 1), (bench.Now.Live, bench.Now.AbandonedWorkers));
        Assert.Equal(1, bench.Use().Number);
    }

    [Fact]
    public async Task A_pool_that_drains_replaces_nobody()
    {
        using var bench = Bench(most: 1, least: 1);
        var block = bench.Block(new WorkOptions { RunTimeout = _limit });
        var drain = bench.Pool.DrainAsync();

        bench.Clock.Advance(_limit);

        await drain.WaitAsync(Background.Limit);
        Assert.Equal(0, bench.Now.Live);
        block.Open();
        Background.Until(() => bench.Now.AbandonedWorkers == 0);
        Assert.Single(bench.Policy.Made);
    }

    [Fact]
    public void A_thread_that_could_not_be_started_is_tried_again_after_a_second()
    {
        using var bench = Bench(most: 2, least: 1).Listen();
        var starts = new Starts(bench) { Refuses = true };
        Assert.Equal((0, 1, 1), (bench.Now.Live, starts.Count, bench.Now.CreateFailures));
        var told = Assert.Single(bench.Heard.Heard<ItemCreateFailed>());
        Assert.Equal(("no thread left", TimeSpan.FromSeconds(1)), (told.Failure.Message, told.RetryAfter));

        starts.Refuses = false;
        bench.Clock.Advance(TimeSpan.FromMilliseconds(999));
        Assert.Equal(1, starts.Count);
        bench.Clock.Advance(TimeSpan.FromMilliseconds(1));

        Assert.Equal((1, 2), (bench.Now.Live, starts.Count));
        Background.Until(() => bench.Policy.Made.Count == 1);
        bench.UntilResting();
    }

    [Fact]
    public void As_long_as_the_system_has_no_thread_left_one_is_tried_a_second()
    {
        using var bench = Bench(most: 4, least: 3);
        var starts = new Starts(bench) { Refuses = true };
        Assert.Equal((0, 3), (bench.Now.Live, starts.Count));

        for (var second = 1; second <= 20; second++)
        {
            bench.Clock.Advance(TimeSpan.FromSeconds(1));
            Assert.Equal(3 + second, starts.Count);
        }

        starts.Refuses = false;
        bench.Clock.Advance(TimeSpan.FromSeconds(1));
        Assert.Equal((3, 26), (bench.Now.Live, starts.Count));
        bench.Clock.Advance(TimeSpan.FromHours(1));
        Assert.Equal((3, 26), (bench.Now.Live, starts.Count));
    }

    [Fact]
    public void Another_deadline_does_not_hasten_the_next_try()
    {
        using var bench = Bench(most: 2, least: 2);
        var starts = new Starts(bench) { RefusesFrom = 2 };
        _ = bench.Pool;
        bench.UntilResting();
        bench.Block(new WorkOptions { RunTimeout = TimeSpan.FromMilliseconds(300) });
        Assert.Equal((1, 2), (bench.Now.Live, starts.Count));
        starts.RefusesFrom = int.MaxValue;

        bench.Clock.Advance(TimeSpan.FromMilliseconds(300));
        Assert.Equal((0, 1, 2), (bench.Now.Live, bench.Now.AbandonedWorkers, starts.Count));
        bench.Clock.Advance(TimeSpan.FromMilliseconds(700));

        Assert.Equal((2, 4), (bench.Now.Live, starts.Count));
    }

    [Fact]
    public async Task An_item_for_which_no_thread_could_be_started_begins_a_second_later()
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
    public async Task Who_warms_up_hears_that_a_thread_could_not_be_started()
    {
        using var bench = Bench(most: 1, least: 0);
        _ = new Starts(bench) { Refuses = true };

        var error = await Assert.ThrowsAsync<NotSupportedException>(() => bench.Pool.WarmUpAsync(1).WaitAsync(Background.Limit));

        Assert.Equal("no thread left", error.Message);
    }

    [Fact]
    public async Task A_pool_that_is_disposed_while_its_only_thread_cannot_be_started_has_ended()
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

    /// <summary>Starts the pool's threads, unless the system is to have none left. Before the pool is made.</summary>
    private sealed class Starts
    {
        public Starts(WorkerBench bench)
        {
            bench.Options.StartThread = (thread, worker) =>
            {
                Count++;
                if (Refuses || Count >= RefusesFrom)
                {
                    throw new NotSupportedException("no thread left");
                }

                thread.UnsafeStart(worker);
            };
        }

        public bool Refuses { get; set; }

        public int RefusesFrom { get; set; } = int.MaxValue;

        public int Count { get; private set; }
    }
}
