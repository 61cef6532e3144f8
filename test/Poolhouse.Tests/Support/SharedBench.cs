using Poolhouse.Testing;

namespace Poolhouse.Tests;

/// <summary>A shared pool whose clock and policy are controlled by the test.</summary>
internal sealed class SharedBench(int maxSize, int maxUses) : IDisposable
{
    private readonly Lock _creating = new();
    private SharedResourcePool<Part>? _pool;

    public ManualTimeProvider Clock { get; } = new();

    public ScriptedPolicy Policy { get; } = new();

    /// <summary>Settings for the pool; read when the pool is first used.</summary>
    public SharedResourcePoolOptions Options { get; } = new()
    {
        Pool = new ResourcePoolOptions
        {
            MaxSize = maxSize,
            Name = "clients",
            IdleTimeout = Timeout.InfiniteTimeSpan,
            MaxLifetime = Timeout.InfiniteTimeSpan,
            LifetimeJitter = 0,
        },
        MaxUsesPerItem = maxUses,
        GrowAtLoad = 1,
    };

    /// <summary>Created once, even if the first to use it are several threads.</summary>
    public SharedResourcePool<Part> Pool
    {
        get
        {
            lock (_creating)
            {
                return _pool ??= NewPool();
            }
        }
    }

    public ResourcePoolStatistics Items => Pool.GetItemStatistics();

    public Task<Lease<Part>> RequestAsync() => Pool.RentAsync().AsTask();

    public Task<Lease<Part>> RentAsync() => RequestAsync().WaitAsync(Background.Limit);

    public async Task<List<Lease<Part>>> RentAsync(int count)
    {
        var leases = new List<Lease<Part>>();
        for (var number = 0; number < count; number++)
        {
            leases.Add(await RentAsync());
        }

        return leases;
    }

    /// <summary>Waits until at least the given number of items were destroyed, and returns them.</summary>
    public IReadOnlyList<(Part Part, DestroyReason Reason)> Destroyed(int count)
    {
        Background.Until(() => Policy.Destroyed.Count >= count);
        return Policy.Destroyed;
    }

    public void AdvanceUntil(Func<bool> condition, TimeSpan step, int steps) =>
        Background.AdvanceUntil(Clock, condition, step, steps);

    public void Dispose() => _pool?.Dispose();

    private SharedResourcePool<Part> NewPool()
    {
        Options.Pool.TimeProvider = Clock;
        return new SharedResourcePool<Part>(Policy, Options);
    }
}
