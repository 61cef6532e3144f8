using Poolhouse.Kernel.Time;

namespace Poolhouse.Resources.Engine;

/// <summary>The options in timestamps of the pool's clock, with what the policy has no hook for turned off. Immutable: a change is a new one.</summary>
internal sealed class ResourceSettings(ResourcePoolOptions options, PoolClock clock, ResourceHooks hooks)
{
    public ResourcePoolOptions Options { get; } = options;

    public int MaxSize { get; } = options.MaxSize;

    public int MinIdle { get; } = options.MinIdle;

    public int MaxWaiters { get; } = options.MaxWaiters;

    public int MaxConcurrentCreates { get; } = options.MaxConcurrentCreates;

    public bool ItemsComeBack { get; } = options.ItemsComeBack;

    public bool FailsFast { get; } = options.CreateFailure == CreateFailureMode.FailFast;

    public bool CallersBackOff { get; } = options.CallersBackOff;

    public bool CreatesSynchronously { get; } = hooks.HasFlag(ResourceHooks.Create);

    public bool AsksIfBroken { get; } = hooks.HasFlag(ResourceHooks.IsBroken);

    public bool Resets { get; } = hooks.HasFlag(ResourceHooks.Reset);

    public bool AsksIfNeedsReset { get; } = hooks.HasFlag(ResourceHooks.NeedsReset);

    /// <summary>Whether an item that comes back can be idle at once, whatever it says.</summary>
    public bool AsksNothingOnReturn { get; } = (hooks & (ResourceHooks.IsBroken | ResourceHooks.Reset)) == ResourceHooks.None;

    public bool ProvesClean { get; } = hooks.HasFlag(ResourceHooks.ProveClean);

    public long RentTimeout { get; } = clock.Ticks(options.RentTimeout);

    public long CreateTimeout { get; } = clock.Ticks(options.CreateTimeout);

    public long ValidateTimeout { get; } = clock.Ticks(options.ValidateTimeout);

    public long ResetTimeout { get; } = clock.Ticks(options.ResetTimeout);

    /// <summary>How long callers rely on a validation.</summary>
    public long ValidatePatience { get; } = TicksToRely(options.ValidateTimeout, options, clock);

    /// <summary>How long callers rely on a reset.</summary>
    public long ResetPatience { get; } = TicksToRely(options.ResetTimeout, options, clock);

    public long DestroyTimeout { get; } = clock.Ticks(options.DestroyTimeout);

    public long RetryDelay { get; } = clock.Ticks(options.RetryDelay);

    public long MaxRetryDelay { get; } = clock.Ticks(options.MaxRetryDelay);

    public long ValidateAfterIdle { get; } = TicksToValidation(options, clock, hooks);

    public long CheckAfterIdle { get; } = TicksToCheck(clock, hooks);

    /// <summary>How long an idle item may be handed out with no more than a look at its fields: the shorter of both.</summary>
    public long FreshFor { get; } = Math.Min(TicksToValidation(options, clock, hooks), TicksToCheck(clock, hooks));

    public long IdleTimeout { get; } = clock.Ticks(options.IdleTimeout);

    public long MaxLifetime { get; } = clock.Ticks(options.MaxLifetime);

    public long KeepAliveInterval { get; } = hooks.HasFlag(ResourceHooks.KeepAlive) ? clock.Ticks(options.KeepAliveInterval) : PoolClock.Never;

    public long LeakThreshold { get; } = clock.Ticks(options.LeakThreshold);

    /// <summary>How often a pool below its minimum looks whether it should fill up.</summary>
    public long RefillInterval { get; } = options.MinIdle > 0 ? clock.Ticks(TimeSpan.FromSeconds(5)) : PoolClock.Never;

    /// <summary>How long before the end of an item its replacement is made, where the minimum would suffer.</summary>
    public long ReplaceAhead { get; } =
        options.MinIdle == 0 || options.MaxLifetime == Timeout.InfiniteTimeSpan
            ? 0
            : Math.Min(clock.Ticks(options.CreateTimeout), clock.Ticks(options.MaxLifetime / 10));

    /// <summary>When an item that is created now should die, given a random number from 0 to 1.</summary>
    public long ExpiryOf(long createdAt, double random) => MaxLifetime == PoolClock.Never
        ? PoolClock.Never
        : PoolClock.Add(createdAt, (long)(MaxLifetime * (1 - (Options.LifetimeJitter * random))));

    // A check takes a round trip, and its timeout is long beside that: what has used up a quarter of it hangs more likely than not.
    private static long TicksToRely(TimeSpan timeout, ResourcePoolOptions options, PoolClock clock) =>
        timeout != Timeout.InfiniteTimeSpan ? clock.Ticks(timeout / 4)
        : options.CreateTimeout != Timeout.InfiniteTimeSpan ? clock.Ticks(options.CreateTimeout / 4)
        : PoolClock.Never;

    // Always is less than any difference of two times: the coarse clock may be ahead of the exact one, so that an item seems to be idle
    // since a moment that is still to come.
    private static long TicksToValidation(ResourcePoolOptions options, PoolClock clock, ResourceHooks hooks) =>
        !hooks.HasFlag(ResourceHooks.Validate) ? PoolClock.Never
        : options.ValidateAfterIdle == TimeSpan.Zero ? long.MinValue
        : clock.Ticks(options.ValidateAfterIdle);

    private static long TicksToCheck(PoolClock clock, ResourceHooks hooks) =>
        hooks.HasFlag(ResourceHooks.IsClosed) ? clock.Ticks(TimeSpan.FromMilliseconds(10)) : PoolClock.Never;
}
