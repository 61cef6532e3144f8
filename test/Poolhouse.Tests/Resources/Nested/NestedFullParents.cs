using System.Collections.Concurrent;

namespace Poolhouse.Tests.Resources.Nested;

/// <summary>Parents that accept fewer children than the pool allows, and report it when one more is created.</summary>
public sealed class NestedFullParents
{
    private readonly ConcurrentDictionary<Part, int> _children = new();
    private int _refusals;

    [Fact]
    public async Task Children_are_created_on_another_parent_and_no_caller_sees_the_refusal()
    {
        using var bench = Bench(maxParents: 3, limit: 2);

        var leases = await bench.RentAsync(6);

        Assert.Equal([2, 2, 2], bench.Pool.GetChildCounts());
        Assert.All(leases.CountBy(lease => lease.Value.Parent), parent => Assert.Equal(2, parent.Value));
        Assert.Equal((0, 6, 2), (bench.Now.CreateFailures, bench.Now.Created, _refusals));
        bench.AssertPermitsAreConserved();
    }

    [Theory]
    [InlineData(SelectionStrategy.LeastOutstanding)]
    [InlineData(SelectionStrategy.RoundRobin)]
    [InlineData(SelectionStrategy.PowerOfTwoChoices)]
    public async Task A_full_parent_is_not_tried_again_although_it_has_the_fewest_children(SelectionStrategy selection)
    {
        using var bench = Bench(maxParents: 2, limit: 1);
        bench.Options.Selection = selection;
        await bench.Pool.WarmUpParentsAsync(2).WaitAsync(Background.Limit);
        var small = bench.Parents.Created[0];
        bench.Children.Creates = (parent, _) => Create(bench, parent, parent == small ? 1 : 8);

        var leases = await bench.RentAsync(9);

        Assert.Equal([1, 8], bench.Pool.GetChildCounts().Order());
        Assert.Single(leases, lease => lease.Value.Parent == small);
        Assert.InRange(_refusals, 0, 1);
        Assert.Equal(0, bench.Now.CreateFailures);
    }

    [Fact]
    public async Task A_caller_for_whom_no_parent_has_room_gets_the_next_child_that_is_returned()
    {
        using var bench = Bench(maxParents: 2, limit: 1);
        var leases = await bench.RentAsync(2);
        var waiting = bench.RequestAsync();
        Background.Until(() => _refusals >= 2);
        Assert.False(waiting.IsCompleted);

        leases[1].Dispose();

        Assert.Equal(2, (await waiting.WaitAsync(Background.Limit)).Value.Number);
        Assert.Equal(0, bench.Now.CreateFailures);
    }

    [Fact]
    public async Task The_end_of_a_child_makes_room_for_a_new_one_at_once()
    {
        using var bench = Bench(maxParents: 2, limit: 1);
        var leases = await bench.RentAsync(2);
        var waiting = bench.RequestAsync();
        Background.Until(() => _refusals >= 2);

        leases[0].Discard();

        Assert.Equal(3, (await waiting.WaitAsync(Background.Limit)).Value.Number);
        Assert.Equal(0, bench.Now.CreateFailures);
        bench.AssertPermitsAreConserved();
    }

