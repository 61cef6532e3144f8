using Poolhouse.Workers;
using Poolhouse.Workers.Threads;

namespace Poolhouse.Tests.Workers.Queueing;

/// <summary>Items of one key run one after another, in order, however the earlier ones end.</summary>
public sealed class OrderedKeys
{
    private static readonly WorkOptions _keyed = new() { Key = "k" };

    [Fact]
    public async Task Items_of_a_key_run_one_at_a_time_and_others_run_concurrently()
    {
        using var bench = new WorkerBench(4);
        var first = bench.Block(_keyed);
        var second = bench.Queue(_keyed);
        var other = bench.Block(new WorkOptions { Key = "another" });
        var none = bench.Block();

        Assert.False(second.HasStarted);
        Assert.Equal((3, 1), (bench.Now.Leased, bench.Now.Waiting));
        await first.ReleaseAsync();
        second.WaitUntilStarted();

        await Task.WhenAll(second.ReleaseAsync(), other.ReleaseAsync(), none.ReleaseAsync());
    }

    [Fact]
    public async Task Items_of_a_key_run_in_the_order_of_arrival()
    {
        using var bench = new WorkerBench(3);
        var order = new Dictionary<int, List<int>> { [0] = [], [1] = [], [2] = [] };

        var items = Enumerable.Range(0, 3_000)
            .Select(number => bench.RunAsync(_ => order[number % 3].Add(number), new WorkOptions { Key = number % 3 }))
            .ToList();
        await Task.WhenAll(items).WaitAsync(Background.Limit);

        Assert.All(order, static key => Assert.Equal(Enumerable.Range(0, 1_000).Select(i => (3 * i) + key.Key), key.Value));
    }

    [Fact]
    public async Task A_key_with_many_items_stays_on_its_worker_and_wakes_no_other()
    {
        using var bench = new WorkerBench(2);
        await bench.Pool.WarmUpAsync(2).WaitAsync(Background.Limit);
        bench.UntilParked(2);
        var block = bench.Block(_keyed);
        var other = Assert.Single(bench.Pool.Workers.ToList(), static worker => !worker.IsRunning);
        var restsSince = other.IdleSince;
        bench.Clock.Advance(TimeSpan.FromSeconds(1));

        var items = Enumerable.Range(0, 1_000)
            .Select(_ => bench.GetAsync(static _ => Environment.CurrentManagedThreadId, _keyed))
            .ToList();
        await block.ReleaseAsync();

        Assert.All(await Task.WhenAll(items).WaitAsync(Background.Limit), thread => Assert.Equal(block.Thread, thread));
        bench.UntilParked(2);
        Assert.Equal(restsSince, other.IdleSince);
    }

    [Fact]
    public async Task The_next_item_of_a_key_does_not_wait_for_the_destruction_of_the_last_state()
    {
        using var bench = new WorkerBench(2);
        using var opened = new ManualResetEventSlim();
        bench.Options.MaxItemsPerState = 1;
        bench.Policy.Destroying = _ => opened.Wait(10 * Background.Limit);
        var first = bench.Block(_keyed);
        var second = bench.RunAsync(static _ => { }, _keyed);

        first.Release();

        await second.WaitAsync(Background.Limit);
        opened.Set();
    }

    [Fact]
    public async Task The_next_item_of_a_key_does_not_wait_for_the_observer_of_a_failure()
    {
        using var bench = new WorkerBench(2);
        using var opened = new ManualResetEventSlim();
        bench.Options.Observer = new SlowObserver(opened);
        bench.Policy.Survivors = static (_, _) => true;

        // The second item waits for its key when the first one fails: one that is queued later wakes a worker itself.
        using var queued = new ManualResetEventSlim();
        var first = bench.RunAsync(
            _ =>
            {
                queued.Wait(Background.Limit);
                throw new FormatException();
            },
            _keyed);
        var second = bench.RunAsync(static _ => { }, _keyed);
        queued.Set();

        await Assert.ThrowsAsync<FormatException>(() => first.WaitAsync(Background.Limit));
        await second.WaitAsync(Background.Limit);
        opened.Set();
    }

