namespace Poolhouse.Tests.Resources.Nested;

/// <summary>Parents and children whose creation fails or takes too long.</summary>
public sealed class NestedCreationFailures
{
    private static readonly IOException _noRoute = new("no route");

    [Fact]
    public async Task A_failed_parent_creation_reaches_the_caller_with_its_own_exception()
    {
        using var bench = new NestedBench(maxParents: 1, maxPerParent: 2);
        bench.Options.ChildPool.OutageTimeout = TimeSpan.Zero;
        bench.Parents.Creates = _ => throw _noRoute;

        Assert.Same(_noRoute, await Refused.WithAsync<IOException>(bench.RentAsync));
        bench.Parents.Creates = null;
        bench.Clock.Advance(TimeSpan.FromMinutes(1));

        using var lease = await bench.RentAsync();
        Assert.Equal((1, 1), (lease.Value.Number, lease.Value.Parent.Number));
        bench.AssertPermitsAreConserved();
    }

    [Fact]
    public async Task Waiters_get_the_last_failure_and_are_served_once_a_parent_exists()
    {
        using var bench = new NestedBench(maxParents: 1, maxPerParent: 2);
        bench.Parents.Creates = _ => throw _noRoute;
        bench.Options.ChildPool.OutageTimeout = TimeSpan.FromSeconds(60);
        var patient = bench.Pool.RentAsync(Timeout.InfiniteTimeSpan).AsTask();
        var hasty = bench.Pool.RentAsync(TimeSpan.FromSeconds(3)).AsTask();

        // The first failure is known before the deadline; an outage lasts until a creation succeeds.
        Background.Until(() => bench.Now.CreateFailures > 0);
        bench.AdvanceUntil(() => hasty.IsCompleted, TimeSpan.FromMilliseconds(100), steps: 60);
        var refused = await Assert.ThrowsAsync<PoolUnavailableException>(() => hasty.WaitAsync(Background.Limit));
        Assert.Equal((_noRoute, "leaves"), (refused.InnerException, refused.PoolName));
        bench.Parents.Creates = null;
        bench.AdvanceUntil(() => patient.IsCompleted, TimeSpan.FromMilliseconds(100), steps: 200);

        Assert.True((await patient.WaitAsync(Background.Limit)).IsActive);
        bench.AssertPermitsAreConserved();
    }

    [Fact]
    public void While_parents_cannot_be_created_one_attempt_at_a_time_is_made()
    {
        using var bench = new NestedBench(maxParents: 4, maxPerParent: 1);

        // On this thread: the clock does not move on before a failed creation is complete and the next one is scheduled.
        var work = new ManualScheduler { RunsContinuations = true };
        bench.Options.ParentPool.Scheduler = bench.Options.ChildPool.Scheduler = work;
        var attempts = 0;
        bench.Parents.Creates = _ =>
        {
            attempts++;
            throw _noRoute;
        };
        bench.Options.ChildPool.OutageTimeout = Timeout.InfiniteTimeSpan;
        var callers = Enumerable.Range(0, 20).Select(_ => bench.RequestAsync()).ToList();
        work.Run();

        // Before the first failure, a parent may be on its way for each child.
        Assert.InRange(attempts, 1, 4);
        for (var step = 0; step < 31; step++)
        {
            var before = attempts;
            bench.Clock.Advance(TimeSpan.FromSeconds(1));
            work.Run();

            // The pause is below 100 ms while callers wait, and never zero.
            Assert.InRange(attempts - before, step < 30 ? 1 : 0, 1);
        }

        Background.Until(() => callers.TrueForAll(caller => caller.IsCompleted));
        Assert.All(callers, caller => Assert.IsType<PoolUnavailableException>(caller.Exception!.InnerException));
    }

