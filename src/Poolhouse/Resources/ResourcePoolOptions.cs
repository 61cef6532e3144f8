using System.Diagnostics.Metrics;
using Poolhouse.Kernel;
using Poolhouse.Resources.Engine.PolicyCalls;

namespace Poolhouse;

/// <summary>The settings of a resource pool. Only <see cref="MaxSize"/> has no default.</summary>
/// <remarks>
/// A pool copies its options; changing them later has no effect on it, giving them to <see cref="ResourcePool{T}.Reconfigure"/> has.
/// All settings are validated together, and one exception names every invalid one. Not thread safe.
/// </remarks>
public sealed class ResourcePoolOptions
{
    /// <summary>The largest <see cref="MaxSize"/>.</summary>
    public const int LargestMaxSize = 1_000_000;

    private TimeSpan? _rentTimeout;

    /// <summary>How many items may be alive at once: idle, leased, or on their way in or out.</summary>
    /// <value>Required; 1 to 1,000,000.</value>
    public required int MaxSize { get; set; }

    /// <summary>How many idle items the pool keeps ready.</summary>
    /// <value>0 by default; 0 to <see cref="MaxSize"/>.</value>
    /// <remarks>
    /// The pool begins to fill up in the background as soon as it is constructed. After that it looks when an item was lost and every five
    /// seconds, not on every rent, so a burst does not make it grow. Trimming by idle time stops at this number.
    /// </remarks>
    public int MinIdle { get; set; }

    /// <summary>How many callers may wait beyond those for whom an item is on its way or a place is free.</summary>
    /// <value>No bound (<see cref="int.MaxValue"/>) by default; 0 or more.</value>
    /// <remarks>Whoever comes after that gets a <see cref="PoolOverloadedException"/> at once.</remarks>
    public int MaxWaiters { get; set; } = int.MaxValue;

    /// <summary>Which idle item is rented first.</summary>
    /// <value><see cref="IdleOrder.Lifo"/> by default. Cannot be changed later.</value>
    public IdleOrder IdleOrder { get; set; } = IdleOrder.Lifo;

    /// <summary>How long a rent may take altogether, unless the call names a time of its own.</summary>
    /// <value>30 seconds by default; zero or more (zero: do not wait, nor have anything created), or <see cref="Timeout.InfiniteTimeSpan"/>.</value>
    public TimeSpan RentTimeout
    {
        get => _rentTimeout ?? TimeSpan.FromSeconds(30);
        set => _rentTimeout = value;
    }

    /// <summary>Whether <see cref="RentTimeout"/> was set, be it to its default.</summary>
    internal bool HasRentTimeout => _rentTimeout is not null;

    /// <summary>How long the creation of one item may take before the pool gives it up and frees its place.</summary>
    /// <value>15 seconds by default; at least 1 millisecond, or <see cref="Timeout.InfiniteTimeSpan"/>.</value>
    public TimeSpan CreateTimeout { get; set; } = TimeSpan.FromSeconds(15);

    /// <summary>How long <see cref="ResourcePolicy{T}.ValidateAsync"/> and <see cref="ResourcePolicy{T}.KeepAliveAsync"/> may take.</summary>
    /// <value>5 seconds by default; at least 1 millisecond, or <see cref="Timeout.InfiniteTimeSpan"/>.</value>
    /// <remarks>
    /// Callers that wait rely on a validation for a quarter of this time (a quarter of <see cref="CreateTimeout"/> if it is infinite). After
    /// that, another item is found or created for them, if <see cref="MaxSize"/> allows.
    /// </remarks>
    public TimeSpan ValidateTimeout { get; set; } = TimeSpan.FromSeconds(5);

    /// <summary>How long <see cref="ResourcePolicy{T}.ResetAsync"/> and <see cref="ResourcePolicy{T}.ProveCleanAsync"/> may take together.</summary>
    /// <value>5 seconds by default; at least 1 millisecond, or <see cref="Timeout.InfiniteTimeSpan"/>.</value>
    /// <remarks>
    /// Callers that wait rely on a reset for a quarter of this time (a quarter of <see cref="CreateTimeout"/> if it is infinite). After
    /// that, another item is found or created for them, if <see cref="MaxSize"/> allows.
    /// </remarks>
    public TimeSpan ResetTimeout { get; set; } = TimeSpan.FromSeconds(5);

    /// <summary>How long an item's place is held while <see cref="ResourcePolicy{T}.DestroyAsync"/> runs.</summary>
    /// <value>5 seconds by default; at least 1 millisecond, or <see cref="Timeout.InfiniteTimeSpan"/>.</value>
    public TimeSpan DestroyTimeout { get; set; } = TimeSpan.FromSeconds(5);

    /// <summary>How many items may be under creation at once.</summary>
    /// <value>4 by default; 1 to 1,000,000.</value>
    /// <remarks>
    /// While items are alive that may come back, and after an outage, the pool begins with one creation at a time and doubles as long as
    /// callers still wait when a creation ends: a short burst does not leave a large pool behind.
    /// </remarks>
    public int MaxConcurrentCreates { get; set; } = 4;

