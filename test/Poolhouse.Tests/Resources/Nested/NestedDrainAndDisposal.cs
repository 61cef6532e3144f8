using System.Diagnostics.Metrics;
using Poolhouse.Resources.Nested;

namespace Poolhouse.Tests.Resources.Nested;

/// <summary>Drain, disposal and reporting of a nested pool.</summary>
public sealed class NestedDrainAndDisposal
{
    [Fact]
    public async Task Draining_serves_waiters_and_ends_when_the_last_parent_is_destroyed()
    {
        using var bench = new NestedBench(maxParents: 2, maxPerParent: 1);
        var leases = await bench.RentAsync(2);
        var waiting = bench.RequestAsync();

        var drained = bench.Pool.DrainAsync();
        await Assert.ThrowsAsync<ObjectDisposedException>(bench.RentAsync);
        leases[0].Dispose();
        (await waiting.WaitAsync(Background.Limit)).Dispose();
        Assert.False(drained.IsCompleted);
        leases[1].Dispose();

        await drained.WaitAsync(Background.Limit);
        Assert.Equal((2, 2), (bench.Children.Destroyed.Count, bench.Parents.Destroyed.Count));
    }

    [Fact]
    public async Task A_drain_continues_although_no_caller_awaits_it()
    {
        using var bench = new NestedBench(maxParents: 1, maxPerParent: 1);
        var lease = await bench.RentAsync();
        using var cancellation = new CancellationTokenSource();

        var drained = bench.Pool.DrainAsync(cancellation.Token);
        await cancellation.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => drained.WaitAsync(Background.Limit));
        lease.Dispose();