    [Fact]
    public void Creating_the_minimum_of_parents_is_retried_at_growing_intervals()
    {
        using var bench = new NestedBench(maxParents: 2, maxPerParent: 2);
        bench.Options.ParentPool.Random = new FixedRandom();
        bench.Options.ParentPool.MinIdle = 1;
        bench.Options.ParentPool.MaxRetryDelay = TimeSpan.FromSeconds(4);

        // On this thread: the clock does not move on before a failed creation is complete and the next one is scheduled.
        var work = new ManualScheduler { RunsContinuations = true };
        bench.Options.ParentPool.Scheduler = work;

        // The minimum is checked four times a second.
        bench.Options.ParentPool.IdleTimeout = TimeSpan.FromSeconds(1);
        var attempts = 0;
        bench.Parents.Creates = _ =>
        {
            attempts++;
            throw _noRoute;
        };
        Assert.Equal(0, bench.ParentsNow.Created);
        work.Run();
        Assert.Equal((1, 0), (bench.ParentsNow.CreateFailures, bench.ParentsNow.Creating));
        for (var step = 0; step < 400; step++)
        {
            bench.Clock.Advance(TimeSpan.FromMilliseconds(100));
            work.Run();
        }

        // Ten pauses of 4 seconds, and those before them.
        Assert.InRange(attempts, 8, 17);
    }

    [Fact]
    public async Task Hanging_creations_release_their_parent_although_the_observer_blocks_on_the_first()
    {
        using var bench = new NestedBench(maxParents: 1, maxPerParent: 2);
        using var observer = new BlockingObserver();
        var creations = 0;
        bench.Children.Creates = (_, _) =>
        {
            Interlocked.Increment(ref creations);
            return new ValueTask<Leaf>(new TaskCompletionSource<Leaf>().Task);
        };
        bench.Options.ChildPool.Observer = observer;
        bench.Options.ChildPool.CreateTimeout = TimeSpan.FromSeconds(1);
        bench.Options.ChildPool.RetryDelay = bench.Options.ChildPool.MaxRetryDelay = TimeSpan.FromMinutes(10);
        _ = bench.RequestAsync();
        _ = bench.RequestAsync();
        Background.Until(() => Volatile.Read(ref creations) == 2);
        var check = Background.Start(() =>
        {
            bench.Clock.Advance(TimeSpan.FromSeconds(1));
            return true;
        });
        observer.AwaitBlocked();

        Assert.Equal([0], bench.Pool.GetChildCounts());
        observer.Release();
        Assert.True(await check.WaitAsync(Background.Limit));
    }

    [Fact]
    public async Task A_child_does_not_wait_for_the_retry_interval_of_the_parents_minimum()
    {
        using var bench = new NestedBench(maxParents: 2, maxPerParent: 2);
        bench.Options.ParentPool.Random = new FixedRandom();
        bench.Options.ParentPool.MinIdle = 1;
        bench.Options.ParentPool.RetryDelay = TimeSpan.FromHours(1);
        bench.Options.ParentPool.MaxRetryDelay = TimeSpan.FromHours(1);
        bench.Parents.Creates = _ => throw _noRoute;
        Background.Until(() => bench.ParentsNow is { CreateFailures: 1, Creating: 0, Waiting: 0 });
        bench.Parents.Creates = null;

        // The failed creation may not have been reported to its waiters yet. Then it fails this caller, too, and the retry of the
        // children follows, within 100 ms.
        var rent = bench.RequestAsync();
        bench.AdvanceUntil(() => rent.IsCompleted, TimeSpan.FromMilliseconds(10), steps: 100);

        using var lease = await rent;
        Assert.Equal(1, lease.Value.Parent.Number);
    }

    [Fact]
    public async Task A_failure_that_the_parents_policy_calls_permanent_is_thrown_at_once()
    {
        using var bench = new NestedBench(maxParents: 1, maxPerParent: 2);
        bench.Parents.IsPermanentHook = failure => failure == _noRoute;
        bench.Parents.Creates = _ => throw _noRoute;

        Assert.Same(_noRoute, await Assert.ThrowsAsync<IOException>(bench.RentAsync));
    }

    [Fact]
    public async Task A_failure_that_the_childrens_policy_calls_permanent_is_thrown_at_once()
    {
        using var bench = new NestedBench(maxParents: 1, maxPerParent: 2);
        bench.Children.IsPermanentHook = failure => failure == _noRoute;
        bench.Children.Creates = (_, _) => throw _noRoute;

        Assert.Same(_noRoute, await Assert.ThrowsAsync<IOException>(bench.RentAsync));
        bench.AssertPermitsAreConserved();
    }

