using Poolhouse.Testing;

namespace Poolhouse.Tests;

/// <summary>A nested pool whose clock and policies are controlled by the test.</summary>
internal sealed class NestedBench(int maxParents, int maxPerParent, int? maxChildren = null) : IDisposable
{
    private readonly Lock _creating = new();
    private NestedResourcePool<Part, Leaf>? _pool;

    public ManualTimeProvider Clock { get; } = new();

    public ScriptedPolicy Parents { get; } = new();

    public ScriptedNestedPolicy Children { get; } = new();

    /// <summary>Settings for the pool; read when the pool is first used.</summary>
    public NestedResourcePoolOptions Options { get; } = new()
    {
        ParentPool = Endless(maxParents),
        ChildPool = Endless(maxChildren ?? maxParents * maxPerParent, "leaves"),
        MaxChildrenPerParent = maxPerParent,
        GrowAtLoad = 1,
    };

    /// <summary>Created once, even if the first to use it are several threads.</summary>
    public NestedResourcePool<Part, Leaf> Pool
    {
        get
        {
            lock (_creating)
            {
                return _pool ??= NewPool();
            }
        }
    }

    public ResourcePoolStatistics Now => Pool.GetStatistics();

    public ResourcePoolStatistics ParentsNow => Pool.GetParentStatistics();

    public Task<Lease<Leaf>> RequestAsync() => Pool.RentAsync().AsTask();

    public Task<Lease<Leaf>> RentAsync() => RequestAsync().WaitAsync(Background.Limit);

    public async Task<List<Lease<Leaf>>> RentAsync(int count)
    {
        var leases = new List<Lease<Leaf>>();
        for (var number = 0; number < count; number++)
        {
            leases.Add(await RentAsync());
        }

        return leases;
    }

    /// <summary>Waits until at least the given number of children were destroyed, and returns them.</summary>
    public IReadOnlyList<(int Number, DestroyReason Reason)> Destroyed(int count)
    {
        Background.Until(() => Children.Destroyed.Count >= count);
        return [.. Children.Destroyed.Select(each => (each.Leaf.Number, each.Reason))];
    }

    /// <summary>Waits until at least the given number of parents were destroyed, and returns them.</summary>
    public IReadOnlyList<(int Number, DestroyReason Reason)> DestroyedParents(int count)
    {
        Background.Until(() => Parents.Destroyed.Count >= count);
        return [.. Parents.Destroyed.Select(each => (each.Part.Number, each.Reason))];
    }

    public void AdvanceUntil(Func<bool> condition, TimeSpan step, int steps) =>
        Background.AdvanceUntil(Clock, condition, step, steps);

    /// <summary>While no operation is under way, each child is one use of a parent, and there are no other uses.</summary>
    /// <param name="inactive">How many children are on parents that take no new ones.</param>
    public void AssertPermitsAreConserved(int inactive = 0) => Background.Until(
        () => Now is var now && now.Live == now.Leased + now.Idle && Pool.GetChildCounts().Sum() + inactive == now.Live);

    public void Dispose() => _pool?.Dispose();

    public static ResourcePoolOptions Endless(int maxSize, string? name = null) => new()
    {
        MaxSize = maxSize,
        Name = name,
        IdleTimeout = Timeout.InfiniteTimeSpan,
        MaxLifetime = Timeout.InfiniteTimeSpan,
        LifetimeJitter = 0,
    };

    private NestedResourcePool<Part, Leaf> NewPool()
    {
        Options.ParentPool.TimeProvider = Clock;
        Options.ChildPool.TimeProvider = Clock;
        return new NestedResourcePool<Part, Leaf>(Parents, Children, Options);
    }
}
