
namespace Poolhouse.Tests.Resources.Nested;

/// <summary>Handling of the children of a broken, expired or cleared parent.</summary>
public sealed class InactiveParents
{
    private static readonly TimeSpan _lifetime = TimeSpan.FromMinutes(10);

    [Fact]
    public async Task A_broken_parent_destroys_its_children_and_no_others()
    {
        using var bench = new NestedBench(maxParents: 2, maxPerParent: 2) { Parents = { IsBrokenHook = part => part.IsBroken } };
        await bench.Pool.WarmUpParentsAsync(2).WaitAsync(Background.Limit);
        var leases = await bench.RentAsync(4);
        var broken = leases[0].Value.Parent;
        var lost = leases.FindAll(lease => lease.Value.Parent == broken);
        var kept = leases.FindAll(lease => lease.Value.Parent != broken);
        lost[0].Dispose();
        kept[0].Dispose();
        Assert.Equal(2, bench.Now.Idle);

        broken.IsBroken = true;
        lost[1].Dispose();

        Assert.All(bench.Destroyed(2), each => Assert.Equal(DestroyReason.ParentInactive, each.Reason));
        Assert.Equal([(broken.Number, DestroyReason.Broken)], bench.DestroyedParents(1));
        Assert.Equal((1, 1), (bench.Now.Idle, bench.Now.Leased));
        Assert.NotSame(broken, (await bench.RentAsync()).Value.Parent);
        Assert.True(kept[1].IsActive);
    }

    [Fact]
    public async Task An_idle_child_of_a_broken_parent_is_not_rented()
    {
        using var bench = new NestedBench(maxParents: 2, maxPerParent: 2) { Parents = { IsBrokenHook = part => part.IsBroken } };
        (await bench.RentAsync(2)).ForEach(lease => lease.Dispose());

        bench.Parents.Created[0].IsBroken = true;
        using var lease = await bench.RentAsync();

        Assert.Equal(2, lease.Value.Parent.Number);
        Assert.Equal([(1, DestroyReason.ParentInactive), (2, DestroyReason.ParentInactive)], bench.Destroyed(2).Order());
        Assert.Single(bench.DestroyedParents(1));
        bench.AssertPermitsAreConserved();
    }

    [Fact]
    public async Task A_child_whose_parent_is_deactivated_during_its_return_is_destroyed()
    {
        using var bench = new NestedBench(maxParents: 1, maxPerParent: 2) { Parents = { IsBrokenHook = part => part.IsBroken } };
        Lease<Leaf>? other = null;

        // The policy checks the child after the pool has checked the parent, and before the child becomes idle.
        bench.Children.IsBrokenHook = _ =>
        {
            bench.Parents.Created[0].IsBroken = true;
            other?.Dispose();
            return false;
        };
        var leases = await bench.RentAsync(2);
        other = leases[1];

        leases[0].Dispose();

        Assert.All(bench.Destroyed(2), each => Assert.Equal(DestroyReason.ParentInactive, each.Reason));
        Assert.Single(bench.DestroyedParents(1));
        bench.AssertPermitsAreConserved();
    }

    [Fact]
    public async Task A_parent_whose_IsBroken_throws_counts_as_broken()
    {
        using var bench = new NestedBench(maxParents: 2, maxPerParent: 2);
        var sick = false;
        bench.Parents.IsBrokenHook = part => sick && part.Number == 1 ? throw new IOException("no answer") : false;
        (await bench.RentAsync()).Dispose();

        sick = true;

        Assert.Equal(2, (await bench.RentAsync()).Value.Parent.Number);
    }