    [Fact]
    public async Task A_failed_child_creation_probes_the_parent_and_releases_its_capacity()
    {
        using var bench = new NestedBench(maxParents: 2, maxPerParent: 1);
        bench.Options.ChildPool.OutageTimeout = TimeSpan.Zero;
        bench.Parents.KeepsAlive = (part, _) => part.Number == 1 ? throw new IOException("gone") : default;
        bench.Children.Creates = (parent, _) =>
            parent.Number == 1 ? throw _noRoute : new ValueTask<Leaf>(bench.Children.New(parent));

        Assert.Same(_noRoute, await Refused.WithAsync<IOException>(bench.RentAsync));

        Assert.Equal([(1, DestroyReason.KeepAliveFailed)], bench.DestroyedParents(1));
        bench.Clock.Advance(TimeSpan.FromMinutes(1));
        Assert.Equal(2, (await bench.RentAsync()).Value.Parent.Number);
        bench.AssertPermitsAreConserved();
    }

    [Fact]
    public async Task A_child_whose_creation_fails_on_a_broken_parent_is_created_on_another()
    {
        using var bench = new NestedBench(maxParents: 3, maxPerParent: 1) { Parents = { IsBrokenHook = part => part.IsBroken } };
        bench.Options.ChildPool.OutageTimeout = TimeSpan.Zero;
        await bench.Pool.WarmUpParentsAsync(2).WaitAsync(Background.Limit);

        // Two uses are released; which of two new parents would be selected is not defined.
        var fourth = new Gate<Part>();
        bench.Parents.Creates =
            token => bench.Parents.Created.Count < 3 ? new ValueTask<Part>(bench.Parents.New()) : fourth.WaitAsync(token);
        bench.Children.Creates = (parent, _) =>
        {
            // As with a connection that the other side has closed: it takes an attempt to notice.
            parent.IsBroken = parent.Number < 3;
            return parent.IsBroken ? throw _noRoute : new ValueTask<Leaf>(bench.Children.New(parent));
        };

        using var lease = await bench.RentAsync();

        Assert.Equal(3, lease.Value.Parent.Number);
        Assert.Equal([1, 2], bench.DestroyedParents(2).Select(each => each.Number).Order());
        Assert.Equal(0, bench.Now.CreateFailures);
        bench.AssertPermitsAreConserved();
    }

    [Fact]
    public async Task Parents_that_break_at_once_do_not_prolong_a_creation_indefinitely()
    {
        using var bench = new NestedBench(maxParents: 2, maxPerParent: 1) { Parents = { IsBrokenHook = part => part.IsBroken } };
        bench.Options.ChildPool.OutageTimeout = TimeSpan.Zero;
        bench.Children.Creates = (parent, _) =>
        {
            parent.IsBroken = true;
            throw _noRoute;
        };

        Assert.Same(_noRoute, await Refused.WithAsync<IOException>(bench.RentAsync));
        Assert.InRange(bench.Parents.Created.Count, 1, 6);
    }

    [Fact]
    public async Task A_null_child_is_a_failure_and_releases_its_capacity()
    {
        using var bench = new NestedBench(maxParents: 1, maxPerParent: 1);
        bench.Options.ChildPool.OutageTimeout = TimeSpan.Zero;
        bench.Children.Creates = (_, _) => new ValueTask<Leaf>((Leaf)null!);

        var failure = await Assert.ThrowsAsync<InvalidOperationException>(bench.RentAsync);

        Assert.Contains("The policy of pool 'leaves' returned null.", failure.Message, StringComparison.Ordinal);
        bench.AssertPermitsAreConserved();
    }

    [Fact]
    public async Task A_caller_is_answered_in_time_although_the_parent_hangs()
    {
        using var bench = new NestedBench(maxParents: 1, maxPerParent: 2);
        bench.Options.ChildPool.RentTimeout = TimeSpan.FromSeconds(10);
        var creating = new Gate<Part>();
        bench.Parents.Creates = creating.WaitAsync;
        var waiting = bench.RequestAsync();
        Background.Until(() => creating.Waiting == 1);

        bench.AdvanceUntil(() => waiting.IsCompleted, TimeSpan.FromSeconds(1), steps: 31);

        var timeout = await Assert.ThrowsAsync<PoolTimeoutException>(() => waiting.WaitAsync(Background.Limit));
        Assert.Equal("leaves", timeout.PoolName);
    }

