using Poolhouse.Testing;

namespace Poolhouse.Tests.Resources.Nested;

/// <summary>Children of several kinds on the same parents.</summary>
public sealed class NestedKeys : IDisposable
{
    private readonly ScriptedPolicy _parents = new() { IsBrokenHook = part => part.IsBroken };
    private readonly Dictionary<string, ScriptedNestedPolicy> _children = new(StringComparer.Ordinal)
    {
        ["confirms"] = new(),
        ["transactions"] = new(),
    };

    private readonly ManualTimeProvider _clock = new();
    private KeyedNestedResourcePool<string, Part, Leaf>? _pool;

    private KeyedNestedResourcePool<string, Part, Leaf> Pool => _pool ??= NewPool(maxSize: 4);

    public void Dispose() => _pool?.Dispose();

    [Fact]
    public async Task Keys_share_parents_but_never_a_child()
    {
        var (one, two) = (await RentAsync("confirms"), await RentAsync("transactions"));
        Assert.Same(one.Value.Parent, two.Value.Parent);
        var confirms = one.Value;
        one.Dispose();
        two.Dispose();

        Assert.Same(confirms, (await RentAsync("confirms")).Value);
        Assert.Contains((await RentAsync("transactions")).Value, _children["transactions"].Created);
        Assert.Equal((2, 1, 2), (Pool.GetStatistics().Created, Pool.GetParentStatistics().Created, Pool.KeyCount));
        Assert.Equal(1, Pool.GetStatistics("confirms")!.Created);
    }

    [Fact]
    public async Task A_waiting_key_gets_the_capacity_of_another_keys_idle_child()
    {
        var leases = new List<Lease<Leaf>>();
        for (var number = 0; number < 4; number++)
        {
            leases.Add(await RentAsync("confirms"));
        }

        leases.ForEach(lease => lease.Dispose());
        Assert.Equal(4, Pool.GetChildCounts().Sum());

        using var other = await RentAsync("transactions");

        Assert.Equal(DestroyReason.Evicted, Assert.Single(_children["confirms"].Destroyed).Reason);
        Assert.Equal((4, 4), (Pool.GetStatistics().Live, Pool.GetChildCounts().Sum()));
    }

    [Fact]
    public async Task A_broken_parent_destroys_the_children_of_every_key()
    {
        (await RentAsync("confirms")).Dispose();
        var lease = await RentAsync("transactions");

        lease.Value.Parent.IsBroken = true;
        lease.Dispose();

        Background.Until(() => _parents.Destroyed.Count == 1);
        Assert.All(
            _children.Values,
            policy => Assert.Equal(DestroyReason.ParentInactive, Assert.Single(policy.Destroyed).Reason));
        Background.Until(() => Pool.GetStatistics().Live == 0);
    }

    [Fact]
    public async Task Clearing_one_key_does_not_affect_the_parents_and_other_keys()
    {
        (await RentAsync("confirms")).Dispose();
        (await RentAsync("transactions")).Dispose();

        Pool.Clear("confirms");

        Background.Until(() => Pool.GetStatistics().Live == 1);
        Assert.Equal(DestroyReason.Cleared, Assert.Single(_children["confirms"].Destroyed).Reason);
        Assert.True(Pool.TryRent("transactions", out _));
        Assert.Equal(0, Pool.GetParentStatistics().Destroyed);
    }

    [Fact]
    public async Task Clearing_everything_and_a_fatal_error_replace_the_parent()
    {
        using var kept = await RentAsync("confirms");
        (await RentAsync("transactions")).Dispose();
        Pool.Invalidate(kept);
        Background.Until(() => _children["transactions"].Destroyed.Count == 1);

        var second = await RentAsync("transactions");
        Assert.Equal(2, second.Value.Parent.Number);
        Pool.Clear();
        Assert.Equal(3, (await RentAsync("transactions")).Value.Parent.Number);
    }

    [Fact]
    public async Task Double_returns_are_counted_and_trimming_draining_and_blocking_work()
    {
        await Pool.WarmUpParentsAsync(1).WaitAsync(Background.Limit);
        await Pool.WarmUpAsync("confirms", 2).WaitAsync(Background.Limit);
        var lease = await Background.Start(() => Pool.Rent("confirms", TimeSpan.FromSeconds(5))).WaitAsync(Background.Limit);
        lease.Dispose();
        lease.Dispose();

        Assert.Equal(1, Pool.GetStatistics().DoubleReturns);
        Assert.Equal(2, Pool.Trim());
        var drained = Pool.DrainAsync();
        await drained.WaitAsync(Background.Limit);
        Assert.Equal((2, 1), (_children["confirms"].Destroyed.Count, _parents.Destroyed.Count));
        await Assert.ThrowsAsync<ObjectDisposedException>(() => RentAsync("confirms"));
    }

    [Fact]
    public async Task An_awaited_disposal_has_destroyed_idle_children_and_parents()
    {
        (await RentAsync("confirms")).Dispose();

        await Pool.DisposeAsync().AsTask().WaitAsync(Background.Limit);

        Assert.Equal((1, 1), (_children["confirms"].Destroyed.Count, _parents.Destroyed.Count));
    }

    [Fact]
    public async Task The_exception_for_a_missing_policy_names_the_key_parameter_and_the_pool()
    {
        using var pool = new KeyedNestedResourcePool<string, Part, Leaf>(_parents, _ => null!, Options(maxSize: 4));

        var error = await Assert.ThrowsAsync<InvalidOperationException>(() => pool.RentAsync("new").AsTask());

        Assert.Contains("The policy delegate of pool 'leaves' returned null.", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Every_invalid_setting_is_named_at_once()
    {
        var options = Options(maxSize: 13);
        options.ChildPool.KeyIdleTimeout = TimeSpan.Zero;
        options.ChildPool.Pool.MinIdle = 9;

        var error = Assert.Throws<ArgumentException>(
            () => new KeyedNestedResourcePool<string, Part, Leaf>(_parents, key => _children[key], options));

        Assert.All(
            ["ChildPool.MaxSize is 13; allowed: at most 12,", "ChildPool.KeyIdleTimeout is 00:00:00;", "Pool.MinIdle is 9;"],
            part => Assert.Contains(part, error.Message, StringComparison.Ordinal));
    }

    private Task<Lease<Leaf>> RentAsync(string key) => Pool.RentAsync(key).AsTask().WaitAsync(Background.Limit);

    private KeyedNestedResourcePool<string, Part, Leaf> NewPool(int maxSize) =>
        new(_parents, key => _children[key], Options(maxSize));

    private KeyedNestedResourcePoolOptions<string> Options(int maxSize)
    {
        var (parents, perKey) = (NestedBench.Endless(3), NestedBench.Endless(4, "leaves"));
        parents.TimeProvider = _clock;
        perKey.TimeProvider = _clock;
        return new KeyedNestedResourcePoolOptions<string>
        {
            ParentPool = parents,
            ChildPool = new KeyedResourcePoolOptions<string> { MaxSize = maxSize, Pool = perKey },
            MaxChildrenPerParent = 4,
            GrowAtLoad = 1,
        };
    }
}