    [Fact]
    public async Task A_parent_is_destroyed_after_its_last_child()
    {
        using var bench = new NestedBench(maxParents: 1, maxPerParent: 2);
        var destroying = new Gate<bool>();
        var leases = await bench.RentAsync(2);
        bench.Children.Destroys = async (_, _) => await destroying.WaitAsync();

        bench.Pool.Clear();
        leases[0].Dispose();
        Background.Until(() => destroying.Waiting == 1);
        destroying.Release(true);
        Background.Until(() => bench.Now.Live == 1);
        leases[1].Dispose();
        Background.Until(() => destroying.Waiting == 1);
        Assert.Empty(bench.Parents.Destroyed);
        destroying.Release(true);

        Assert.Equal([(1, DestroyReason.Cleared)], bench.DestroyedParents(1));
        Background.Until(() => bench.ParentsNow.Live == 0 && bench.Now.Live == 0);
    }

    [Fact]
    public async Task A_child_destruction_that_hangs_releases_the_capacity_and_the_parent()
    {
        using var bench = new NestedBench(maxParents: 1, maxPerParent: 1);
        var destroying = new Gate<bool>();
        var lease = await bench.RentAsync();
        bench.Children.Destroys = async (_, _) => await destroying.WaitAsync();

        bench.Pool.Clear();
        lease.Dispose();
        Background.Until(() => destroying.Waiting == 1);
        bench.AdvanceUntil(() => bench.Parents.Destroyed.Count == 1, TimeSpan.FromSeconds(1), steps: 10);

        Background.Until(() => bench.Now.Live == 0);
        destroying.Release(true);
    }

    [Fact]
    public async Task Idle_children_do_not_keep_an_expired_parent()
    {
        using var bench = new NestedBench(maxParents: 1, maxPerParent: 3);
        bench.Options.ParentPool.MaxLifetime = _lifetime;
        (await bench.RentAsync(3)).ForEach(lease => lease.Dispose());

        bench.AdvanceUntil(() => bench.Parents.Destroyed.Count == 1, _lifetime / 4, steps: 5);

        Assert.Equal([(1, DestroyReason.Lifetime)], bench.DestroyedParents(1));
        Assert.All(bench.Destroyed(3), each => Assert.Equal(DestroyReason.ParentInactive, each.Reason));
        Assert.Equal(2, (await bench.RentAsync()).Value.Parent.Number);
    }

    [Fact]
    public async Task An_expired_parent_serves_until_its_replacement_exists()
    {
        using var bench = new NestedBench(maxParents: 2, maxPerParent: 2, maxChildren: 2) { Options = { MaxActiveParents = 1 } };
        bench.Options.ParentPool.MaxLifetime = _lifetime;
        var creating = new Gate<Part>();
        (await bench.RentAsync(2)).ForEach(each => each.Dispose());
        bench.Parents.Creates = creating.WaitAsync;

        // No further: the creation has a timeout.
        bench.AdvanceUntil(() => creating.Waiting == 1, _lifetime / 4, steps: 4);
        var lease = await bench.RentAsync();
        Assert.Equal(1, lease.Value.Parent.Number);
        creating.Release(bench.Parents.New());

        // The one without a lease is destroyed at once.
        Assert.Equal(DestroyReason.ParentInactive, Assert.Single(bench.Destroyed(1)).Reason);
        Assert.Equal([0], bench.Pool.GetChildCounts());
        Assert.Equal(2, (await bench.RentAsync()).Value.Parent.Number);
        Assert.True(lease.IsActive);
        lease.Dispose();
        Assert.Equal([(1, DestroyReason.Lifetime)], bench.DestroyedParents(1));
    }

    [Fact]
    public async Task After_a_clear_no_caller_gets_an_old_child_or_a_child_on_an_old_parent()
    {
        using var bench = new NestedBench(maxParents: 2, maxPerParent: 4);
        var leases = await bench.RentAsync(2);
        leases[0].Dispose();

        bench.Pool.Clear();

        Assert.Equal([(1, DestroyReason.Cleared)], bench.Destroyed(1));
        Assert.Equal(2, (await bench.RentAsync()).Value.Parent.Number);
        Assert.Equal(1, leases[1].Value.Parent.Number);
        leases[1].Dispose();
        Assert.Equal([(1, DestroyReason.Cleared)], bench.DestroyedParents(1));
    }