    /// <summary>What callers hear while items cannot be created.</summary>
    /// <value><see cref="CreateFailureMode.Wait"/> by default.</value>
    public CreateFailureMode CreateFailure { get; set; } = CreateFailureMode.Wait;

    /// <summary>The scale of the delays between attempts to create an item after a failure.</summary>
    /// <value>100 milliseconds by default; 1 millisecond to <see cref="MaxRetryDelay"/>.</value>
    /// <remarks>
    /// One creation at a time is attempted. While callers wait for one, each delay is random between zero and this value. While none
    /// waits, the n-th is random between zero and this value times 2ⁿ, at most <see cref="MaxRetryDelay"/> ("full jitter"; M. Brooker,
    /// <i>Exponential Backoff And Jitter</i>, AWS Architecture Blog 2015); so it is after failures that the policy calls permanent, and
    /// with <see cref="CreateFailureMode.FailFast"/>.
    /// </remarks>
    public TimeSpan RetryDelay { get; set; } = TimeSpan.FromMilliseconds(100);

    /// <summary>The longest delay between attempts to create an item after a failure, while no caller waits for it.</summary>
    /// <value>10 seconds by default; <see cref="RetryDelay"/> to 1 day.</value>
    public TimeSpan MaxRetryDelay { get; set; } = TimeSpan.FromSeconds(10);

    /// <summary>How long an item may lie idle and still be rented without <see cref="ResourcePolicy{T}.ValidateAsync"/>.</summary>
    /// <value>1 second by default; zero (always validate) or more, or <see cref="Timeout.InfiniteTimeSpan"/> for never.</value>
    public TimeSpan ValidateAfterIdle { get; set; } = TimeSpan.FromSeconds(1);

    /// <summary>How long an item may stay idle before the pool destroys it.</summary>
    /// <value>10 minutes by default; at least 1 second, or <see cref="Timeout.InfiniteTimeSpan"/> for no limit.</value>
    /// <remarks>Never goes below <see cref="MinIdle"/> and never touches a leased item.</remarks>
    public TimeSpan IdleTimeout { get; set; } = TimeSpan.FromMinutes(10);

    /// <summary>How old an item may become. It is destroyed when it is idle or comes back, never while it is leased.</summary>
    /// <value>30 minutes by default; at least 1 second, or <see cref="Timeout.InfiniteTimeSpan"/> for no limit.</value>
    public TimeSpan MaxLifetime { get; set; } = TimeSpan.FromMinutes(30);

    /// <summary>How much of <see cref="MaxLifetime"/> is random, so that items made together do not die together.</summary>
    /// <value>0.1 by default: each item lives 90 to 100 % of it; 0 to 1.</value>
    public double LifetimeJitter { get; set; } = 0.1;

    /// <summary>After how much time without use <see cref="ResourcePolicy{T}.KeepAliveAsync"/> is called for an idle item, again and again.</summary>
    /// <value><see cref="Timeout.InfiniteTimeSpan"/> (off) by default; otherwise at least 1 second.</value>
    /// <remarks>At most four items are kept alive at once, so that the others stay with the callers; which do not wait for these.</remarks>
    public TimeSpan KeepAliveInterval { get; set; } = Timeout.InfiniteTimeSpan;

    /// <summary>After how much time a lease is reported as a suspected leak, once.</summary>
    /// <value><see cref="Timeout.InfiniteTimeSpan"/> (off) by default; otherwise at least 1 millisecond.</value>
    public TimeSpan LeakThreshold { get; set; } = Timeout.InfiniteTimeSpan;

    /// <summary>Whether each lease remembers where it was rented.</summary>
    /// <value>False by default.</value>
    /// <remarks>
    /// Costs a stack trace a rent: microseconds and some kilobytes. Reports of leaks and timeouts then show the call stack, and a flow
    /// that waits for an item although it holds one of the same pool is named in the timeout: such code can wait for itself for ever.
    /// </remarks>
    public bool TrackLeases { get; set; }

    /// <summary>Whether <see cref="Lease{T}.DisposeAsync"/> completes only when the item's reset has ended.</summary>
    /// <value>False by default: it completes at once, as it does for an item that is destroyed and not reset.</value>
    public bool AwaitReset { get; set; }

    /// <summary>Sheds callers while the pool cannot keep up.</summary>
    /// <value><c>null</c> (off) by default.</value>
    public OverloadOptions? Overload { get; set; }

    /// <summary>Hears what happens in the pool.</summary>
    /// <value><c>null</c> by default.</value>
    public ResourcePoolObserver? Observer { get; set; }

    /// <summary>The name of the pool in metrics and messages.</summary>
    /// <value><c>null</c> by default: the type of the item and a number. Otherwise not blank. Put no secret in it. Cannot be changed later.</value>
    public string? Name { get; set; }

