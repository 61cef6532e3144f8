using Poolhouse.Workers;

namespace Poolhouse.Tests.Workers.Queueing;

/// <summary>Time limits hold when many expire at once, when the timer is late, and when an observer blocks.</summary>
public sealed class DeadlinesUnderLoad
{
    private static readonly TimeSpan _limit = TimeSpan.FromSeconds(5);

    [Fact]
    public async Task An_item_does_not_start_after_its_queue_timeout_although_the_timer_has_not_fired()
    {
        using var bench = new WorkerBench().Listen();
        bench.Options.TimeProvider = new LateTimers(bench.Clock);
        bench.Options.QueueTimeout = _limit;
        var block = bench.Block();
        var begun = 0;
        var items = Enumerable.Range(0, 100).Select(_ => bench.RunAsync(_ => begun++)).ToList();
        var last = bench.RunAsync(static _ => { }, new WorkOptions { QueueTimeout = 2 * _limit, Key = 1 });
        var behind = bench.RunAsync(_ => begun++, new WorkOptions { QueueTimeout = _limit, Key = 1 });

        bench.Clock.Advance(_limit);
        await block.ReleaseAsync();

        foreach (var item in items.Append(behind))
        {
            var error = await Assert.ThrowsAsync<WorkTimeoutException>(() => item.WaitAsync(Background.Limit));
            Assert.Equal((WorkPhase.Queue, _limit), (error.Phase, error.Elapsed));
        }

        await last.WaitAsync(Background.Limit);
        bench.UntilParked();
        Assert.Equal((0, 101, 101), (begun, bench.Now.Timeouts, bench.Events.Of<WorkDroppedArgs>().Count));
        Assert.Equal((2, 2), (bench.Now.Rented, bench.Now.Returned));
    }

    [Fact]
    public async Task An_item_with_a_queue_timeout_of_zero_never_starts()
    {
        using var bench = new WorkerBench();
        bench.Use();
        bench.UntilParked();
        var options = new WorkOptions { QueueTimeout = TimeSpan.Zero };

        foreach (var item in Enumerable.Range(0, 20)
            .Select(_ => bench.RunAsync(static _ => Assert.Fail("It is out of time."), options)))
        {
            bench.Clock.Advance(TimeSpan.Zero);
            await Assert.ThrowsAsync<WorkTimeoutException>(() => item.WaitAsync(Background.Limit));
        }
    }

    [Fact]
    public async Task Run_timeouts_are_reported_before_a_burst_of_queue_timeouts()
    {
        const int Burst = 1_000;
        using var bench = new WorkerBench().Listen();
        bench.Options.MaxAbandonedWorkers = 0;
        var block = bench.Block(new WorkOptions { RunTimeout = _limit });
        var waiting = bench.Fill(Burst, new WorkOptions { QueueTimeout = _limit, Label = "waits" });

        // The observer is notified in the order of the events.
        bench.Clock.Advance(_limit);

        Assert.IsType<WorkAbandonedArgs>(
            bench.Events.Of<object>().First(static recorded => recorded is WorkAbandonedArgs or WorkDroppedArgs));
        await Assert.ThrowsAsync<WorkTimeoutException>(() => block.Ended.WaitAsync(Background.Limit));
        var statistics = new HashSet<PoolStatistics>(ReferenceEqualityComparer.Instance);
        foreach (var item in waiting)
        {
            var error = await Assert.ThrowsAsync<WorkTimeoutException>(() => item.WaitAsync(Background.Limit));
            statistics.Add(error.Statistics);
        }

        // One reading for many exceptions.
        Assert.InRange(statistics.Count, 1, Burst / 100);
    }

    [Fact]
    public async Task An_observer_that_blocks_delays_no_other_deadline()
    {
        var observer = new BlockingObserver();
        using var bench = new WorkerBench(2);
        bench.Options.Observer = observer;
        var blocks = new[] { bench.Block(new WorkOptions { RunTimeout = 2 * _limit }), bench.Block() };
        var first = bench.RunAsync(static _ => { }, new WorkOptions { QueueTimeout = _limit });
        var second = bench.RunAsync(static _ => { }, new WorkOptions { QueueTimeout = 2 * _limit });
        var advanced = Background.Start(() =>
        {
            bench.Clock.Advance(_limit);
            return true;
        });
        observer.WaitUntilStarted();

        var again = Background.Start(() =>
        {
            bench.Clock.Advance(_limit);
            return true;
        });

        await Assert.ThrowsAsync<WorkTimeoutException>(() => first.WaitAsync(Background.Limit));
        await Assert.ThrowsAsync<WorkTimeoutException>(() => second.WaitAsync(Background.Limit));
        await Assert.ThrowsAsync<WorkTimeoutException>(() => blocks[0].Ended.WaitAsync(Background.Limit));
        Assert.False(advanced.IsCompleted);
        observer.Release();
        Assert.True(await advanced.WaitAsync(Background.Limit) && await again.WaitAsync(Background.Limit));
    }