    [Fact]
    public async Task The_parent_and_child_created_for_a_caller_that_gave_up_are_kept()
    {
        using var bench = new NestedBench(maxParents: 1, maxPerParent: 1);
        var (parents, children) = (new Gate<Part>(), new Gate<Leaf>());
        bench.Parents.Creates = parents.WaitAsync;
        bench.Children.Creates = (_, token) => children.WaitAsync(token);
        using var cancellation = new CancellationTokenSource();
        var request = bench.Pool.RentAsync(cancellation.Token).AsTask();
        Background.Until(() => parents.Waiting == 1);

        await cancellation.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => request.WaitAsync(Background.Limit));
        parents.Release(bench.Parents.New());
        Background.Until(() => children.Waiting == 1);
        children.Release(bench.Children.New(bench.Parents.Created[0]));

        Background.Until(() => bench.Now.Idle == 1);
        Assert.Equal([1], bench.Pool.GetChildCounts());
    }

    [Fact]
    public async Task A_child_whose_creation_hangs_releases_its_capacity_on_the_parent()
    {
        using var bench = new NestedBench(maxParents: 1, maxPerParent: 1);
        var creating = new Gate<Leaf>();
        bench.Children.Creates = (_, _) => creating.WaitAsync(CancellationToken.None);
        var waiting = bench.RequestAsync();
        Background.Until(() => creating.Waiting == 1);

        bench.Children.Creates = null;
        bench.AdvanceUntil(() => waiting.IsCompleted, TimeSpan.FromSeconds(1), steps: 20);

        var late = bench.Children.New(bench.Parents.Created[0]);
        creating.Release(late);
        Assert.NotSame(late, (await waiting.WaitAsync(Background.Limit)).Value);
        Background.Until(() => bench.Children.Destroyed.Any(each => each == (late, DestroyReason.CreatedTooLate)));
        bench.AssertPermitsAreConserved();
    }

    [Fact]
    public async Task A_parent_on_which_a_child_hangs_can_be_destroyed()
    {
        using var bench = new NestedBench(maxParents: 1, maxPerParent: 1);
        var creating = new Gate<Leaf>();
        bench.Children.Creates = (_, _) => creating.WaitAsync(CancellationToken.None);
        var waiting = bench.RequestAsync();
        Background.Until(() => creating.Waiting == 1);
        bench.Pool.Clear();
        bench.Children.Creates = null;

        bench.AdvanceUntil(() => bench.Parents.Destroyed.Count == 1, TimeSpan.FromSeconds(1), steps: 20);
        bench.AdvanceUntil(() => waiting.IsCompleted, TimeSpan.FromSeconds(1), steps: 9);

        Assert.Equal(2, (await waiting.WaitAsync(Background.Limit)).Value.Parent.Number);
        creating.Release(bench.Children.New(bench.Parents.Created[0]));
    }

    [Fact]
    public async Task A_parent_that_is_destroyed_slowly_delays_new_children_at_most_to_their_deadline()
    {
        using var bench = new NestedBench(maxParents: 1, maxPerParent: 2);
        var lease = await bench.RentAsync();
        bench.Pool.Clear();
        var hasty = bench.Pool.RentAsync(TimeSpan.FromSeconds(2)).AsTask();
        var patient = bench.RequestAsync();

        bench.AdvanceUntil(() => hasty.IsCompleted, TimeSpan.FromSeconds(1), steps: 3);
        await Assert.ThrowsAsync<PoolTimeoutException>(() => hasty.WaitAsync(Background.Limit));
        Assert.False(patient.IsCompleted);
        lease.Dispose();

        Assert.Equal(2, (await patient.WaitAsync(Background.Limit)).Value.Parent.Number);
        bench.AssertPermitsAreConserved();
    }

    [Fact]
    public void A_policy_whose_hooks_throw_leaves_no_parents()
    {
        var work = new ManualScheduler();
        var parents = new ScriptedPolicy();
        var options = new NestedResourcePoolOptions { ParentPool = NestedBench.Endless(1), ChildPool = NestedBench.Endless(4) };
        (options.ParentPool.MinIdle, options.ParentPool.Scheduler) = (1, work);

        Assert.Throws<InvalidCastException>(
            () => new NestedResourcePool<Part, Leaf>(parents, new PolicyWithFailingHooks(), options));

        work.Run();
        Assert.Empty(parents.Created);
    }

    private sealed class PolicyWithFailingHooks : NestedPolicy<Part, Leaf>
    {
        public override ResourceHooks Hooks => throw new InvalidCastException();

        public override ValueTask<Leaf> CreateAsync(Part parent, CancellationToken cancellationToken) =>
            throw new NotSupportedException();
    }
}
