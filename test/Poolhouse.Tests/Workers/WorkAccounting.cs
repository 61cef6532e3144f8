using System.Diagnostics.Metrics;
using Poolhouse.Workers;

namespace Poolhouse.Tests.Workers;

/// <summary>Statistics, metrics and observers.</summary>
public sealed class WorkAccounting
{
    [Fact]
    public async Task The_counters_add_up_when_all_work_has_ended()
    {
        using var bench = new WorkerBench(2);
        bench.Options.MaxItemsPerState = 5;
        for (var i = 0; i < 30; i++)
        {
            await bench.RunAsync(_ => Assert.True(i % 7 != 3)).WaitAsync(Background.Limit)
                .ContinueWith(static _ => { }, TaskScheduler.Default);
            Assert.True(bench.Pool.TryPost<object?>(static (_, _) => { }, null));
        }

        Background.Until(() => bench.Now is { Waiting: 0, Leased: 0 } now && now.Rented == now.Returned);
        bench.UntilParked(bench.Now.Workers);

        AssertBalanced(bench, items: 60);
        Assert.Equal(4, bench.Now.Failed);
        await bench.Pool.DisposeAsync();
        AssertBalanced(bench, items: 60);
        Assert.Equal((0, 0), (bench.Now.Workers, bench.Now.IdleWorkers));
    }

    [Fact]
    public async Task Times_are_measured_by_the_pools_clock()
    {
        using var bench = new WorkerBench();
        bench.Policy.Creating = () => bench.Clock.Advance(TimeSpan.FromSeconds(3));
        var block = bench.Block();
        var item = bench.RunAsync(_ => bench.Clock.Advance(TimeSpan.FromSeconds(4)));
        bench.Clock.Advance(TimeSpan.FromSeconds(5));
        Assert.Equal(TimeSpan.FromSeconds(5), bench.Now.OldestRun);

        await block.ReleaseAsync();
        await item.WaitAsync(Background.Limit);

        bench.UntilParked();
        Assert.Equal(
            (TimeSpan.FromSeconds(3), TimeSpan.FromSeconds(5), TimeSpan.FromSeconds(9), TimeSpan.Zero),
            (bench.Now.CreateTime, bench.Now.WaitTime, bench.Now.RunTime, bench.Now.OldestRun));
    }

    [Fact]
    public async Task The_oldest_wait_is_that_of_the_first_item_that_waits_for_a_worker()
    {
        using var bench = new WorkerBench();
        Assert.Equal(TimeSpan.Zero, bench.Now.OldestWait);
        var block = bench.Block();
        Assert.Equal(TimeSpan.Zero, bench.Now.OldestWait);
        var first = bench.RunAsync(_ => { });
        bench.Clock.Advance(TimeSpan.FromSeconds(5));
        var second = bench.RunAsync(_ => { });
        bench.Clock.Advance(TimeSpan.FromSeconds(2));

        Assert.Equal(TimeSpan.FromSeconds(7), bench.Now.OldestWait);
        await block.ReleaseAsync();
        await Task.WhenAll(first, second).WaitAsync(Background.Limit);
        Assert.Equal(TimeSpan.Zero, bench.Now.OldestWait);
    }

