using Poolhouse.Testing;

namespace Poolhouse.Tests.Resources;

/// <summary>Operations that change a nested pool while its children are in use.</summary>
public sealed class NestedOperations
{
    [Fact]
    public async Task A_smaller_pool_destroys_idle_children_at_once_and_leased_ones_as_they_are_returned()
    {
        using var bench = new NestedBench(maxParents: 1, maxPerParent: 4);
        var leases = await bench.RentAsync(4);
        leases[0].Dispose();

        bench.Pool.Resize(1);
        bench.Destroyed(1);
        Assert.Equal(3, bench.Now.Leased);
        leases.ForEach(lease => lease.Dispose());

        bench.Destroyed(3);
        Background.Until(() => bench.Now is { Live: 1, MaxSize: 1 });
        bench.AssertPermitsAreConserved();
    }

    [Fact]
    public async Task A_hook_called_for_a_surplus_parent_may_wait_for_another_change()
    {
        using var bench = new NestedBench(maxParents: 3, maxPerParent: 1, maxChildren: 1);
        var (shrinks, changed) = (false, new List<bool>());
        bench.Parents.IsBrokenHook = _ =>
        {
            if (shrinks && changed.Count == 0)
            {
                changed.Add(Background.CanDo(() => bench.Pool.Resize(1)));
            }

            return false;
        };
        await bench.Pool.WarmUpParentsAsync(3, TestContext.Current.CancellationToken).WaitAsync(Background.Limit);

        shrinks = true;
        bench.Options.MaxActiveParents = 1;
        bench.Pool.Reconfigure(bench.Options);

        Assert.Equal([true], changed);
        Assert.Single(bench.Pool.GetChildCounts());
    }

    [Fact]
    public void More_children_than_the_parents_have_room_for_are_refused()
    {
        using var bench = new NestedBench(maxParents: 2, maxPerParent: 3);

        Assert.Throws<ArgumentException>(() => bench.Pool.Resize(7));

        Assert.Equal(6, bench.Now.MaxSize);
    }

    [Fact]
    public async Task More_parents_and_children_are_available_at_once()
    {
        using var bench = new NestedBench(maxParents: 1, maxPerParent: 1);
        using var first = await bench.RentAsync();
        var waiting = bench.RequestAsync();
        bench.Options.ParentPool.MaxSize = 2;
        bench.Options.ChildPool.MaxSize = 2;

        bench.Pool.Reconfigure(bench.Options);

        using var second = await waiting.WaitAsync(Background.Limit);
        Assert.NotSame(first.Value.Parent, second.Value.Parent);
    }

    [Fact]
    public void Everything_that_is_wrong_is_named_at_once_and_nothing_changes()
    {
        using var bench = new NestedBench(maxParents: 2, maxPerParent: 3);
        _ = bench.Pool;
        bench.Options.ChildPool.MaxSize = 100;
        bench.Options.ChildPool.IdleOrder = IdleOrder.Fifo;
        bench.Options.ParentPool.Name = "other";

        var error = Assert.Throws<ArgumentException>(() => bench.Pool.Reconfigure(bench.Options));

        foreach (var part in new[] { "ChildPool.MaxSize is 100", "ChildPool.IdleOrder is Fifo", "ParentPool.Name is \"other\"" })
        {
            Assert.Contains(part, error.Message, StringComparison.Ordinal);
        }

        Assert.Equal(6, bench.Now.MaxSize);
    }

    [Fact]
    public void A_limit_of_uses_for_parents_is_rejected_with_the_other_errors()
    {
        using var bench = new NestedBench(maxParents: 2, maxPerParent: 3);
        _ = bench.Pool;
        bench.Options.ParentPool.MaxUses = 5;
        bench.Options.GrowAtLoad = 0;
        using var created = new NestedBench(maxParents: 2, maxPerParent: 3);
        created.Options.ParentPool.MaxUses = 5;
        created.Options.GrowAtLoad = 0;

        var errors = new[]
        {
            Assert.Throws<ArgumentException>(() => bench.Pool.Reconfigure(bench.Options)),
            Assert.Throws<ArgumentException>(() => created.Pool),
        };

        Assert.All(errors, static error =>
        {
            Assert.Contains("ParentPool.MaxUses is 5", error.Message, StringComparison.Ordinal);
            Assert.Contains("GrowAtLoad is 0", error.Message, StringComparison.Ordinal);
        });
    }