    [Fact]
    public async Task The_next_item_of_a_key_does_not_wait_for_a_command_of_its_worker()
    {
        using var bench = new WorkerBench(2);
        using var opened = new ManualResetEventSlim();
        await bench.Pool.WarmUpAsync(2).WaitAsync(Background.Limit);
        bench.UntilParked(2);
        var first = bench.Block(_keyed);
        var second = bench.RunAsync(static _ => { }, _keyed);
        var broadcast = bench.Pool.BroadcastAsync(_ =>
        {
            if (Environment.CurrentManagedThreadId == first.Thread)
            {
                opened.Wait(10 * Background.Limit);
            }
        });
        bench.UntilParked();

        first.Release();

        await second.WaitAsync(Background.Limit);
        Assert.False(broadcast.IsCompleted);
        opened.Set();
        await broadcast.WaitAsync(Background.Limit);
    }

    [Fact]
    public async Task Equal_keys_of_two_lanes_are_independent()
    {
        using var bench = new WorkerBench(2);
        bench.Options.Lanes.Add(new WorkLane());
        bench.Options.Lanes.Add(new WorkLane());

        var first = bench.Block(_keyed);
        var second = bench.Block(_keyed with { Lane = 1 });

        await Task.WhenAll(first.ReleaseAsync(), second.ReleaseAsync());
    }

    [Fact]
    public async Task A_cancelled_item_in_the_middle_is_skipped()
    {
        using var bench = new WorkerBench();
        using var cancelling = new CancellationTokenSource();
        var block = bench.Block(_keyed);
        var order = new List<int>();
        var first = bench.RunAsync(_ => order.Add(1), _keyed);
        var second = bench.RunAsync(_ => order.Add(2), _keyed, cancelling.Token);
        var third = bench.RunAsync(_ => order.Add(3), _keyed);

        await cancelling.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => second.WaitAsync(Background.Limit));
        Assert.Equal(2, bench.Now.Waiting);
        await block.ReleaseAsync();