    [Fact]
    public async Task A_cancelled_item_no_longer_counts_as_the_one_that_has_waited_longest()
    {
        using var bench = new WorkerBench();
        using var cancellation = new CancellationTokenSource();
        var block = bench.Block();
        var cancelled = bench.Pool.RunAsync(_ => { }, cancellationToken: cancellation.Token).AsTask();
        bench.Clock.Advance(TimeSpan.FromSeconds(5));
        var other = bench.RunAsync(_ => { });
        bench.Clock.Advance(TimeSpan.FromSeconds(2));

        await cancellation.CancelAsync();
        Assert.Equal(TimeSpan.FromSeconds(2), bench.Now.OldestWait);

        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => cancelled);
        await block.ReleaseAsync();
        await other.WaitAsync(Background.Limit);
    }

    [Fact]
    public async Task Posts_are_measured_one_by_one()
    {
        const int Posts = 200;
        using var bench = new WorkerBench();
        var block = bench.Block();
        for (var number = 0; number < Posts; number++)
        {
            Assert.True(bench.Pool.TryPost(static (_, _) => { }, number));
        }

        bench.Clock.Advance(TimeSpan.FromSeconds(1));
        await block.ReleaseAsync();
        await bench.Pool.DrainAsync().WaitAsync(Background.Limit);

        Assert.Equal(TimeSpan.FromSeconds(Posts), bench.Now.WaitTime);
    }

    [Fact]
    public void Instruments_read_the_statistics()
    {
        using var meter = new Meter("test");
        using var bench = new WorkerBench();
        bench.Options.Meter = meter;
        bench.Use();
        bench.Use();
        bench.UntilParked();
        bench.Block();
        bench.Fill(3);

        var seen = Gauges.Read(meter);

        Assert.Equal(1, seen["poolhouse.pool.rents bench miss"]);
        Assert.Equal(1, seen["poolhouse.pool.item.count bench leased"]);
        Assert.Equal(1, seen["poolhouse.pool.item.creations bench"]);
        Assert.Contains(seen, static pair => pair.Key.Contains("wait", StringComparison.Ordinal));
        bench.Pool.Dispose();
        Assert.Empty(Gauges.Read(meter));
    }

    [Fact]
    public void Waits_and_runs_are_measured_while_a_listener_is_attached()
    {
        using var meter = new Meter("test");
        using var bench = new WorkerBench();
        bench.Options.Meter = meter;
        var measured = new List<(string Name, double Value)>();
        using var listener = new MeterListener
        {
            InstrumentPublished = (instrument, listener) =>
            {
                if (instrument.Meter == meter && !instrument.IsObservable)
                {
                    listener.EnableMeasurementEvents(instrument);
                }
            },
        };
        listener.SetMeasurementEventCallback<double>((instrument, value, _, _) =>
        {
            lock (measured)
            {
                measured.Add((instrument.Name, value));
            }
        });
        listener.Start();

        bench.Pool.Run(_ => bench.Clock.Advance(TimeSpan.FromSeconds(2)));
        Assert.True(bench.Pool.TryPost<object?>(static (_, _) => { }, null));
        bench.Use();

        lock (measured)
        {
            Assert.Equal(
                3, measured.Count(static one => string.Equals(one.Name, "poolhouse.pool.wait_time", StringComparison.Ordinal)));
            Assert.Equal(
                [2, 0, 0], measured.Where(
                    static one => string.Equals(one.Name, "poolhouse.pool.use_time", StringComparison.Ordinal))
                        .Select(static one => one.Value).Take(3));
        }
    }

    [Fact]
    public async Task An_observer_is_notified_of_states_failures_and_drops()
    {
        using var bench = new WorkerBench().Listen();
        var labelled = new WorkOptions { Label = "labelled" };
        await Assert.ThrowsAsync<FormatException>(
            () => bench.RunAsync(static _ => throw new FormatException(), labelled).WaitAsync(Background.Limit));
        var block = bench.Block();
        using var cancelling = new CancellationTokenSource();
        _ = bench.RunAsync(static _ => { }, labelled, cancelling.Token);
        _ = bench.RunAsync(static _ => { }, labelled with { QueueTimeout = TimeSpan.FromSeconds(1) });
        await cancelling.CancelAsync();
        bench.Clock.Advance(TimeSpan.FromSeconds(1));
        await block.ReleaseAsync();

        Background.Until(() => bench.Events.Of<WorkFailedArgs>().Count == 1);
        var failed = bench.Events.Of<WorkFailedArgs>()[0];
        Assert.Equal(("labelled", true, (IPool)bench.Pool), (failed.Label, failed.Failure is FormatException, failed.Pool));
        Assert.Equal(
            [("labelled", WorkDropReason.Cancelled, TimeSpan.Zero),
                ("labelled", WorkDropReason.QueueTimeout, TimeSpan.FromSeconds(1))],
            bench.Events.Of<WorkDroppedArgs>().Select(static dropped => (dropped.Label, dropped.Reason, dropped.Waited)));
        Assert.Equal(2, bench.Events.Of<StateCreatedArgs>().Count);
        Assert.Equal(WorkerDestroyReason.Tainted, Assert.Single(bench.Events.Of<StateDestroyedArgs>()).Reason);
    }

    [Fact]
    public async Task Exceptions_of_an_observer_have_no_effect()
    {
        using var bench = new WorkerBench();
        bench.Options.Observer = new Grumbler();
        bench.Options.StuckThreshold = TimeSpan.FromSeconds(1);
        bench.Options.RunTimeout = TimeSpan.FromSeconds(2);
        var attempts = 0;
        bench.Policy.Creating = () =>
        {
            if (attempts++ == 0)
            {
                throw new IOException();
            }
        };

        await Assert.ThrowsAsync<IOException>(() => bench.RunAsync(static _ => { }).WaitAsync(Background.Limit));
        await Assert.ThrowsAsync<FormatException>(
            () => bench.RunAsync(static _ => throw new FormatException()).WaitAsync(Background.Limit));
        var block = bench.Block();
        using var cancelling = new CancellationTokenSource();
        var cancelled = bench.RunAsync(static _ => { }, default, cancelling.Token);
        await cancelling.CancelAsync();
        bench.Clock.Advance(TimeSpan.FromSeconds(3));

        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => cancelled.WaitAsync(Background.Limit));
        await Assert.ThrowsAsync<WorkTimeoutException>(() => block.Ended.WaitAsync(Background.Limit));
        Assert.NotNull(bench.Use());
    }

    private static void AssertBalanced(WorkerBench bench, long items)
    {
        var now = bench.Now;
        Assert.Equal((items, items), (now.Rented, now.Returned));
        Assert.Equal(now.Rented, now.Hits + now.Misses);
        Assert.Equal(now.Created, now.IdleWorkers + now.Destroyed);
        Assert.Equal(now.Destroyed, Enum.GetValues<WorkerDestroyReason>().Sum(now.DestroyedFor));
        Assert.Equal((bench.Policy.Created.Count, bench.Policy.Destroyed), (now.Created, now.Destroyed));
    }

    private sealed class Grumbler : WorkerPoolObserver
    {
        public override void OnStateCreated(in StateCreatedArgs created) => throw new NotSupportedException();

        public override void OnStateCreateFailed(in StateCreateFailedArgs failed) => throw new NotSupportedException();

        public override void OnStateDestroyed(in StateDestroyedArgs destroyed) => throw new NotSupportedException();

        public override void OnFailed(in WorkFailedArgs failed) => throw new NotSupportedException();

        public override void OnDropped(in WorkDroppedArgs dropped) => throw new NotSupportedException();

        public override void OnStuck(in WorkStuckArgs stuck) => throw new NotSupportedException();

        public override void OnAbandoned(in WorkAbandonedArgs abandoned) => throw new NotSupportedException();
    }

    [Fact]
    public void Counters_never_fall()
    {
        const int Readings = 20_000;
        using var bench = new WorkerBench(2);
        bench.Options.MaxItemsPerState = 3;
        var (isOver, falls) = (false, new List<string>());
        Threads.Run(3, number =>
        {
            if (number > 0)
            {
                while (!Volatile.Read(ref isOver))
                {
                    bench.Pool.TryPost(static (_, _) => { }, string.Empty);
                    bench.Use();
                    if (number == 1)
                    {
                        bench.Pool.Trim();
                    }
                }

                return;
            }

            var last = bench.Now;
            for (var reading = 0; reading < Readings; reading++)
            {
                var now = bench.Now;
                foreach (var (name, read) in _counters)
                {
                    if (read(now) < read(last))
                    {
                        falls.Add($"{name}: {read(last)}, then {read(now)}");
                    }
                }

                last = now;
            }

            Volatile.Write(ref isOver, true);
        });

        Assert.Empty(falls);
    }

    private static readonly (string Name, Func<WorkerPoolStatistics, long> Read)[] _counters =
    [
        ("Rented", static s => s.Rented),
        ("Returned", static s => s.Returned),
        ("Hits", static s => s.Hits),
        ("Misses", static s => s.Misses),
        ("Created", static s => s.Created),
        ("Destroyed", static s => s.Destroyed),
        ("Failed", static s => s.Failed),
        ("WaitTime", static s => s.WaitTime.Ticks),
        ("UseTime", static s => s.RunTime.Ticks),
    ];
}