    /// <summary>The clock of the pool.</summary>
    /// <value><see cref="TimeProvider.System"/> by default; not null. Cannot be changed later.</value>
    public TimeProvider TimeProvider { get; set; } = TimeProvider.System;

    /// <summary>The meter that gets the pool's instruments.</summary>
    /// <value><c>null</c> by default: the meter of <see cref="MeterFactory"/>, else the process-wide meter "Poolhouse". Cannot be changed later.</value>
    public Meter? Meter { get; set; }

    /// <summary>The factory that is asked for a meter named "Poolhouse" when <see cref="Meter"/> is null.</summary>
    /// <value><c>null</c> by default. Cannot be changed later.</value>
    public IMeterFactory? MeterFactory { get; set; }

    /// <summary>Who is told of the pool in place of the meter's instruments; null for those.</summary>
    internal PoolReporter? Reporter { get; set; }

    /// <summary>Where lifetimes and delays get their randomness.</summary>
    internal Random Random { get; set; } = Random.Shared;

    /// <summary>Whether leased items may be waited for: false where none comes back, so that slow start would only delay.</summary>
    internal bool ItemsComeBack { get; set; } = true;

    /// <summary>
    /// Whether callers pause by themselves after a failure, so that an attempt is made for them at once: the parents of a nested pool.
    /// </summary>
    internal bool CallersBackOff { get; set; }

    /// <summary>What runs the pool's work: the thread pool, or a simulation.</summary>
    internal WorkScheduler Scheduler { get; set; } = WorkScheduler.ThreadPool;

    /// <summary>A copy that the caller can no longer change, or one exception that names every invalid setting.</summary>
    internal ResourcePoolOptions Freeze()
    {
        var copy = (ResourcePoolOptions)MemberwiseClone();
        copy.Overload = Overload?.Copy();
        var errors = new SettingErrors();
        copy.Validate(errors, prefix: string.Empty);
        errors.ThrowIfAny(this);
        return copy;
    }

    internal void Validate(SettingErrors errors, string prefix)
    {
        var tick = TimeSpan.FromMilliseconds(1);
        var second = TimeSpan.FromSeconds(1);
        errors.CheckRange(MaxSize, prefix + nameof(MaxSize), 1, LargestMaxSize);
        errors.Check(MinIdle >= 0 && MinIdle <= MaxSize, prefix + nameof(MinIdle), MinIdle, $"0 to MaxSize ({MaxSize})");
        errors.Check(MaxWaiters >= 0, prefix + nameof(MaxWaiters), MaxWaiters, "0 or more");
        errors.Check(Enum.IsDefined(IdleOrder), prefix + nameof(IdleOrder), IdleOrder, "Lifo or Fifo");
        errors.CheckDuration(RentTimeout, prefix + nameof(RentTimeout), TimeSpan.Zero);
        errors.CheckDuration(CreateTimeout, prefix + nameof(CreateTimeout), tick);
        errors.CheckDuration(ValidateTimeout, prefix + nameof(ValidateTimeout), tick);
        errors.CheckDuration(ResetTimeout, prefix + nameof(ResetTimeout), tick);
        errors.CheckDuration(DestroyTimeout, prefix + nameof(DestroyTimeout), tick);
        errors.CheckRange(MaxConcurrentCreates, prefix + nameof(MaxConcurrentCreates), 1, LargestMaxSize);
        errors.Check(Enum.IsDefined(CreateFailure), prefix + nameof(CreateFailure), CreateFailure, "Wait or FailFast");
        errors.Check(RetryDelay >= tick && RetryDelay <= MaxRetryDelay, prefix + nameof(RetryDelay), RetryDelay, $"{tick} to MaxRetryDelay ({MaxRetryDelay})");
        errors.Check(MaxRetryDelay <= TimeSpan.FromDays(1), prefix + nameof(MaxRetryDelay), MaxRetryDelay, "RetryDelay to 1.00:00:00");
        errors.CheckDuration(ValidateAfterIdle, prefix + nameof(ValidateAfterIdle), TimeSpan.Zero);
        errors.CheckDuration(IdleTimeout, prefix + nameof(IdleTimeout), second);
        errors.CheckDuration(MaxLifetime, prefix + nameof(MaxLifetime), second);
        errors.Check(LifetimeJitter is >= 0 and <= 1, prefix + nameof(LifetimeJitter), LifetimeJitter, "0 to 1");
        errors.CheckDuration(KeepAliveInterval, prefix + nameof(KeepAliveInterval), second);
        errors.CheckDuration(LeakThreshold, prefix + nameof(LeakThreshold), tick);
        errors.Check(Name is null || !string.IsNullOrWhiteSpace(Name), prefix + nameof(Name), Name, "null or not blank");
        errors.CheckNotNull(TimeProvider, prefix + nameof(TimeProvider));
        Overload?.Validate(errors, prefix);
    }
}
