using System.Collections.ObjectModel;
using Poolhouse.Workers;

namespace Poolhouse.Tests.Workers;

/// <summary>Settings of a worker pool that change while it works, and states that are replaced over a time.</summary>
public sealed class Reconfiguration
{
    [Fact]
    public void More_workers_run_what_is_queued_at_once()
    {
        using var bench = new WorkerBench();
        _ = bench.Block();
        var second = bench.Queue();
        bench.Options.MaxWorkers = 2;

        bench.Pool.Reconfigure(bench.Options);

        second.WaitUntilStarted();
        Assert.Equal((2, 2), (bench.Now.MaxWorkers, bench.Now.Workers));
    }

    [Fact]
    public void A_new_minimum_is_started_and_a_smaller_one_lets_idle_workers_end()
    {
        using var bench = new WorkerBench(maxWorkers: 3);
        _ = bench.Pool;
        bench.Options.MinWorkers = 3;
        bench.Pool.Reconfigure(bench.Options);
        bench.UntilParked(3);

        bench.Options.MinWorkers = 1;
        bench.Options.IdleTimeout = TimeSpan.FromSeconds(2);
        bench.Pool.Reconfigure(bench.Options);

        Background.AdvanceUntil(bench.Clock, () => bench.Now.Workers == 1, TimeSpan.FromSeconds(1), steps: 6);
    }

    [Fact]
    public async Task A_new_queue_timeout_applies_to_items_that_are_queued_from_now_on()
    {
        using var bench = new WorkerBench();
        var block = bench.Block();
        var early = bench.RunAsync(static _ => { });
        bench.Options.QueueTimeout = TimeSpan.FromSeconds(1);

        bench.Pool.Reconfigure(bench.Options);
        var late = bench.RunAsync(static _ => { });
        bench.Clock.Advance(TimeSpan.FromSeconds(2));

        await Assert.ThrowsAsync<WorkTimeoutException>(() => late.WaitAsync(Background.Limit));
        block.Release();
        await early.WaitAsync(Background.Limit);
    }

    [Fact]
    public void Everything_that_is_wrong_is_named_at_once_and_nothing_changes()
    {
        using var bench = new WorkerBench(maxWorkers: 2);
        _ = bench.Pool;
        var options = new WorkerPoolOptions
        {
            MaxWorkers = 0,
            Name = "other",
            QueueCapacity = 3,
            IsBackground = false,
            Lanes = [new WorkLane(), new WorkLane()],
        };

        var error = Assert.Throws<ArgumentException>(() => bench.Pool.Reconfigure(options));

        foreach (var part in new[]
        {
            "MaxWorkers is 0",
            "Name is \"other\"; allowed: \"bench\"",
            "QueueCapacity is 3",
            "IsBackground is False",
            "Lanes is",
            "TimeProvider is",
        })
        {
            Assert.Contains(part, error.Message, StringComparison.Ordinal);
        }

        Assert.Equal(2, bench.Now.MaxWorkers);
    }

    [Fact]
    public void An_observer_notified_by_a_change_of_the_settings_may_wait_for_another_change()
    {
        using var bench = new WorkerBench();
        var observer = new Resizer(bench);
        bench.Options.Observer = observer;
        bench.Options.StartThread = static (_, _) => throw new NotSupportedException("no thread left");
        _ = bench.Pool;
        bench.Options.MinWorkers = 1;

        bench.Pool.Reconfigure(bench.Options);

        Assert.True(observer.HasResized);
        Assert.Equal(2, bench.Now.MaxWorkers);
    }

    [Fact]
    public void A_list_of_lanes_that_is_read_by_a_change_may_wait_for_another_change()
    {
        var changed = new List<bool>();
        using var pool = WorkerPool.Create(new WorkerPoolOptions { Name = "lanes", MaxWorkers = 1 });
        var lanes = new CountedLanes(() =>
        {
            if (changed.Count == 0)
            {
                changed.Add(Background.CanDo(() => pool.Resize(2)));
            }
        });

        pool.Reconfigure(new WorkerPoolOptions { Name = "lanes", MaxWorkers = 3, Lanes = lanes });

        Assert.Equal([true], changed);
        Assert.Equal(3, pool.GetStatistics().MaxWorkers);
    }

    [Fact]
    public void States_are_replaced_within_the_spread_of_a_clear_and_later_ones_are_not_affected()
    {
        using var bench = new WorkerBench(maxWorkers: 1);
        var old = bench.Use();

        bench.Pool.Clear(TimeSpan.FromSeconds(30));
        Assert.Same(old, bench.Use());
        bench.Clock.Advance(TimeSpan.FromSeconds(31));

        var successor = bench.Use();
        Background.Until(() => bench.Now.Destroyed == 1);
        successor = bench.Use();
        Assert.NotSame(old, successor);
        bench.Clock.Advance(TimeSpan.FromSeconds(5));
        Assert.Same(successor, bench.Use());
    }

    [Fact]
    public void A_spread_out_of_range_is_refused()
    {
        using var bench = new WorkerBench();

        Assert.Throws<ArgumentOutOfRangeException>(() => bench.Pool.Clear(TimeSpan.FromSeconds(-1)));
        Assert.Throws<ArgumentOutOfRangeException>(() => bench.Pool.Clear(TimeSpan.FromDays(2)));
    }

    /// <summary>No lanes, in a list that is code of the caller.</summary>
    private sealed class CountedLanes(Action counted) : Collection<WorkLane>, ICollection<WorkLane>
    {
        int ICollection<WorkLane>.Count
        {
            get
            {
                counted();
                return Count;
            }
        }
    }

    /// <summary>Resizes the pool, on another thread, when the first thread could not be started.</summary>
    private sealed class Resizer(WorkerBench bench) : WorkerPoolObserver
    {
        private int _failures;

        public bool HasResized { get; private set; }

        public override void OnStartFailed(in WorkerStartFailedArgs failed)
        {
            if (Interlocked.Increment(ref _failures) == 1)
            {
                HasResized = Background.CanDo(() => bench.Pool.Resize(2));
            }
        }
    }
}