    [Fact]
    public async Task A_child_created_while_its_parent_is_deactivated_is_destroyed()
    {
        // One parent at first: the pool may create another one ahead of demand, and the child would be created there.
        using var bench = new NestedBench(maxParents: 1, maxPerParent: 2)
        {
            Parents = { IsBrokenHook = part => part.IsBroken },
        };
        var creating = new Gate<Leaf>();
        using var first = await bench.RentAsync();
        var broken = first.Value.Parent;
        bench.Children.Creates = (_, token) => creating.WaitAsync(token);
        var request = bench.RequestAsync();
        Background.Until(() => creating.Waiting == 1);
        bench.Children.Creates = null;
        (bench.Options.ParentPool.MaxSize, bench.Options.ChildPool.MaxSize) = (2, 4);
        bench.Pool.Reconfigure(bench.Options);

        bench.Pool.Invalidate(first);
        creating.Release(bench.Children.New(broken));

        Assert.NotSame(broken, (await request.WaitAsync(Background.Limit)).Value.Parent);
        Assert.Equal([(2, DestroyReason.ParentInactive)], bench.Destroyed(1));
        Assert.True(first.IsActive);
        bench.AssertPermitsAreConserved(inactive: 1);
    }

    [Fact]
    public async Task A_child_reset_while_its_parent_is_deactivated_is_destroyed()
    {
        using var bench = new NestedBench(maxParents: 2, maxPerParent: 2);
        var resetting = new Gate<bool>();
        bench.Children.Resets = (_, token) => resetting.WaitAsync(token);
        var leases = await bench.RentAsync(2);
        leases[0].Dispose();
        Background.Until(() => resetting.Waiting == 1);

        bench.Pool.Invalidate(leases[1]);
        resetting.Release(true);

        Assert.Equal([(1, DestroyReason.ParentInactive)], bench.Destroyed(1));
        leases[1].Dispose();
        Assert.Equal([(1, DestroyReason.Broken)], bench.DestroyedParents(1));
    }

    [Fact]
    public async Task Reporting_a_fatal_error_deactivates_the_parent()
    {
        using var bench = new NestedBench(maxParents: 2, maxPerParent: 2);
        var leases = await bench.RentAsync(2);
        leases[1].Dispose();

        bench.Pool.Invalidate(leases[0]);

        Assert.Equal([(2, DestroyReason.ParentInactive)], bench.Destroyed(1));
        Assert.Equal(2, (await bench.RentAsync()).Value.Parent.Number);
        leases[0].Dispose();
        Assert.Equal(2, bench.Destroyed(2).Count);
        Assert.Equal([(1, DestroyReason.Broken)], bench.DestroyedParents(1));
        bench.Pool.Invalidate(leases[0]);
    }

    [Fact]
    public async Task Reporting_a_lease_of_another_pool_is_rejected()
    {
        using var bench = new NestedBench(maxParents: 1, maxPerParent: 1);
        using var other = new NestedBench(maxParents: 1, maxPerParent: 1);
        using var lease = await other.RentAsync();

        Assert.Throws<ArgumentException>(() => bench.Pool.Invalidate(lease));
    }

    [Fact]
    public async Task A_failing_parent_is_found_by_its_periodic_probe_and_its_idle_children_are_destroyed()
    {
        using var bench = new NestedBench(maxParents: 1, maxPerParent: 2);
        bench.Options.ParentPool.KeepAliveInterval = TimeSpan.FromSeconds(40);
        bench.Parents.KeepsAlive = (part, _) => part.Number == 1 ? throw new IOException("gone") : default;
        (await bench.RentAsync()).Dispose();

        bench.AdvanceUntil(() => bench.Parents.Destroyed.Count == 1, TimeSpan.FromSeconds(10), steps: 8);

        Assert.Equal([(1, DestroyReason.ParentInactive)], bench.Destroyed(1));
    }
}