    [Fact]
    public async Task A_child_that_ends_during_the_refused_attempt_makes_room_as_well()
    {
        using var bench = Bench(maxParents: 1, limit: 2);
        var leases = await bench.RentAsync(2);
        var create = bench.Children.Creates;
        var refused = new Gate<Leaf>();
        bench.Children.Creates = (_, token) => refused.WaitAsync(token);
        var waiting = bench.RequestAsync();
        Background.Until(() => refused.Waiting == 1);
        bench.Children.Creates = create;

        // The other child stays on the parent, so that it can be full.
        leases[0].Discard();
        Background.Until(() => bench.Children.Destroyed.Count == 1 && bench.Now.Destroying == 0);
        refused.Fail(new OverflowException());

        Assert.True((await waiting.WaitAsync(Background.Limit)).IsActive);
        Assert.Equal(0, bench.Now.CreateFailures);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task The_last_other_child_may_end_during_the_refused_attempt(bool clears)
    {
        using var bench = Bench(maxParents: 1, limit: 1);
        var lease = await bench.RentAsync();
        var saysSo = bench.Children.IsParentFullHook;
        bench.Children.IsParentFullHook = _ =>
        {
            // Once, as another thread may do at the worst moment: the attempt has checked the parent already.
            bench.Children.IsParentFullHook = saysSo;
            if (clears)
            {
                bench.Pool.Clear();
            }

            lease.Discard();
            Background.Until(() => bench.Children.Destroyed.Count >= 1 && bench.Now.Destroying == 0);
            return true;
        };

        var next = await bench.RequestAsync().WaitAsync(Background.Limit);

        Assert.Equal((clears ? 2 : 1, 0L), (next.Value.Parent.Number, bench.Now.CreateFailures));
        next.Dispose();
        bench.AssertPermitsAreConserved();
    }

    [Fact]
    public async Task A_parent_that_is_deactivated_during_the_attempt_causes_no_failure()
    {
        using var bench = Bench(maxParents: 1, limit: 0);
        bench.Children.IsParentFullHook = _ =>
        {
            // Once. The clear causes the creation of another child as well.
            bench.Children.IsParentFullHook = static _ => false;
            bench.Children.Creates = (parent, _) => Create(bench, parent, limit: 2);
            bench.Pool.Clear();
            return false;
        };

        var next = await bench.RequestAsync().WaitAsync(Background.Limit);

        Assert.Equal((2, 0L), (next.Value.Parent.Number, bench.Now.CreateFailures));
        next.Dispose();
    }

    [Fact]
    public async Task Many_creations_at_once_on_full_parents_leave_their_room_intact()
    {
        using var bench = Bench(maxParents: 3, limit: 4);
        bench.Options.ChildPool.MaxConcurrentCreates = 12;

        var request = Enumerable.Range(0, 12).Select(_ => bench.RequestAsync()).ToList();
        var leases = await Task.WhenAll(request).WaitAsync(Background.Limit);
        Array.ForEach(leases, lease => lease.Discard());
        Background.Until(() => bench.Now.Live == 0);
        var again = await bench.RentAsync(12);

        Assert.Equal([4, 4, 4], bench.Pool.GetChildCounts());
        Assert.Equal(12, again.Count);
        Assert.Equal(0, bench.Now.CreateFailures);
    }

    [Fact]
    public async Task A_parent_that_refuses_its_first_child_is_a_failure()
    {
        using var bench = Bench(maxParents: 2, limit: 0);
        bench.Options.ChildPool.OutageTimeout = TimeSpan.Zero;

        await Refused.WithAsync<OverflowException>(bench.RentAsync);

        Assert.Equal((1, 1), (bench.Now.CreateFailures, bench.ParentsNow.Created));
        bench.AssertPermitsAreConserved();
    }

    [Fact]
    public async Task A_timeout_while_all_parents_are_full_has_the_refusal_as_its_cause()
    {
        using var bench = Bench(maxParents: 1, limit: 1);
        var work = RunOnThisThread(bench);
        var renting = bench.RequestAsync();
        work.Run();
        using var lease = await renting.WaitAsync(Background.Limit);
        var waiting = bench.RequestAsync();
        work.Run();
        Assert.Equal(1, _refusals);

        bench.Clock.Advance(TimeSpan.FromSeconds(30));
        work.Run();

        var timeout = await Assert.ThrowsAsync<PoolTimeoutException>(() => waiting.WaitAsync(Background.Limit));
        Assert.IsType<OverflowException>(timeout.InnerException);
    }

    [Fact]
    public async Task With_fail_fast_callers_wait_for_a_return_while_all_parents_are_full()
    {
        using var bench = Bench(maxParents: 1, limit: 1);
        var work = RunOnThisThread(bench);
        bench.Options.ChildPool.OutageTimeout = TimeSpan.Zero;
        bench.Options.ChildPool.Random = new FixedRandom { Value = 1 };
        var renting = bench.RequestAsync();
        work.Run();
        var lease = await renting.WaitAsync(Background.Limit);
        var first = bench.RequestAsync();
        work.Run();
        bench.Clock.Advance(TimeSpan.FromSeconds(15));
        work.Run();
        Assert.Equal((false, 1L, null), (first.IsCompleted, bench.Now.CreateFailures, bench.Now.Outage));

        lease.Dispose();
        work.Run();
        Assert.True((await first.WaitAsync(Background.Limit)).IsActive);
    }

    [Fact]
    public async Task A_full_parent_is_deactivated_and_destroyed_as_any_other()
    {
        using var bench = Bench(maxParents: 2, limit: 1);
        var leases = await bench.RentAsync(2);
        var waiting = bench.RequestAsync();
        Background.Until(() => _refusals >= 2);

        bench.Pool.Clear();
        leases.ForEach(lease => lease.Dispose());

        Assert.True((await waiting.WaitAsync(Background.Limit)).IsActive);
        Assert.Equal([1, 2], bench.DestroyedParents(2).Select(each => each.Number).Order());
        bench.AssertPermitsAreConserved();
    }

    [Fact]
    public async Task A_full_parent_becomes_idle_when_its_children_are_gone()
    {
        using var bench = Bench(maxParents: 1, limit: 1);
        bench.Options.ParentPool.IdleTimeout = TimeSpan.FromMinutes(1);
        var lease = await bench.RentAsync();
        using var cancellation = new CancellationTokenSource();
        var waiting = bench.Pool.RentAsync(cancellation.Token).AsTask();
        Background.Until(() => _refusals == 1);
        await cancellation.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => waiting.WaitAsync(Background.Limit));

        // The creation goes on without its caller until its deadline.
        bench.AdvanceUntil(() => bench.Now.Creating == 0, TimeSpan.FromSeconds(1), steps: 20);
        lease.Discard();
        Background.Until(() => bench.Pool.GetChildCounts() is [0]);
        bench.AdvanceUntil(() => bench.Parents.Destroyed.Count == 1, TimeSpan.FromSeconds(30), steps: 4);

        Assert.Equal([(1, DestroyReason.Idle)], bench.DestroyedParents(1));
    }