    [Fact]
    public async Task Callers_of_a_suspended_pool_wait_until_it_is_resumed()
    {
        using var bench = new NestedBench(maxParents: 1, maxPerParent: 2);
        (await bench.RentAsync()).Dispose();

        bench.Pool.Suspend();
        var waiting = bench.RequestAsync();
        Assert.False(bench.Pool.TryRent(out _));
        Assert.False(waiting.IsCompleted);

        bench.Pool.Resume();
        using var lease = await waiting.WaitAsync(Background.Limit);
        Assert.Equal(1, lease.Value.Number);
    }

    [Fact]
    public async Task A_clear_with_a_spread_replaces_parents_and_children_within_it()
    {
        using var bench = new NestedBench(maxParents: 2, maxPerParent: 1);
        (await bench.RentAsync(2)).ForEach(lease => lease.Dispose());

        bench.Pool.Clear(TimeSpan.FromSeconds(40));
        Assert.NotEmpty(bench.Pool.GetChildCounts());

        bench.AdvanceUntil(() => bench.Parents.Destroyed.Count == 2, TimeSpan.FromSeconds(10), steps: 6);
        Assert.Equal(2, bench.Destroyed(2).Count);
    }

    [Fact]
    public async Task A_parent_that_will_fail_soon_is_deactivated_within_the_given_time()
    {
        using var bench = new NestedBench(maxParents: 2, maxPerParent: 1);
        var leases = await bench.RentAsync(2);
        var failing = leases[0].Value.Parent.Number;

        bench.Pool.Invalidate(leases[0], TimeSpan.FromSeconds(20));
        Assert.Equal(2, bench.Pool.GetChildCounts().Count);
        bench.AdvanceUntil(() => bench.Pool.GetChildCounts().Count == 1, TimeSpan.FromSeconds(5), steps: 6);

        leases.ForEach(lease => lease.Dispose());
        Assert.Equal([(failing, DestroyReason.Cleared)], bench.DestroyedParents(1));
    }

    [Fact]
    public async Task A_keyed_nested_pool_is_changed_for_every_key()
    {
        var clock = new ManualTimeProvider();
        KeyedNestedResourcePoolOptions<string> Options(int maxSize, int perKey) => new()
        {
            ParentPool = NestedBench.Endless(2),
            ChildPool = new KeyedResourcePoolOptions<string> { MaxSize = maxSize, Pool = NestedBench.Endless(perKey) },
            MaxChildrenPerParent = 4,
        };

        var given = Options(maxSize: 2, perKey: 2);
        given.ParentPool.TimeProvider = given.ChildPool.Pool.TimeProvider = clock;
        using var pool =
            new KeyedNestedResourcePool<string, Part, Leaf>(new ScriptedPolicy(), _ => new ScriptedNestedPolicy(), given);
        using var a = await pool.RentAsync("a").AsTask().WaitAsync(Background.Limit);
        using var b = await pool.RentAsync("b").AsTask().WaitAsync(Background.Limit);
        var waiting = pool.RentAsync("c").AsTask();

        pool.Resize(3);
        using var c = await waiting.WaitAsync(Background.Limit);
        pool.Suspend();
        var later = pool.RentAsync("d").AsTask();
        var next = Options(maxSize: 5, perKey: 1);
        next.ParentPool.TimeProvider = next.ChildPool.Pool.TimeProvider = clock;
        pool.Reconfigure(next);
        Assert.False(later.IsCompleted);
        pool.Resume();
        using var d = await later.WaitAsync(Background.Limit);

        Assert.Equal(
            (5, 1, 1), (pool.GetStatistics().MaxSize, pool.GetStatistics("a")!.MaxSize, pool.GetStatistics("d")!.MaxSize));
        Assert.Throws<ArgumentException>(() => pool.Resize(9));
    }
}