        Assert.Equal([(1, DestroyReason.PoolDisposed)], bench.Destroyed(1));
        Assert.Single(bench.DestroyedParents(1));
    }

    [Fact]
    public async Task A_draining_pool_creates_no_parents_ahead_of_demand()
    {
        using var bench = new NestedBench(maxParents: 2, maxPerParent: 2);
        var lease = await bench.RentAsync();
        var drained = bench.Pool.DrainAsync();

        var closed = await Assert.ThrowsAsync<ObjectDisposedException>(
            () => bench.Pool.WarmUpParentsAsync(2).WaitAsync(Background.Limit));

        Assert.Equal(bench.Pool.Name, closed.ObjectName);
        Assert.Single(bench.Parents.Created);
        lease.Dispose();
        await drained.WaitAsync(Background.Limit);
    }

    [Fact]
    public async Task Leases_outlive_the_disposal_and_everything_is_destroyed_once()
    {
        using var bench = new NestedBench(maxParents: 2, maxPerParent: 2);
        var leases = await bench.RentAsync(4);
        leases[0].Dispose();

        bench.Pool.Dispose();
        Assert.Equal([(1, DestroyReason.PoolDisposed)], bench.Destroyed(1));
        Assert.All(leases[1..], lease => Assert.True(lease.IsActive));
        leases[1..].ForEach(lease => lease.Dispose());

        Assert.Equal([1, 2], bench.DestroyedParents(2).Select(each => each.Number).Order());
        Assert.Equal([1, 2, 3, 4], bench.Destroyed(4).Select(each => each.Number).Order());
        await Assert.ThrowsAsync<ObjectDisposedException>(bench.RentAsync);
    }

    [Fact]
    public async Task A_parent_outlives_the_creation_of_a_child_on_it_although_the_pool_is_disposed()
    {
        using var bench = new NestedBench(maxParents: 1, maxPerParent: 1);
        var creation = new Gate<Leaf>();
        bench.Children.Creates = (_, token) => creation.WaitAsync(token);
        var request = bench.RequestAsync();
        Background.Until(() => creation.Waiting == 1);

        bench.Pool.Dispose();
        Background.Until(() => creation.Token.IsCancellationRequested);
        Background.LetThreadPoolRun();
        Background.LetThreadPoolRun();
        Assert.Empty(bench.Parents.Destroyed);

        creation.Fail(new OperationCanceledException());
        Assert.Single(bench.DestroyedParents(1));
        await Assert.ThrowsAsync<ObjectDisposedException>(() => request.WaitAsync(Background.Limit));
    }

    [Fact]
    public async Task An_awaited_disposal_has_destroyed_idle_children_and_parents()
    {
        using var bench = new NestedBench(maxParents: 2, maxPerParent: 1);
        (await bench.RentAsync(2)).ForEach(lease => lease.Dispose());

        await bench.Pool.DisposeAsync().AsTask().WaitAsync(Background.Limit);

        Assert.Equal((2, 2), (bench.Children.Destroyed.Count, bench.Parents.Destroyed.Count));
    }

    [Fact]
    public async Task Disposal_ends_the_wait_for_the_first_parent()
    {
        using var bench = new NestedBench(maxParents: 1, maxPerParent: 2);
        var creating = new Gate<Part>();
        bench.Parents.Creates = creating.WaitAsync;
        var waiting = bench.RequestAsync();
        Background.Until(() => creating.Waiting == 1);

        bench.Pool.Dispose();

        await Assert.ThrowsAsync<ObjectDisposedException>(() => waiting.WaitAsync(Background.Limit));
        creating.Release(bench.Parents.New());
        Assert.Equal([(1, DestroyReason.PoolDisposed)], bench.DestroyedParents(1));
    }

    [Fact]
    public async Task A_child_created_while_the_pool_is_disposed_is_destroyed_with_its_parent()
    {
        using var bench = new NestedBench(maxParents: 1, maxPerParent: 1);
        var creating = new Gate<Leaf>();
        bench.Children.Creates = (_, _) => creating.WaitAsync(CancellationToken.None);
        var waiting = bench.RequestAsync();
        Background.Until(() => creating.Waiting == 1);

        bench.Pool.Dispose();
        await Assert.ThrowsAsync<ObjectDisposedException>(() => waiting.WaitAsync(Background.Limit));
        creating.Release(bench.Children.New(bench.Parents.Created[0]));

        Assert.Equal([(1, DestroyReason.PoolDisposed)], bench.Destroyed(1));
        Assert.Single(bench.DestroyedParents(1));
        Background.Until(() => bench.Now.Live == 0 && bench.ParentsNow.Live == 0);
    }

    [Fact]
    public void Every_invalid_setting_is_named_at_once()
    {
        var options = new NestedResourcePoolOptions
        {
            ParentPool = new ResourcePoolOptions { MaxSize = 4, MinIdle = 3 },
            ChildPool = new ResourcePoolOptions { MaxSize = 21, MaxWaiters = -1 },
            MaxChildrenPerParent = 10,
            MaxActiveParents = 2,
            GrowAtLoad = 0,
            Selection = (SelectionStrategy)9,
        };

        var error = Assert.Throws<ArgumentException>(
            () => new NestedResourcePool<Part, Leaf>(new ScriptedPolicy(), new ScriptedNestedPolicy(), options));

        Assert.All(
            [
                "ParentPool.MinIdle is 3; allowed: 0 to MaxActiveParents (2).",
                "ChildPool.MaxWaiters is -1;",
                "GrowAtLoad is 0;",
                "Selection is 9;",
                "ChildPool.MaxSize is 21; allowed: at most 20,",
            ],
            part => Assert.Contains(part, error.Message, StringComparison.Ordinal));
    }

    [Theory]
    [InlineData(0, 0, 10, null, "ParentPool.MaxSize is 0; allowed: 1 to 1,000,000.")]
    [InlineData(2_000_000, 1, 10, 3, "ParentPool.MaxSize is 2000000; allowed: 1 to 1,000,000.")]
    [InlineData(4, 5, 10, 3, "ParentPool.MinIdle is 5; allowed: 0 to MaxSize (4).")]
    [InlineData(4, 2, 20, 1, "ParentPool.MinIdle is 2; allowed: 0 to MaxActiveParents (1).")]
    [InlineData(4, 2, 10, 0, "MaxActiveParents is 0; allowed: null, or 1 to ParentPool.MaxSize (4).")]
    [InlineData(4, 2, 0, null, "MaxChildrenPerParent is 0; allowed: 1 to 250,000.")]
    public void One_mistake_is_one_error_that_names_the_setting_that_is_wrong(
        int maxParents, int minIdle, int perParent, int? maxActive, string expected)
    {
        var options = new NestedResourcePoolOptions
        {
            ParentPool = new ResourcePoolOptions { MaxSize = maxParents, MinIdle = minIdle },
            ChildPool = new ResourcePoolOptions { MaxSize = 20 },
            MaxChildrenPerParent = perParent,
            MaxActiveParents = maxActive,
        };

        var error = Assert.Throws<ArgumentException>(
            "options", () => new NestedResourcePool<Part, Leaf>(new ScriptedPolicy(), new ScriptedNestedPolicy(), options));

        Assert.Equal($"Invalid pool options. {expected} (Parameter 'options')", error.Message);
    }

    [Fact]
    public void A_limit_of_children_above_the_allowed_range_is_named()
    {
        var options = new NestedBench(maxParents: 4, maxPerParent: 500_000, maxChildren: 1).Options;
        options.MaxActiveParents = 5;

        var error = Assert.Throws<ArgumentException>(
            () => new NestedResourcePool<Part, Leaf>(new ScriptedPolicy(), new ScriptedNestedPolicy(), options));

        Assert.Contains("MaxChildrenPerParent is 500000; allowed: 1 to 250,000.", error.Message, StringComparison.Ordinal);
        Assert.Contains(
            "MaxActiveParents is 5; allowed: null, or 1 to ParentPool.MaxSize (4).", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task The_meter_reports_children_and_parents_under_separate_names()
    {
        using var meter = new Meter("nested");
        using var bench = new NestedBench(maxParents: 1, maxPerParent: 2);
        bench.Options.ChildPool.Meter = meter;
        bench.Options.ParentPool.Meter = meter;
        var pools = new HashSet<string>();
        using var listener = new MeterListener();
        listener.InstrumentPublished = (instrument, each) =>
        {
            if (instrument.Meter == meter)
            {
                each.EnableMeasurementEvents(instrument);
            }
        };
        listener.SetMeasurementEventCallback<long>((_, _, tags, _) => pools.Add((string)tags[0].Value!));
        using var lease = await bench.RentAsync();
        listener.Start();

        listener.RecordObservableInstruments();
        Assert.Equal(["leaves", "leaves-parents"], pools.Order());
        pools.Clear();
        bench.Pool.Dispose();
        listener.RecordObservableInstruments();

        Assert.Empty(pools);
    }

    [Fact]
    public async Task Observers_are_notified_about_children_and_parents()
    {
        var (ofChildren, ofParents) = (new Recorder(), new Recorder());
        using var bench = new NestedBench(maxParents: 1, maxPerParent: 2);
        bench.Options.ChildPool.Observer = ofChildren;
        bench.Options.ParentPool.Observer = ofParents;

        (await bench.RentAsync()).Discard();

        // Observers are notified afterwards, on the thread on which it happened.
        Background.Until(
            () => ofChildren.Of<ItemDestroyedArgs>().Count == 1 && ofChildren.Of<ItemCreatedArgs>().Count == 1);
        Background.Until(() => ofParents.Of<ItemCreatedArgs>().Count == 1);

        Assert.Same(bench.Pool, Assert.Single(ofChildren.Of<ItemCreatedArgs>()).Pool);
        Assert.Equal("leaves-parents", Assert.Single(ofParents.Of<ItemCreatedArgs>()).Pool.Name);
        Assert.Empty(ofParents.Of<ItemDestroyedArgs>());
    }

    [Fact]
    public async Task An_ended_lease_keeps_neither_the_child_nor_its_parent_alive()
    {
        using var bench = new NestedBench(maxParents: 1, maxPerParent: 2);
        var (destroyed, detached) = (await bench.RentAsync(), await bench.RentAsync());

        detached.Detach();
        destroyed.Discard();
        Background.Until(() => bench.Now.Live == 0);

        Assert.All([destroyed, detached], lease =>
        {
            Assert.Null(lease.Slot!.Item);
            Assert.Null(((NestedChild<Part, Leaf>)lease.Slot).Parent);
        });
    }
}
