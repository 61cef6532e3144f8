using Poolhouse.Testing;

namespace Poolhouse.Tests.Resources.Nested;

/// <summary>Keys that compete for parents that accept fewer children than the pool allows.</summary>
public sealed class NestedKeysOnFullParents : IDisposable
{
    private readonly ManualScheduler _work = new() { RunsContinuations = true };
    private readonly Dictionary<string, ScriptedNestedPolicy> _children = new(StringComparer.Ordinal);
    private readonly ManualTimeProvider _clock = new();
    private readonly KeyedNestedResourcePool<string, Part, Leaf> _pool;
    private int _room = 2;
    private int _alive;

    public NestedKeysOnFullParents()
    {
        var (parents, perKey) = (NestedBench.Endless(1), NestedBench.Endless(4, "leaves"));
        (parents.TimeProvider, perKey.TimeProvider) = (_clock, _clock);
        (parents.Scheduler, perKey.Scheduler) = (_work, _work);
        _pool = new KeyedNestedResourcePool<string, Part, Leaf>(
            new ScriptedPolicy(),
            PolicyOf,
            new KeyedNestedResourcePoolOptions<string>
            {
                ParentPool = parents,
                ChildPool = new KeyedResourcePoolOptions<string> { MaxSize = 8, Pool = perKey },
                MaxChildrenPerParent = 8,
            });
    }

    public void Dispose() => _pool.Dispose();

    [Fact]
    public async Task A_waiting_key_gets_the_room_of_another_keys_idle_child()
    {
        var (one, two) = (await ServedAsync("confirms"), await ServedAsync("confirms"));
        one.Dispose();
        two.Dispose();

        using var other = await ServedAsync("transactions");

        AssertEvicted("confirms", 1);
        Assert.Equal(0, _pool.GetStatistics().CreateFailures);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_waiting_key_gets_the_room_of_a_child_that_is_returned(bool resets)
    {
        var reset = new TaskCompletionSource<bool>();
        if (resets)
        {
            PolicyOf("confirms").Resets = (_, _) => new ValueTask<bool>(reset.Task);
        }

        var (one, two) = (await ServedAsync("confirms"), await ServedAsync("confirms"));
        var other = Rent("transactions");
        Assert.False(other.IsCompleted);

        one.Dispose();
        Run();
        reset.SetResult(true);
        Run();

        Assert.True(other.IsCompletedSuccessfully);
        two.Dispose();
        Run();
        AssertEvicted("confirms", 1);
    }

    [Fact]
    public async Task A_key_without_a_child_gets_room_although_another_key_always_has_callers()
    {
        _room = 1;
        var lease = await ServedAsync("confirms");
        var next = Rent("confirms");
        var other = Rent("transactions");
        for (var returns = 0; returns < 3 && !other.IsCompleted; returns++)
        {
            var last = Rent("confirms");
            lease.Dispose();
            Run();
            (lease, next) = other.IsCompleted ? (default, next) : (await next, last);
        }

        Assert.True((await other).IsActive);
        Assert.False(next.IsCompleted);
        (await other).Dispose();
        Run();
        Assert.True(next.IsCompletedSuccessfully);
    }

    [Fact]
    public async Task Keys_that_have_children_keep_them_for_their_own_callers()
    {
        var (one, two) = (await ServedAsync("confirms"), await ServedAsync("transactions"));
        var other = Rent("transactions");
        var own = Rent("confirms");

        one.Dispose();
        Run();

        Assert.Equal((true, false), (own.IsCompletedSuccessfully, other.IsCompleted));
        two.Dispose();
        Run();
        Assert.True(other.IsCompletedSuccessfully);
        Assert.All(_children.Values, policy => Assert.Empty(policy.Destroyed));
    }

    [Fact]
    public async Task No_child_is_given_up_for_children_without_callers()
    {
        var (one, two) = (await ServedAsync("confirms"), await ServedAsync("confirms"));
        var warm = _pool.WarmUpAsync("transactions", 1);
        Run();

        one.Dispose();
        two.Dispose();
        Run();
        Assert.False(warm.IsCompleted);
        AssertEvicted("confirms", 0);

        // A caller that relies on the child which is being created changes that.
        Assert.True((await ServedAsync("transactions")).IsActive);
        AssertEvicted("confirms", 1);
        await warm.WaitAsync(Background.Limit);
    }

    private void AssertEvicted(string key, int count) =>
        Assert.Equal(Enumerable.Repeat(DestroyReason.Evicted, count), _children[key].Destroyed.Select(each => each.Reason));

    private Task<Lease<Leaf>> Rent(string key)
    {
        _clock.Advance(TimeSpan.FromMilliseconds(1));
        var renting = _pool.RentAsync(key).AsTask();
        Run();
        return renting;
    }

    private async Task<Lease<Leaf>> ServedAsync(string key)
    {
        var renting = Rent(key);
        Assert.True(renting.IsCompletedSuccessfully);
        return await renting;
    }

    private void Run() => _work.Run();

    private ScriptedNestedPolicy PolicyOf(string key)
    {
        if (!_children.TryGetValue(key, out var policy))
        {
            policy = _children[key] = new ScriptedNestedPolicy { IsParentFullHook = failure => failure is OverflowException };
            policy.Creates = (parent, _) => Create(policy, parent);
            policy.Destroys = (_, _) =>
            {
                Interlocked.Decrement(ref _alive);
                return default;
            };
        }

        return policy;
    }

    private ValueTask<Leaf> Create(ScriptedNestedPolicy policy, Part parent)
    {
        if (Interlocked.Increment(ref _alive) > _room)
        {
            Interlocked.Decrement(ref _alive);
            throw new OverflowException();
        }

        return new ValueTask<Leaf>(policy.New(parent));
    }
}
