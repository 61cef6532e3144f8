using System.Diagnostics.Metrics;
using Poolhouse.Workers;

namespace Poolhouse.Tests.Workers;

/// <summary>A state is created, used and destroyed on one thread, exactly once.</summary>
public sealed class WorkerStates
{
    [Fact]
    public void A_state_is_created_for_the_first_item_on_the_thread_that_uses_it()
    {
        using var bench = new WorkerBench();
        Assert.Empty(bench.Policy.Created);

        var thread = bench.Pool.Run(static tool => (Tool: tool, Thread: Environment.CurrentManagedThreadId));

        Assert.Equal(thread.Tool.CreatedOn, thread.Thread);
        Assert.NotEqual(Environment.CurrentManagedThreadId, thread.Thread);
        Assert.Same(thread.Tool, bench.Use());
    }

    [Fact]
    public async Task A_disposed_pool_destroys_each_state_once_on_its_own_thread()
    {
        using var bench = new WorkerBench(3);
        await bench.Pool.WarmUpAsync(3).WaitAsync(Background.Limit);

        await bench.Pool.DisposeAsync();

        Assert.Equal(3, bench.Policy.Created.Count);
        Assert.All(bench.Policy.Created, static tool =>
            Assert.Equal(
                (1, tool.CreatedOn, WorkerDestroyReason.PoolDisposed), (tool.Destructions, tool.DestroyedOn, tool.Reason)));
        Assert.Equal(3, bench.Policy.Created.Select(static tool => tool.CreatedOn).Distinct().Count());
    }

    [Fact]
    public void A_state_is_destroyed_after_MaxItemsPerState_items()
    {
        using var bench = new WorkerBench();
        bench.Options.MaxItemsPerState = 3;

        var numbers = Enumerable.Range(0, 7).Select(_ => bench.Use().Number).ToList();

        Assert.Equal([0, 0, 0, 1, 1, 1, 2], numbers);
        Assert.Equal((1, WorkerDestroyReason.MaxItems), (bench.Policy.Created[0].Destructions, bench.Policy.Created[0].Reason));
        Assert.Equal(bench.Policy.Created[0].CreatedOn, bench.Policy.Created[0].DestroyedOn);
    }

    [Theory]
    [InlineData(0.0, 10.0)]
    [InlineData(1.0, 9.0)]
    public void A_state_lives_for_MaxStateLifetime_minus_jitter(double random, double seconds)
    {
        using var bench = new WorkerBench();
        bench.Options.MaxStateLifetime = TimeSpan.FromSeconds(10);
        bench.Options.LifetimeJitter = 0.1;
        bench.Options.IdleTimeout = Timeout.InfiniteTimeSpan;
        bench.Options.Random = new FixedRandom { Value = random };
        var first = bench.Use();

        // On the worker itself, so that the clock does not advance during the check.
        bench.Pool.Run(_ => bench.Clock.Advance(TimeSpan.FromSeconds(seconds) - TimeSpan.FromTicks(1)));
        Assert.Equal(0, first.Destructions);
        bench.Pool.Run(_ => bench.Clock.Advance(TimeSpan.FromTicks(1)));

        Assert.NotSame(first, bench.Use());
        Assert.Equal((1, WorkerDestroyReason.Lifetime, first.CreatedOn), (first.Destructions, first.Reason, first.DestroyedOn));
    }

    [Fact]
    public void An_idle_worker_destroys_an_expired_state_and_keeps_its_thread()
    {
        using var bench = new WorkerBench();
        bench.Options.MaxStateLifetime = TimeSpan.FromSeconds(10);
        bench.Options.LifetimeJitter = 0;
        bench.Options.IdleTimeout = Timeout.InfiniteTimeSpan;
        var first = bench.Use();
        bench.UntilParked();

        bench.Clock.Advance(TimeSpan.FromSeconds(10));

        Background.Until(() => first.Destructions == 1);
        Assert.Equal((WorkerDestroyReason.Lifetime, first.CreatedOn), (first.Reason, first.DestroyedOn));
        Assert.Equal(first.CreatedOn, bench.Use().CreatedOn);
    }

    [Fact]
    public void A_broken_state_is_replaced()
    {
        using var bench = new WorkerBench();
        bench.Policy.Breaks = static tool => tool.Number == 0;

        Assert.NotSame(bench.Use(), bench.Use());

        Assert.Equal((1, WorkerDestroyReason.Broken), (bench.Policy.Created[0].Destructions, bench.Policy.Created[0].Reason));
        Assert.Equal(0, bench.Policy.Created[1].Destructions);
    }

    [Fact]
    public void An_item_that_throws_taints_the_state_and_its_caller_gets_the_exception()
    {
        using var bench = new WorkerBench();

        var thrown = Assert.Throws<FormatException>(() => bench.Pool.Run(static _ => throw new FormatException("mine")));

        Assert.Equal("mine", thrown.Message);
        Assert.NotSame(bench.Policy.Created[0], bench.Use());
        Assert.Equal(WorkerDestroyReason.Tainted, bench.Policy.Created[0].Reason);
    }

    [Fact]
    public void A_post_that_throws_taints_the_state()
    {
        using var bench = new WorkerBench();
        Assert.True(bench.Pool.TryPost<string>(static (_, text) => throw new FormatException(text), "mine"));

        Background.Until(() => bench.Now.Failed == 1);

        Assert.Equal(1, bench.Use().Number);
        Assert.Equal(WorkerDestroyReason.Tainted, bench.Policy.Created[0].Reason);
    }

