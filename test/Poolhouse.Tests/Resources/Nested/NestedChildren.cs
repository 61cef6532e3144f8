
namespace Poolhouse.Tests.Resources.Nested;

/// <summary>Renting from a nested pool: leases of children, within two bounds.</summary>
public sealed class NestedChildren
{
    [Fact]
    public async Task Children_are_created_on_one_parent_until_it_is_full()
    {
        using var bench = new NestedBench(maxParents: 2, maxPerParent: 4) { Options = { GrowAtLoad = 0.5 } };

        var first = await bench.RentAsync();
        Assert.Equal(1, bench.ParentsNow.Created);
        var second = await bench.RentAsync();

        Assert.Same(first.Value.Parent, second.Value.Parent);
        Background.Until(() => bench.Pool.GetChildCounts().Count == 2);
        Assert.NotSame(first.Value.Parent, (await bench.RentAsync()).Value.Parent);
    }

    [Fact]
    public async Task Neither_a_parent_nor_the_pool_has_more_children_than_its_bound()
    {
        using var bench = new NestedBench(maxParents: 3, maxPerParent: 2, maxChildren: 5);

        var leases = await bench.RentAsync(5);
        var waiting = bench.RequestAsync();

        Assert.Equal([1, 2, 2], bench.Pool.GetChildCounts().Order());
        Assert.Equal((5, 3), (bench.Now.Live, bench.ParentsNow.Live));
        Assert.All(leases.GroupBy(lease => lease.Value.Parent), children => Assert.InRange(children.Count(), 1, 2));
        Assert.False(waiting.IsCompleted);
        leases[0].Dispose();
        Assert.Equal(1, (await waiting.WaitAsync(Background.Limit)).Value.Number);
    }

    [Fact]
    public async Task A_returned_child_is_rented_again_with_its_parent()
    {
        using var bench = new NestedBench(maxParents: 2, maxPerParent: 2);
        var first = await bench.RentAsync();
        var child = first.Value;

        first.Dispose();
        var again = await bench.RentAsync();

        Assert.Same(child, again.Value);
        Assert.Equal((2, 1, 1), (again.Info.Uses, bench.Now.Created, bench.ParentsNow.Created));
    }

    [Fact]
    public async Task A_result_that_is_requested_too_early_affects_no_other_caller()
    {
        using var bench = new NestedBench(maxParents: 1, maxPerParent: 1);
        var held = await bench.RentAsync();

#pragma warning disable CA2012, VSTHRD002, xUnit1031 // The misuse that is tested.
        var early = bench.Pool.RentAsync();
        Assert.Throws<InvalidOperationException>(() => early.Result);
        var other = bench.RequestAsync();
        held.Dispose();

        (await early.AsTask().WaitAsync(Background.Limit)).Dispose();
#pragma warning restore CA2012, VSTHRD002, xUnit1031
        (await other.WaitAsync(Background.Limit)).Dispose();
        Assert.Equal((0, 1), (bench.Now.Leased, bench.Now.Live));
    }

    [Fact]
    public async Task A_lease_ends_once_and_a_second_return_is_counted()
    {
        using var bench = new NestedBench(maxParents: 1, maxPerParent: 1);
        var lease = await bench.RentAsync();

        lease.Dispose();
        var next = await bench.RentAsync();
        lease.Dispose();
        lease.Discard();
        lease.Taint();

        Assert.True(next.IsActive);
        Assert.Throws<ObjectDisposedException>(() => lease.Value);
        Assert.Throws<ObjectDisposedException>(() => lease.Info);
        Assert.Throws<ObjectDisposedException>(lease.Detach);
        Assert.Equal((3, 0), (bench.Now.DoubleReturns, bench.Now.Destroyed));
    }

    [Fact]
    public async Task Discarding_a_child_does_not_affect_its_parent()
    {
        using var bench = new NestedBench(maxParents: 1, maxPerParent: 2);
        var (mine, others) = (await bench.RentAsync(), await bench.RentAsync());

        mine.Discard();

        Assert.Equal([(1, DestroyReason.Discarded)], bench.Destroyed(1));
        Assert.True(others.IsActive);
        Assert.Same(others.Value.Parent, (await bench.RentAsync()).Value.Parent);
        Assert.Equal((1, 0), (bench.ParentsNow.Created, bench.ParentsNow.Destroyed));
    }

    [Fact]
    public async Task A_tainted_child_is_destroyed_and_its_parent_is_not()
    {
        using var bench = new NestedBench(maxParents: 1, maxPerParent: 1);
        var lease = await bench.RentAsync();

        lease.Taint();
        lease.Dispose();

        Assert.Equal([(1, DestroyReason.Tainted)], bench.Destroyed(1));
        Assert.Equal((2, 1), ((await bench.RentAsync()).Value.Number, bench.ParentsNow.Created));
    }

    [Fact]
    public async Task A_broken_child_is_replaced_on_the_same_parent()
    {
        using var bench = new NestedBench(maxParents: 1, maxPerParent: 2) { Children = { IsBrokenHook = leaf => leaf.IsBroken } };
        var leases = await bench.RentAsync(2);
        leases[0].Value.IsBroken = true;
        leases.ForEach(lease => lease.Dispose());
        var (one, two) = (await bench.RentAsync(), await bench.RentAsync());

        Assert.Equal([2, 3], new[] { one.Value.Number, two.Value.Number }.Order());
        Assert.Equal([(1, DestroyReason.Broken)], bench.Destroyed(1));
        Assert.Equal(1, bench.ParentsNow.Created);
    }

