namespace Poolhouse;

/// <summary>The settings of a shared resource pool.</summary>
/// <remarks>A pool copies its options; changing them later has no effect on it. Not thread safe.</remarks>
public sealed class SharedResourcePoolOptions : IPoolSettings<SharedResourcePoolOptions>
{
    /// <summary>The default of <see cref="MaxUsesPerItem"/>.</summary>
    public const int DefaultMaxUsesPerItem = 100;

    /// <summary>The settings of the items, and of the waiting callers.</summary>
    /// <value>
    /// Required; not null. <see cref="ResourcePoolOptions.MaxSize"/> limits the items alive,
    /// <see cref="ResourcePoolOptions.MinIdle"/> is how many are kept active even with few uses, an item without uses is
    /// destroyed after <see cref="ResourcePoolOptions.IdleTimeout"/>, one that is older than
    /// <see cref="ResourcePoolOptions.MaxLifetime"/> is replaced, and every <see cref="ResourcePoolOptions.KeepAliveInterval"/>
    /// the policy's KeepAliveAsync is called for each active item: one for which it throws is replaced. Timeouts, limits on
    /// waiting and leak detection apply to uses.
    /// </value>
    public required ResourcePoolOptions Pool { get; set; }

    /// <summary>
    /// The maximum number of concurrent uses of an item, for instance the concurrent streams that a server allows on a
    /// connection.
    /// </summary>
    /// <value>
    /// 100 by default; 1 to 1,000,000. Multiplied by <see cref="ResourcePoolOptions.MaxSize"/>, it must not exceed 1,000,000.
    /// </value>
    public int MaxUsesPerItem { get; set; } = DefaultMaxUsesPerItem;

    /// <summary>The maximum number of items that take new uses at once.</summary>
    /// <value>
    /// <c>null</c> by default: as many as may be alive. One fewer leaves room to create the successor of an old item before that
    /// item stops taking new uses; otherwise the others carry its load meanwhile, and with a single item callers wait.
    /// </value>
    public int? MaxActive { get; set; }

    /// <summary>How full an item must be before another one is created.</summary>
    /// <value>0.5 by default, half of <see cref="MaxUsesPerItem"/>; above 0, up to 1.</value>
    public double GrowAtLoad { get; set; } = 0.5;

    /// <summary>How the item for a new use is selected.</summary>
    /// <value><see cref="SelectionStrategy.LeastOutstanding"/> by default.</value>
    public SelectionStrategy Selection { get; set; } = SelectionStrategy.LeastOutstanding;

    /// <summary>The name of <see cref="Pool"/> in messages: parents have names of their own.</summary>
    internal string NameOfPool { get; init; } = nameof(Pool);

    /// <summary>The name of <see cref="MaxActive"/> in messages.</summary>
    internal string NameOfMaxActive { get; init; } = nameof(MaxActive);

    /// <summary>The name of <see cref="MaxUsesPerItem"/> in messages.</summary>
    internal string NameOfMaxUses { get; init; } = nameof(MaxUsesPerItem);

    SharedResourcePoolOptions IPoolSettings<SharedResourcePoolOptions>.CopyOver(SharedResourcePoolOptions? current)
    {
        var copy = (SharedResourcePoolOptions)MemberwiseClone();
        copy.Pool = Pool.CopyOver(current?.Pool);
        return copy;
    }

    void IPoolSettings<SharedResourcePoolOptions>.ValidateChange(
        PoolOptionErrors errors, string prefix, SharedResourcePoolOptions current) =>
        Pool?.ValidateChange(errors, prefix + "Pool.", current.Pool);

    void IPoolSettings<SharedResourcePoolOptions>.Validate(PoolOptionErrors errors, string prefix)
    {
        errors.CheckNotNull(Pool, NameOfPool);
        Pool?.Validate(errors, NameOfPool + ".");

        // Settings are compared with others only where those are valid, so that each mistake is reported once.
        var maxSizeIsValid = Pool?.MaxSize is >= 1 and <= ResourcePoolOptions.LargestMaxSize;
        var maxSize = maxSizeIsValid ? Pool!.MaxSize : 1;
        errors.CheckRange(MaxUsesPerItem, NameOfMaxUses, 1, ResourcePoolOptions.LargestMaxSize / maxSize);
        var maxActiveIsValid = MaxActive is null || (MaxActive >= 1 && (MaxActive <= maxSize || !maxSizeIsValid));
        errors.Check(
            maxActiveIsValid, NameOfMaxActive, MaxActive,
            $"null, or 1 to {NameOfPool}.MaxSize{(maxSizeIsValid ? $" ({maxSize})" : "")}");
        var active = MaxActive ?? maxSize;
        errors.Check(
            !maxSizeIsValid || !maxActiveIsValid || Pool!.MinIdle <= active || Pool.MinIdle > maxSize,
            NameOfPool + ".MinIdle", Pool?.MinIdle, $"0 to {NameOfMaxActive} ({active})");
        errors.Check(
            Pool is null or { MaxUses: int.MaxValue }, NameOfPool + ".MaxUses", Pool?.MaxUses,
            "int.MaxValue: items with several users have no limit");
        errors.Check(GrowAtLoad is > 0 and <= 1, nameof(GrowAtLoad), GrowAtLoad, "above 0, up to 1");
        errors.Check(
            Selection is >= SelectionStrategy.LeastOutstanding and <= SelectionStrategy.PowerOfTwoChoices,
            nameof(Selection), Selection, "LeastOutstanding, RoundRobin or PowerOfTwoChoices");
    }
}
