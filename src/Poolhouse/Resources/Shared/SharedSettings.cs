namespace Poolhouse.Resources.Shared;

/// <summary>
/// The settings of a set of shared items in timestamps of the pool's clock. Immutable: a change creates a new instance.
/// </summary>
internal sealed class SharedSettings(SharedResourcePoolOptions options, PoolClock clock, bool keepsAlive)
{
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

    /// <summary>How soon a creation that has failed is tried again, if it is still needed then.</summary>
    public long RetryDelay { get; } = clock.Ticks(options.Pool.MaxRetryDelay);
}