    [Fact]
    public async Task Children_are_validated_reset_proved_clean_and_kept_alive_like_items()
    {
        var calls = new List<string>();
        using var bench = new NestedBench(maxParents: 1, maxPerParent: 1);
        bench.Options.ChildPool.ValidateAfterIdle = TimeSpan.FromSeconds(10);
        bench.Options.ChildPool.KeepAliveInterval = TimeSpan.FromSeconds(60);
        bench.Children.Resets = (_, _) => Called("reset");
        bench.Children.NeedsResetHook = _ => true;
        bench.Children.ProvesClean = (_, _) => Called("prove");
        bench.Children.Validates = (_, info, _) => Called($"validate after {info.IdleTime.TotalSeconds} s");
        bench.Children.KeepsAlive = async (_, _) => await Called("keep alive");
        var lease = await bench.RentAsync();
        lease.Taint();

        await lease.DisposeAsync();
        Background.Until(() => bench.Now.Idle == 1);
        bench.Clock.Advance(TimeSpan.FromSeconds(60));
        Background.Until(() => calls.Count == 3 && bench.Now.Idle == 1);
        bench.Clock.Advance(TimeSpan.FromSeconds(20));
        await bench.RentAsync();

        Assert.Equal(["prove", "reset", "keep alive", "validate after 80 s"], calls);
        Assert.Equal(1, bench.Now.Created);

        ValueTask<bool> Called(string what)
        {
            lock (calls)
            {
                calls.Add(what);
            }

            return new ValueTask<bool>(result: true);
        }
    }

    [Fact]
    public async Task A_detached_child_releases_capacity_of_the_pool_and_of_its_parent()
    {
        using var bench = new NestedBench(maxParents: 1, maxPerParent: 1);
        var lease = await bench.RentAsync();

        var child = lease.Detach();

        Assert.Equal((1, 1), (child.Number, bench.Now.Detached));
        Assert.Equal((0, 0), (bench.Now.Live, bench.Pool.GetChildCounts().Sum()));
        Assert.Equal(2, (await bench.RentAsync()).Value.Number);
        Assert.Empty(bench.Children.Destroyed);
    }

    [Fact]
    public async Task Rent_and_TryRent_get_children()
    {
        using var bench = new NestedBench(maxParents: 1, maxPerParent: 2);
        Assert.False(bench.Pool.TryRent(out var none));
        Assert.False(none.IsActive);

        var first = await Background.Start(() => bench.Pool.Rent()).WaitAsync(Background.Limit);
        var second = await Background.Start(() => bench.Pool.Rent(TimeSpan.FromSeconds(5))).WaitAsync(Background.Limit);
        first.Dispose();

        Assert.True(bench.Pool.TryRent(out var tried));
        Assert.Equal((1, 2), (tried.Value.Number, second.Value.Number));
    }

    [Fact]
    public async Task Warming_up_creates_children_and_their_parents()
    {
        using var bench = new NestedBench(maxParents: 2, maxPerParent: 2);

        await bench.Pool.WarmUpParentsAsync(2).WaitAsync(Background.Limit);
        await bench.Pool.WarmUpAsync(3).WaitAsync(Background.Limit);

        Assert.Equal((3, 2), (bench.Now.Idle, bench.ParentsNow.Live));
        Assert.Equal([1, 2], bench.Pool.GetChildCounts().Order());
        Assert.True(bench.Pool.TryRent(out _));
    }

    [Fact]
    public async Task Expired_idle_children_are_destroyed_and_then_their_parents()
    {
        using var bench = new NestedBench(maxParents: 2, maxPerParent: 1);
        bench.Options.ChildPool.IdleTimeout = TimeSpan.FromMinutes(1);
        bench.Options.ParentPool.IdleTimeout = TimeSpan.FromMinutes(1);
        (await bench.RentAsync(2)).ForEach(lease => lease.Dispose());

        bench.AdvanceUntil(() => bench.ParentsNow.Live == 0, TimeSpan.FromSeconds(15), steps: 40);

        Assert.All(bench.Destroyed(2), each => Assert.Equal(DestroyReason.Idle, each.Reason));
        Assert.Equal(2, bench.DestroyedParents(2).Count);
    }

    [Fact]
    public async Task A_parent_without_children_is_destroyed_at_most_a_quarter_of_its_IdleTimeout_late()
    {
        using var bench = new NestedBench(maxParents: 1, maxPerParent: 1);
        bench.Options.ParentPool.IdleTimeout = TimeSpan.FromMinutes(10);
        (await bench.RentAsync()).Discard();
        Background.Until(() => bench.Pool.GetChildCounts() is [0]);

        bench.Clock.Advance(TimeSpan.FromMinutes(9.9));
        Background.LetThreadPoolRun();
        Assert.Empty(bench.Parents.Destroyed);
        bench.Clock.Advance(TimeSpan.FromMinutes(2.6));

        Assert.Equal([(1, DestroyReason.Idle)], bench.DestroyedParents(1));
    }

    [Fact]
    public async Task A_trim_destroys_idle_children_and_parents_without_any()
    {
        using var bench = new NestedBench(maxParents: 2, maxPerParent: 2);
        await bench.Pool.WarmUpParentsAsync(2).WaitAsync(Background.Limit);
        var leases = await bench.RentAsync(3);
        leases[0].Dispose();

        Assert.Equal(1, bench.Pool.Trim());

        Assert.Equal([(1, DestroyReason.Trimmed)], bench.Destroyed(1));
        Background.Until(() => bench.Now.Live == 2);
        Assert.All(leases[1..], lease => Assert.True(lease.IsActive));
        leases[1..].ForEach(lease => lease.Discard());
        Background.Until(() => bench.Pool.GetChildCounts().Sum() == 0);
        bench.Pool.Trim();
        Background.Until(() => bench.ParentsNow.Live == 0);
    }
}