        await Task.WhenAll(first, third).WaitAsync(Background.Limit);
        Assert.Equal([1, 3], order);
    }

    [Fact]
    public async Task A_cancelled_item_at_the_front_lets_the_next_one_start()
    {
        using var bench = new WorkerBench();
        using var cancelling = new CancellationTokenSource();
        var block = bench.Block();
        var first = bench.RunAsync(static _ => { }, _keyed, cancelling.Token);
        var second = bench.RunAsync(static _ => { }, _keyed);

        await cancelling.CancelAsync();
        await block.ReleaseAsync();

        await second.WaitAsync(Background.Limit);
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => first.WaitAsync(Background.Limit));
    }

    [Fact]
    public async Task A_key_continues_after_an_item_cancelled_before_it_was_queued()
    {
        using var bench = new WorkerBench();
        for (var i = 0; i < 2_000; i++)
        {
            using var cancelling = new CancellationTokenSource();
            var item = Task.Run(() => bench.RunAsync(static _ => { }, _keyed, cancelling.Token), CancellationToken.None);
            cancelling.Cancel();
            await item.WaitAsync(Background.Limit).ContinueWith(static _ => { }, TaskScheduler.Default);
        }

        await bench.RunAsync(static _ => { }, _keyed).WaitAsync(Background.Limit);
        Assert.Equal(0, bench.Now.Waiting);
    }

    [Fact]
    public async Task An_expired_item_lets_the_next_one_start()
    {
        using var bench = new WorkerBench();
        var block = bench.Block();
        var first = bench.RunAsync(static _ => { }, _keyed with { QueueTimeout = TimeSpan.FromSeconds(1) });
        var second = bench.RunAsync(static _ => { }, _keyed);

        bench.Clock.Advance(TimeSpan.FromSeconds(1));
        await Assert.ThrowsAsync<WorkTimeoutException>(() => first.WaitAsync(Background.Limit));
        await block.ReleaseAsync();

        await second.WaitAsync(Background.Limit);
    }

    [Fact]
    public async Task A_dropped_item_lets_the_next_one_start()
    {
        using var bench = new WorkerBench();
        bench.Options.QueueCapacity = 2;
        bench.Options.QueueFull = QueueFullMode.DropOldest;
        var block = bench.Block();
        var first = bench.RunAsync(static _ => { }, _keyed);
        var second = bench.RunAsync(static _ => { }, _keyed);

        var third = bench.RunAsync(static _ => { });
        await Assert.ThrowsAsync<PoolOverloadedException>(() => first.WaitAsync(Background.Limit));
        await block.ReleaseAsync();

        await Task.WhenAll(second, third).WaitAsync(Background.Limit);
    }

    [Fact]
    public async Task A_failed_item_lets_the_next_one_start()
    {
        using var bench = new WorkerBench();
        var first = bench.RunAsync(static _ => throw new FormatException(), _keyed);
        var second = bench.RunAsync(static _ => { }, _keyed);

        await Assert.ThrowsAsync<FormatException>(() => first.WaitAsync(Background.Limit));
        await second.WaitAsync(Background.Limit);
    }

    [Fact]
    public async Task A_failed_state_creation_lets_the_next_item_of_the_key_start()
    {
        using var bench = new WorkerBench();
        bench.Policy.Creating = () =>
        {
            bench.Policy.Creating = null;
            throw new IOException();
        };
        var first = bench.RunAsync(static _ => { }, _keyed);
        var second = bench.RunAsync(static _ => { }, _keyed);

        await Assert.ThrowsAsync<IOException>(() => first.WaitAsync(Background.Limit));
        await second.WaitAsync(Background.Limit);
    }

    [Fact]
    public async Task An_abandoned_item_lets_the_next_one_start()
    {
        using var bench = new WorkerBench();
        var block = bench.Block(_keyed with { RunTimeout = TimeSpan.FromSeconds(1) });
        var second = bench.RunAsync(static _ => { }, _keyed);

        bench.Clock.Advance(TimeSpan.FromSeconds(1));

        await second.WaitAsync(Background.Limit);
        await Assert.ThrowsAsync<WorkTimeoutException>(() => block.Ended.WaitAsync(Background.Limit));
    }

    [Fact]
    public void A_key_whose_hash_throws_reaches_its_caller_and_loses_no_slot()
    {
        using var bench = new WorkerBench();
        bench.Options.QueueCapacity = 1;
        bench.Block();

        Assert.Throws<NotSupportedException>(
            () => { _ = bench.RunAsync(static _ => { }, new WorkOptions { Key = new Unhashable() }); });

        Assert.Equal(0, bench.Now.Waiting);
        Assert.True(bench.Pool.TryPost<object?>(static (_, _) => { }, null));
    }

    private sealed class SlowObserver(ManualResetEventSlim opened) : WorkerPoolObserver
    {
        public override void OnFailed(in WorkFailedArgs failed) => opened.Wait(10 * Background.Limit);
    }

    private sealed class Unhashable
    {
        public override bool Equals(object? obj) => throw new NotSupportedException();

        public override int GetHashCode() => throw new NotSupportedException();
    }

    [Fact]
    public async Task A_key_whose_Equals_uses_the_pool_does_not_deadlock()
    {
        using var bench = new WorkerBench();
        var block = bench.Block(new WorkOptions { Key = new MeddlingKey(bench) });

        var second = bench.RunAsync(static _ => { }, new WorkOptions { Key = new MeddlingKey(bench) });

        await block.ReleaseAsync();
        await second.WaitAsync(Background.Limit);
        Assert.True(MeddlingKey.Posted > 0);
    }

    /// <summary>Equal to all of its kind; comparing it posts an item to the same lane.</summary>
    private sealed class MeddlingKey(WorkerBench bench)
    {
        private static int _posted;

        public static int Posted => Volatile.Read(ref _posted);

        public override int GetHashCode() => 1;

        public override bool Equals(object? obj)
        {
            bench.Pool.TryPost(static (_, _) => { }, this);
            Interlocked.Increment(ref _posted);
            return obj is MeddlingKey;
        }
    }
}