    [Fact]
    public async Task A_pool_with_full_parents_can_be_drained_and_disposed()
    {
        var bench = Bench(maxParents: 2, limit: 1);
        var leases = await bench.RentAsync(2);
        var waiting = bench.RequestAsync();
        Background.Until(() => _refusals >= 2);
        var draining = bench.Pool.DrainAsync();
        leases.ForEach(lease => lease.Dispose());

        (await waiting.WaitAsync(Background.Limit)).Dispose();
        await draining.WaitAsync(Background.Limit);
        await bench.Pool.DisposeAsync().AsTask().WaitAsync(Background.Limit);

        Assert.Equal(bench.Parents.Created.Count, bench.Parents.Destroyed.Count);
        Assert.Equal(bench.Children.Created.Count, bench.Children.Destroyed.Count);
    }

    [Fact]
    public async Task A_disposal_ends_the_wait_for_room()
    {
        using var bench = Bench(maxParents: 1, limit: 1);
        using var lease = await bench.RentAsync();
        var waiting = bench.RequestAsync();
        Background.Until(() => _refusals == 1);

        var disposed = bench.Pool.DisposeAsync().AsTask();

        await Assert.ThrowsAsync<ObjectDisposedException>(() => waiting.WaitAsync(Background.Limit));
        await disposed.WaitAsync(Background.Limit);
    }

    [Fact]
    public async Task An_exception_from_IsParentFull_does_not_mark_the_parent_as_full()
    {
        using var bench = Bench(maxParents: 2, limit: 1);
        bench.Options.ChildPool.OutageTimeout = TimeSpan.Zero;
        bench.Children.IsParentFullHook = _ => throw new InvalidCastException();
        using var lease = await bench.RentAsync();

        await Refused.WithAsync<OverflowException>(bench.RentAsync);
    }

    /// <summary>Runs all work on the thread of the test: a creation has been refused before the clock moves on.</summary>
    private static ManualScheduler RunOnThisThread(NestedBench bench)
    {
        var work = new ManualScheduler { RunsContinuations = true };
        bench.Options.ParentPool.Scheduler = work;
        bench.Options.ChildPool.Scheduler = work;
        return work;
    }

    /// <summary>A pool that allows 8 children on a parent, and parents that allow fewer.</summary>
    private NestedBench Bench(int maxParents, int limit)
    {
        var bench = new NestedBench(maxParents, maxPerParent: 8);
        bench.Children.IsParentFullHook = failure => failure is OverflowException;
        bench.Children.Creates = (parent, _) => Create(bench, parent, limit);
        bench.Children.Destroys = (leaf, _) =>
        {
            _children.AddOrUpdate(leaf.Parent, 0, static (_, count) => count - 1);
            return default;
        };
        return bench;
    }

    private ValueTask<Leaf> Create(NestedBench bench, Part parent, int limit)
    {
        if (_children.AddOrUpdate(parent, 1, static (_, count) => count + 1) > limit)
        {
            _children.AddOrUpdate(parent, 0, static (_, count) => count - 1);
            Interlocked.Increment(ref _refusals);
            throw new OverflowException();
        }

        return new ValueTask<Leaf>(bench.Children.New(parent));
    }
}
