namespace Poolhouse.Resources.Shared;

/// <summary>
/// The settings of a set of shared items in timestamps of the pool's clock. Immutable: a change creates a new instance.
/// </summary>
internal sealed class SharedSettings(SharedResourcePoolOptions options, PoolClock clock, bool keepsAlive)
{
    /// <summary>The number of checks within the shortest of the configured intervals.</summary>
    public const int ChecksPerInterval = 4;

    public SelectionStrategy Selection { get; } = options.Selection;

    public int MaxSize { get; } = options.Pool.MaxSize;

    public int MaxActive { get; } = options.MaxActive ?? options.Pool.MaxSize;

    /// <summary>The settings whose product limits the uses.</summary>
    public string[] Limits { get; } = [options.MaxActive is null ? "MaxSize" : options.NameOfMaxActive, options.NameOfMaxUses];

    public int MaxUses => MaxActive * MaxUsesPerItem;

    public int MaxWaiters { get; } = options.Pool.MaxWaiters;

    public long RentTimeout { get; } = clock.Ticks(options.Pool.RentTimeout);

    /// <summary>
    /// How long a caller waits while items cannot be created; never if that is not limited, or if the creation itself fails.
    /// </summary>
    public long OutageTimeout { get; } =
        options.Pool.OutageTimeout == TimeSpan.Zero ? PoolClock.Never : clock.Ticks(options.Pool.OutageTimeout);

    public long LeakThreshold { get; } = clock.Ticks(options.Pool.LeakThreshold);

    public OverloadOptions? Overload { get; } = options.Pool.Overload;

    public int MinIdle { get; } = options.Pool.MinIdle;

    public int MaxUsesPerItem { get; } = options.MaxUsesPerItem;

    /// <summary>The number of uses of an item from which another item is created.</summary>
    public int GrowAt { get; } = Math.Max(1, (int)Math.Ceiling(options.MaxUsesPerItem * options.GrowAtLoad));

    public long IdleTicks { get; } = clock.Ticks(options.Pool.IdleTimeout);

    public long KeepAliveTicks { get; } = keepsAlive ? clock.Ticks(options.Pool.KeepAliveInterval) : PoolClock.Never;

    /// <summary>The interval at which the items are checked; <see cref="PoolClock.Never"/> if nothing is time-driven.</summary>
    public long CheckInterval { get; } = ShortestInterval(options.Pool, clock);

    private static long ShortestInterval(ResourcePoolOptions items, PoolClock clock)
    {
        // Creation of the minimum is retried after a failure, even if nothing else is time-driven.
        var retry = items.MinIdle > 0 ? items.MaxRetryDelay * ChecksPerInterval : Timeout.InfiniteTimeSpan;
        var spans = new[] { items.IdleTimeout, items.KeepAliveInterval, items.MaxLifetime, retry };
        return Array.FindAll(spans, span => span != Timeout.InfiniteTimeSpan) is { Length: > 0 } finite
            ? clock.Ticks(finite.Min() / ChecksPerInterval)
            : PoolClock.Never;
    }
}