    [Fact]
    public async Task An_observer_that_blocks_does_not_delay_the_cancellation_of_a_post()
    {
        var observer = new BlockingObserver();
        using var bench = new WorkerBench();
        bench.Options.Observer = observer;
        bench.Options.QueueCapacity = 1;
        bench.Block();
        bench.Fill(1);
        using var cancelling = new CancellationTokenSource();
        var post = bench.Pool.PostAsync<object?>(static (_, _) => { }, null, default, cancelling.Token).AsTask();
        var cancelled = Background.Start(() =>
        {
            cancelling.Cancel();
            return true;
        });
        observer.WaitUntilStarted();

        var error = await Assert.ThrowsAnyAsync<OperationCanceledException>(() => post.WaitAsync(Background.Limit));

        Assert.Equal(
            (TaskStatus.Canceled, cancelling.Token, 1), (post.Status, error.CancellationToken, bench.Now.Cancellations));
        Assert.False(cancelled.IsCompleted);
        observer.Release();
        Assert.True(await cancelled.WaitAsync(Background.Limit));
    }

    [Fact]
    public async Task The_counters_in_a_timeout_exception_are_not_those_of_an_earlier_one()
    {
        using var bench = new WorkerBench();
        bench.Options.TimeProvider = new LateTimers(bench.Clock);
        var options = new WorkOptions { QueueTimeout = TimeSpan.Zero };
        for (var timeouts = 1; timeouts <= 2; timeouts++)
        {
            var error = await Assert.ThrowsAsync<WorkTimeoutException>(
                () => bench.RunAsync(static _ => Assert.Fail("It is out of time."), options).WaitAsync(Background.Limit));

            Assert.Equal(timeouts, error.Statistics.Timeouts);
            bench.UntilParked();
            bench.Clock.Advance(TimeSpan.FromHours(1));
        }
    }

    [Fact]
    public async Task The_run_timeout_excludes_the_creation_of_the_state()
    {
        using var bench = new WorkerBench();
        bench.Options.RunTimeout = _limit;
        var almost = _limit - TimeSpan.FromSeconds(1);
        bench.Policy.Creating = () => bench.Clock.Advance(almost);

        await bench.RunAsync(_ => bench.Clock.Advance(almost)).WaitAsync(Background.Limit);

        Assert.Equal((0, almost, almost), (bench.Now.Abandoned, bench.Now.CreateTime, bench.Now.RunTime));
    }

    [Fact]
    public async Task An_item_whose_state_creation_times_out_fails_and_never_starts()
    {
        using var bench = new WorkerBench().Listen();
        bench.Options.RunTimeout = _limit;
        using var opened = new ManualResetEventSlim();
        using var entered = new ManualResetEventSlim();
        bench.Policy.Creating = () =>
        {
            bench.Policy.Creating = null;
            entered.Set();
            opened.Wait(Background.Limit);
        };
        var begun = 0;
        var item = bench.RunAsync(_ => begun++, new WorkOptions { Label = "innocent" });
        Assert.True(entered.Wait(Background.Limit));

        bench.Clock.Advance(_limit);

        var error = await Assert.ThrowsAsync<WorkTimeoutException>(() => item.WaitAsync(Background.Limit));
        Assert.Equal((WorkPhase.Create, _limit), (error.Phase, error.Elapsed));
        Assert.Contains("its state was not created within 5 s", error.Message, StringComparison.Ordinal);
        Assert.Equal(WorkPhase.Create, Assert.Single(bench.Events.Of<WorkAbandonedArgs>()).Phase);
        Assert.NotNull(bench.Use());
        opened.Set();
        Background.Until(() => bench.Now.AbandonedWorkers == 0);
        Assert.Equal((0, 2), (begun, bench.Policy.Created.Count));
        Assert.Equal(1, bench.Policy.Destroyed);
    }

    /// <summary>A clock whose timers never fire.</summary>
    private sealed class LateTimers(TimeProvider clock) : TimeProvider
    {
        public override long TimestampFrequency => clock.TimestampFrequency;

        public override long GetTimestamp() => clock.GetTimestamp();

        public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period) =>
            clock.CreateTimer(static _ => { }, null, Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
    }

    private sealed class BlockingObserver : WorkerPoolObserver
    {
        private readonly BlockingWork _block = new();

        public void WaitUntilStarted() => _block.WaitUntilStarted();

        public void Release() => _block.Release();

        public override void OnDropped(in WorkDroppedArgs dropped) => _block.Block();
    }
}
