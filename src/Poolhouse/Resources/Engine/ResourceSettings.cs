namespace Poolhouse.Resources.Engine;

/// <summary>
/// The options in timestamps of the pool's clock; features without a matching policy hook are turned off. Immutable: a change
/// creates a new instance.
/// </summary>
internal sealed class ResourceSettings(
    ResourcePoolOptions options, PoolClock clock, ResourceHooks hooks, int allowed = int.MaxValue)
{
    public ResourcePoolOptions Options { get; } = options;

    /// <summary>The maximum number of items: the option, or what the budget allows if that is less.</summary>
    public int MaxSize { get; } = Math.Min(options.MaxSize, allowed);

    /// <summary>Whether the budget allows fewer items than the option.</summary>
    public bool IsLimitedByBudget { get; } = allowed < options.MaxSize;

    /// <summary>How often the demand is reported to the budget.</summary>
    public long ReportInterval { get; } = clock.Ticks(TimeSpan.FromMilliseconds(200));

    public int MinIdle { get; } = options.MinIdle;

    public bool MinIdleCountsAll { get; } = options.MinIdleCountsAll;

    public int MaxWaiters { get; } = options.MaxWaiters;

    /// <summary>Whether callers may be shed because of how long they and others waited.</summary>
    public bool MeasuresDelays { get; } = options.Overload is not null;

    public int MaxConcurrentCreates { get; } = options.MaxConcurrentCreates;

    public bool StartsSlowly { get; } = options.SlowStart;

    public bool CallersBackOff { get; } = options.CallersBackOff;

    public bool CreatesSynchronously { get; } = hooks.HasFlag(ResourceHooks.Create);

    public bool CallsIsBroken { get; } = hooks.HasFlag(ResourceHooks.IsBroken);

    public bool Resets { get; } = hooks.HasFlag(ResourceHooks.Reset);

    public bool CallsNeedsReset { get; } = hooks.HasFlag(ResourceHooks.NeedsReset);

    /// <summary>Whether a returned item can become idle at once, whatever its state.</summary>
    public bool NeedsNoCheckOnReturn { get; } =
        (hooks & (ResourceHooks.IsBroken | ResourceHooks.Reset)) == ResourceHooks.None && options.MaxUses == int.MaxValue;

    public int MaxUses { get; } = options.MaxUses;

    public bool ProvesClean { get; } = hooks.HasFlag(ResourceHooks.ProveClean);

    /// <summary>By how much the time of a rent or return may be ahead of the exact time, or behind it.</summary>
    public long ClockLag { get; } = clock.Lag;

    public long RentTimeout { get; } = clock.Ticks(options.RentTimeout);

    public long OutageTimeout { get; } = clock.Ticks(options.OutageTimeout);

    public long CreateTimeout { get; } = clock.Ticks(options.CreateTimeout);

    public long ValidateTimeout { get; } = clock.Ticks(options.ValidateTimeout);

    public long ResetTimeout { get; } = clock.Ticks(options.ResetTimeout);

    /// <summary>How long a validation may take until callers no longer rely on it.</summary>
    public long SlowValidationAfter { get; } = TicksUntilSlow(options.ValidateTimeout, options, clock);

    /// <summary>How long a reset may take until callers no longer rely on it.</summary>
    public long SlowResetAfter { get; } = TicksUntilSlow(options.ResetTimeout, options, clock);

    public long DestroyTimeout { get; } = clock.Ticks(options.DestroyTimeout);

    public long RetryDelay { get; } = clock.Ticks(options.RetryDelay);

    public long MaxRetryDelay { get; } = clock.Ticks(options.MaxRetryDelay);

    /// <summary>The base delay between attempts while the server has no room for another item.</summary>
    public long NoRoomDelay { get; } = clock.Ticks(
        options.RetryDelay > TimeSpan.FromMilliseconds(250) ? options.RetryDelay : TimeSpan.FromMilliseconds(250));

    public long ValidateAfterIdle { get; } = TicksToValidation(options, clock, hooks);

    /// <summary>How long an item may be idle and still be rented without a call of IsBrokenAfterIdle.</summary>
    public long CheckAfterIdle { get; } = TicksToCheck(clock, hooks);

    /// <summary>How long an idle item may be rented after checking only its fields: the shorter of the two times.</summary>
    public long FreshFor { get; } = Math.Min(TicksToValidation(options, clock, hooks), TicksToCheck(clock, hooks));

    public long IdleTimeout { get; } = clock.Ticks(options.IdleTimeout);

    public long MaxLifetime { get; } = clock.Ticks(options.MaxLifetime);

    public long KeepAliveInterval { get; } =
        hooks.HasFlag(ResourceHooks.KeepAlive) ? clock.Ticks(options.KeepAliveInterval) : PoolClock.Never;

    public long LeakThreshold { get; } = clock.Ticks(options.LeakThreshold);

    /// <summary>How often a pool below its minimum checks whether it should refill.</summary>
    public long RefillInterval { get; } = options.MinIdle > 0 ? clock.Ticks(TimeSpan.FromSeconds(5)) : PoolClock.Never;

    /// <summary>
    /// How long before the end of an item its replacement is created, if the pool would otherwise fall below its minimum.
    /// </summary>
    public long ReplaceAhead { get; } =
        options.MinIdle == 0 || options.MaxLifetime == Timeout.InfiniteTimeSpan
            ? 0
            : Math.Min(clock.Ticks(options.CreateTimeout), clock.Ticks(options.MaxLifetime / 10));

    /// <summary>When an item that is created now should expire, given a random number from 0 to 1.</summary>
    public long ExpiryOf(long createdAt, double random) => MaxLifetime == PoolClock.Never
        ? PoolClock.Never
        : PoolClock.Add(createdAt, (long)(MaxLifetime * (1 - (Options.LifetimeJitter * random))));

    // A check takes one round trip, and its timeout is long in comparison: a check that has used up a quarter of it has
    // probably hung.
    private static long TicksUntilSlow(TimeSpan timeout, ResourcePoolOptions options, PoolClock clock) =>
        timeout != Timeout.InfiniteTimeSpan ? clock.Ticks(timeout / 4)
        : options.CreateTimeout != Timeout.InfiniteTimeSpan ? clock.Ticks(options.CreateTimeout / 4)
        : PoolClock.Never;

    // The value for "always" must be less than any difference of two times: the coarse clock may be ahead of the exact one, so
    // that an item seems to have been idle since a future moment.
    private static long TicksToValidation(ResourcePoolOptions options, PoolClock clock, ResourceHooks hooks) =>
        !hooks.HasFlag(ResourceHooks.Validate) ? PoolClock.Never
        : options.ValidateAfterIdle == TimeSpan.Zero ? long.MinValue
        : clock.Ticks(options.ValidateAfterIdle);

    private static long TicksToCheck(PoolClock clock, ResourceHooks hooks) =>
        hooks.HasFlag(ResourceHooks.IsBrokenAfterIdle) ? clock.Ticks(TimeSpan.FromMilliseconds(10)) : PoolClock.Never;
}