    [Fact]
    public void A_state_survives_a_failure_that_its_policy_calls_harmless()
    {
        using var bench = new WorkerBench();
        bench.Policy.Survivors = static (_, failure) => failure is FormatException;
        Assert.Throws<FormatException>(() => bench.Pool.Run(static _ => throw new FormatException()));
        Assert.Equal(0, bench.Use().Number);

        Assert.Throws<NotSupportedException>(() => bench.Pool.Run(static _ => throw new NotSupportedException()));

        Assert.Equal(1, bench.Use().Number);
    }

    [Fact]
    public void Cleared_states_of_idle_workers_are_destroyed_at_once()
    {
        using var bench = new WorkerBench();
        var first = bench.Use();
        bench.UntilParked();

        bench.Pool.Clear();

        Background.Until(() => first.Destructions == 1);
        Assert.Equal((WorkerDestroyReason.Cleared, first.CreatedOn), (first.Reason, first.DestroyedOn));
    }

    [Fact]
    public async Task A_cleared_state_in_use_is_destroyed_before_the_next_item()
    {
        using var bench = new WorkerBench();
        var block = bench.Block();
        var next = bench.GetAsync(static tool => tool);

        bench.Pool.Clear();
        Assert.Equal(0, bench.Policy.Created[0].Destructions);
        await block.ReleaseAsync();

        Assert.Equal(1, (await next.WaitAsync(Background.Limit)).Number);
        Assert.Equal(WorkerDestroyReason.Cleared, bench.Policy.Created[0].Reason);
    }

    [Fact]
    public void A_state_being_created_during_a_clear_serves_at_most_one_item()
    {
        using var bench = new WorkerBench();
        bench.Policy.Creating = () =>
        {
            bench.Policy.Creating = null;
            bench.Pool.Clear();
        };

        Assert.Equal(0, bench.Use().Number);

        Assert.Equal(1, bench.Use().Number);
        Assert.Equal(WorkerDestroyReason.Cleared, bench.Policy.Created[0].Reason);
    }

    [Fact]
    public async Task A_state_cleared_just_before_an_item_begins_does_not_serve_it()
    {
        using var bench = new WorkerBench();
        using var meter = new Meter("clearing");
        using var listener = new MeterListener
        {
            InstrumentPublished = (instrument, listener) =>
            {
                if (instrument.Meter == meter && instrument.Name.Equals("poolhouse.pool.wait_time", StringComparison.Ordinal))
                {
                    listener.EnableMeasurementEvents(instrument);
                }
            },
        };

        // Called by the worker that has taken the item.
        listener.SetMeasurementEventCallback<double>((_, _, _, _) => bench.Pool.Clear());
        listener.Start();
        bench.Options.Meter = meter;
        await bench.Pool.WarmUpAsync(1).WaitAsync(Background.Limit);

        Assert.Equal(1, bench.Use().Number);

        Assert.Equal(WorkerDestroyReason.Cleared, bench.Policy.Created[0].Reason);
        Assert.Equal((0, 1), (bench.Now.Hits, bench.Now.Misses));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_state_cleared_before_an_item_is_submitted_does_not_serve_it_even_if_its_worker_is_busy(bool isCreating)
    {
        using var bench = new WorkerBench();
        var work = new BlockingWork();
        Task running;
        if (isCreating)
        {
            bench.Policy.Creating = () =>
            {
                bench.Policy.Creating = null;
                work.Block();
            };
            running = bench.Pool.WarmUpAsync(1);
        }
        else
        {
            bench.Use();
            running = bench.Pool.BroadcastAsync(_ => work.Block());
        }

        work.WaitUntilStarted();
        bench.Pool.Clear();
        var next = bench.GetAsync(static tool => tool);
        work.Release();

        await running.WaitAsync(Background.Limit);
        Assert.Equal(1, (await next.WaitAsync(Background.Limit)).Number);
        Assert.Equal(WorkerDestroyReason.Cleared, bench.Policy.Created[0].Reason);
    }

    [Fact]
    public void Trimming_ends_idle_workers_and_counts_their_states()
    {
        using var bench = new WorkerBench(2);
        var first = bench.Use();
        bench.UntilParked();

        Assert.Equal(1, bench.Pool.Trim());

        Background.Until(() => first.Destructions == 1);
        Assert.Equal((WorkerDestroyReason.Trimmed, first.CreatedOn), (first.Reason, first.DestroyedOn));
        Background.Until(() => bench.Now.Workers == 0);
        Assert.Equal(0, bench.Pool.Trim());
        Assert.Equal(1, bench.Use().Number);
    }

    [Fact]
    public void A_worker_idle_for_too_long_ends_with_its_state()
    {
        using var bench = new WorkerBench();
        bench.Options.IdleTimeout = TimeSpan.FromSeconds(20);
        var first = bench.Use();
        bench.UntilParked();

        bench.Clock.Advance(TimeSpan.FromSeconds(20) - TimeSpan.FromTicks(1));
        Assert.Equal(1, bench.Now.Workers);
        bench.Clock.Advance(TimeSpan.FromTicks(1));

        Assert.Equal(0, bench.Pool.Workers.Parked);
        Background.Until(() => first.Destructions == 1 && bench.Now.Workers == 0);
        Assert.Equal((WorkerDestroyReason.Idle, first.CreatedOn), (first.Reason, first.DestroyedOn));
    }
}
