using System.Diagnostics.Metrics;
using Poolhouse.Resources.Engine.PolicyCalls;

namespace Poolhouse;

/// <summary>The settings of a resource pool. Only <see cref="MaxSize"/> has no default.</summary>
/// <remarks>
/// A pool copies its options: changing them later has no effect on it; to apply changes, pass them to
/// <see cref="ResourcePool{T}.Reconfigure"/>. All settings are validated together, and one exception names every invalid one. Not
/// thread safe.
/// </remarks>
public sealed class ResourcePoolOptions : IPoolSettings<ResourcePoolOptions>
{
    /// <summary>The largest allowed <see cref="MaxSize"/>.</summary>
    internal const int LargestMaxSize = 1_000_000;

    private static readonly TimeSpan _defaultMaxRetryDelay = TimeSpan.FromSeconds(10);

    private TimeSpan? _rentTimeout;

    /// <summary>
    /// The maximum number of items alive at once: idle, leased, or being created, validated, reset or destroyed.
    /// </summary>
    /// <value>Required; 1 to 1,000,000.</value>
    public required int MaxSize { get; set; }

    /// <summary>The number of idle items that the pool keeps ready.</summary>
    /// <value>0 by default; 0 to <see cref="MaxSize"/>.</value>
    /// <remarks>
    /// The pool starts to fill in the background as soon as it is constructed. After that, it checks when an item was lost and
    /// every five seconds, not on every rent, so a burst does not make it grow. Trimming by idle time stops at this number.
    /// </remarks>
    public int MinIdle { get; set; }

    /// <summary>
    /// Whether <see cref="MinIdle"/> is a minimum of all items, in use or not, like the minimum pool size of ADO.NET's providers.
    /// </summary>
    /// <value>False by default: only idle items count, so that the next callers find some however many are in use.</value>
    public bool MinIdleCountsAll { get; set; }

    /// <summary>
    /// The maximum number of waiting callers, not counting those for whom an item is already on its way or a slot is free.
    /// </summary>
    /// <value>No limit (<see cref="int.MaxValue"/>) by default; 0 or more.</value>
    /// <remarks>
    /// Further callers get a <see cref="PoolOverloadedException"/> at once. In a pool with keys, the limit applies to each key,
    /// and at least one caller of a key may wait while other keys hold all of the capacity.
    /// </remarks>
    public int MaxWaiters { get; set; } = int.MaxValue;

    /// <summary>Which idle item is rented first.</summary>
    /// <value><see cref="IdleOrder.Lifo"/> by default. Cannot be changed later.</value>
    public IdleOrder IdleOrder { get; set; } = IdleOrder.Lifo;

    /// <summary>The maximum total time of a rent, unless the call specifies its own timeout.</summary>
    /// <value>
    /// 30 seconds by default; zero or more (zero: neither wait nor have an item created), or
    /// <see cref="Timeout.InfiniteTimeSpan"/>.
    /// </value>
    public TimeSpan RentTimeout
    {
        get => _rentTimeout ?? TimeSpan.FromSeconds(30);
        set => _rentTimeout = value;
    }

    /// <summary>
    /// Whether <see cref="RentTimeout"/> was set, even to its default. For authors of pools that have another source for it, such
    /// as a connection string.
    /// </summary>
    public bool HasRentTimeout => _rentTimeout is not null;

    /// <summary>How long a caller waits while items cannot be created, at most for its timeout.</summary>
    /// <value>
    /// 2 seconds by default; zero (not at all) or more, or <see cref="Timeout.InfiniteTimeSpan"/> to wait until the caller's
    /// timeout.
    /// </value>
    /// <remarks>
    /// An outage begins with the first failed creation and ends with the next success. The wait is measured from the beginning of
    /// the outage or the caller's arrival, whichever is later; after that, the caller gets a
    /// <see cref="PoolUnavailableException"/> that holds the last failure. With zero, a caller waits only for items that are on
    /// their way, and for the attempt that it triggers. A failure that the policy reports as permanent is thrown unchanged at
    /// once. A server that has no room for more items (<see cref="ResourcePolicy{T}.LacksRoom"/>) is no outage.
    /// </remarks>
    public TimeSpan OutageTimeout { get; set; } = TimeSpan.FromSeconds(2);

    /// <summary>How long the creation of one item may take before the pool abandons it and releases its slot.</summary>
    /// <value>15 seconds by default; at least 1 millisecond, or <see cref="Timeout.InfiniteTimeSpan"/>.</value>
    public TimeSpan CreateTimeout { get; set; } = TimeSpan.FromSeconds(15);

    /// <summary>
    /// How long <see cref="ResourcePolicy{T}.ValidateAsync"/> and <see cref="ResourcePolicy{T}.KeepAliveAsync"/> may take.
    /// </summary>
    /// <value>5 seconds by default; at least 1 millisecond, or <see cref="Timeout.InfiniteTimeSpan"/>.</value>
    /// <remarks>
    /// Waiting callers rely on a running validation for a quarter of this time (a quarter of <see cref="CreateTimeout"/> if it is
    /// infinite). After that, another item is found or created for them, if <see cref="MaxSize"/> allows.
    /// </remarks>
    public TimeSpan ValidateTimeout { get; set; } = TimeSpan.FromSeconds(5);

    /// <summary>
    /// How long <see cref="ResourcePolicy{T}.ResetAsync"/> and <see cref="ResourcePolicy{T}.ProveCleanAsync"/> may take together.
    /// </summary>
    /// <value>5 seconds by default; at least 1 millisecond, or <see cref="Timeout.InfiniteTimeSpan"/>.</value>
    /// <remarks>
    /// Waiting callers rely on a running reset for a quarter of this time (a quarter of <see cref="CreateTimeout"/> if it is
    /// infinite). After that, another item is found or created for them, if <see cref="MaxSize"/> allows.
    /// </remarks>
    public TimeSpan ResetTimeout { get; set; } = TimeSpan.FromSeconds(5);

    /// <summary>How long an item's slot stays occupied while <see cref="ResourcePolicy{T}.DestroyAsync"/> runs.</summary>
    /// <value>5 seconds by default; at least 1 millisecond, or <see cref="Timeout.InfiniteTimeSpan"/>.</value>
    public TimeSpan DestroyTimeout { get; set; } = TimeSpan.FromSeconds(5);

    /// <summary>The maximum number of items being created at once.</summary>
    /// <value>4 by default; 1 to 1,000,000.</value>
    /// <remarks>
    /// While there are live items that may be returned, and after an outage, the pool starts with one creation at a time and
    /// doubles that number as long as callers are still waiting when a creation ends: a short burst does not leave a large pool
    /// behind.
    /// </remarks>
    public int MaxConcurrentCreates { get; set; } = 4;

    /// <summary>The base delay between attempts to create an item after a failure.</summary>
    /// <value>100 milliseconds by default; 1 millisecond to <see cref="MaxRetryDelay"/>.</value>
    /// <remarks>
    /// One creation is attempted at a time. While callers are waiting for one, each delay is random between a quarter and half
    /// of this value, so that with the default they are served within 100 milliseconds after creations succeed again, if a
    /// creation takes at most half of that time. If a caller's timeout is less than twice this value, the delay is at most a
    /// quarter of the timeout, but not less than a twentieth of this value. While no caller is waiting, the n-th delay is
    /// random between zero and this value times 2ⁿ⁻¹, at most <see cref="MaxRetryDelay"/> ("full jitter"; M. Brooker,
    /// <i>Exponential Backoff And Jitter</i>, AWS Architecture Blog 2015); the same applies after failures that the policy
    /// reports as permanent, and with an <see cref="OutageTimeout"/> of zero. While a server has no room for more items, the
    /// first delay is at least 250 milliseconds, and the end of an item of this pool ends it.
    /// </remarks>
    public TimeSpan RetryDelay { get; set; } = TimeSpan.FromMilliseconds(100);

    /// <summary>
    /// The longest delay between attempts to create an item after a failure while no caller is waiting for one.
    /// </summary>
    /// <value>10 seconds by default; <see cref="RetryDelay"/> to 1 day.</value>
    public TimeSpan MaxRetryDelay { get; set; } = _defaultMaxRetryDelay;

    /// <summary>How long an item may be idle and still be rented without <see cref="ResourcePolicy{T}.ValidateAsync"/>.</summary>
    /// <value>1 second by default; zero (always validate) or more, or <see cref="Timeout.InfiniteTimeSpan"/> for never.</value>
    public TimeSpan ValidateAfterIdle { get; set; } = TimeSpan.FromSeconds(1);

    /// <summary>How long an item may stay idle before the pool destroys it.</summary>
    /// <value>10 minutes by default; at least 1 second, or <see cref="Timeout.InfiniteTimeSpan"/> for no limit.</value>
    /// <remarks>This timeout never reduces the idle items below <see cref="MinIdle"/>, and never affects a leased
    /// item.</remarks>
    public TimeSpan IdleTimeout { get; set; } = TimeSpan.FromMinutes(10);

    /// <summary>
    /// The maximum age of an item. An expired item is destroyed when it is idle or returned, never while it is leased.
    /// </summary>
    /// <value>30 minutes by default; at least 1 second, or <see cref="Timeout.InfiniteTimeSpan"/> for no limit.</value>
    public TimeSpan MaxLifetime { get; set; } = TimeSpan.FromMinutes(30);

    /// <summary>The maximum number of leases of an item, which is destroyed at the end of the last one.</summary>
    /// <value><see cref="int.MaxValue"/> (no limit) by default; at least 1.</value>
    /// <remarks>
    /// For items that grow or leak with use. With a limit, each lease that ends is checked. Items that several callers use at
    /// once, those of a <see cref="SharedResourcePool{T}"/> and the parents of a nested pool, have no limit.
    /// </remarks>
    public int MaxUses { get; set; } = int.MaxValue;

    /// <summary>The random share of <see cref="MaxLifetime"/>, so that items created together do not expire together.</summary>
    /// <value>0.1 by default: each item lives for 90 to 100 % of the lifetime; 0 to 1.</value>
    public double LifetimeJitter { get; set; } = 0.1;

    /// <summary>
    /// The interval at which <see cref="ResourcePolicy{T}.KeepAliveAsync"/> is called for an item that stays idle.
    /// </summary>
    /// <value><see cref="Timeout.InfiniteTimeSpan"/> (off) by default; otherwise at least 1 second.</value>
    /// <remarks>
    /// At most four items are kept alive at once, so that the others remain available; callers do not wait for an item that is
    /// being kept alive.
    /// </remarks>
    public TimeSpan KeepAliveInterval { get; set; } = Timeout.InfiniteTimeSpan;

    /// <summary>How long an item may be leased before the lease is reported, once, as a suspected leak.</summary>
    /// <value><see cref="Timeout.InfiniteTimeSpan"/> (off) by default; otherwise at least 1 millisecond.</value>
    public TimeSpan LeakThreshold { get; set; } = Timeout.InfiniteTimeSpan;

    /// <summary>
    /// Whether each lease records the <see cref="LeaseLabel"/> and the <see cref="System.Diagnostics.Activity"/> of the caller.
    /// </summary>
    /// <value>False by default.</value>
    /// <remarks>
    /// Shows who holds the items, in <see cref="IPool.GetLeases"/> and in the message of a timeout, and adds the label to the
    /// metrics of leases. Costs two reads of the caller's context per rent, and one small object if it has a label or an
    /// activity.
    /// </remarks>
    public bool LabelLeases { get; set; }

    /// <summary>Whether each lease records where it was rented, and all that <see cref="LabelLeases"/> records.</summary>
    /// <value>False by default.</value>
    /// <remarks>
    /// Costs one stack trace per rent: microseconds and a few kilobytes. Reports of leaks and timeouts then show the call stack,
    /// and the timeout names a flow that waits for an item while it holds one of the same pool: such code can deadlock with
    /// itself.
    /// </remarks>
    public bool TrackLeases { get; set; } = LeaseWatch.Installed is not null;

    /// <summary>Whether <see cref="Lease{T}.DisposeAsync"/> completes only after the item's reset has ended.</summary>
    /// <value>False by default: it completes at once, as it always does for an item that is destroyed and not reset.</value>
    public bool AwaitReset { get; set; }

    /// <summary>When to shed callers because the pool cannot keep up.</summary>
    /// <value><c>null</c> (off) by default.</value>
    public OverloadOptions? Overload { get; set; }

    /// <summary>
    /// Whether concurrent creations ramp up 1, 2, 4 … to <see cref="MaxConcurrentCreates"/> while other items are in use: these
    /// may be returned before new ones are created.
    /// </summary>
    /// <value>
    /// <c>true</c> by default. Turn it off if items are cheap to create, or if they are not returned soon.
    /// </value>
    public bool SlowStart { get; set; } = true;

    /// <summary>A limit that the pool has in common with others, often with those of other processes.</summary>
    /// <value>
    /// <c>null</c> by default: only <see cref="MaxSize"/> limits the pool. In a pool with keys, each key has a part of its own.
    /// Cannot be changed later.
    /// </value>
    public PoolBudget? Budget { get; set; }

    /// <summary>The observer that is notified of events in the pool.</summary>
    /// <value><c>null</c> by default.</value>
    public ResourcePoolObserver? Observer { get; set; }

    /// <summary>The name of the pool in metrics and messages.</summary>
    /// <value>
    /// <c>null</c> by default: the type of the items. Otherwise not blank. Must not contain secrets. Cannot be changed later.
    /// </value>
    public string? Name { get; set; }

    /// <summary>The time source of the pool.</summary>
    /// <value><see cref="TimeProvider.System"/> by default; not null. Cannot be changed later.</value>
    public TimeProvider TimeProvider { get; set; } = TimeProvider.System;

    /// <summary>The meter on which the pool creates its instruments.</summary>
    /// <value>
    /// <c>null</c> by default: the meter of <see cref="MeterFactory"/>, or else the process-wide meter "Poolhouse". Cannot be
    /// changed later.
    /// </value>
    public Meter? Meter { get; set; }

    /// <summary>The factory that provides a meter named "Poolhouse" when <see cref="Meter"/> is null.</summary>
    /// <value><c>null</c> by default. Cannot be changed later.</value>
    public IMeterFactory? MeterFactory { get; set; }

    /// <summary>Where the pool reports itself, its waits, creations and leases. For authors of pools.</summary>
    /// <value>
    /// <c>null</c> by default: to the instruments of <see cref="Meter"/>. Cannot be changed later.
    /// </value>
    public PoolReporter? Reporter { get; set; }

    /// <summary>Whether leases record who rented them.</summary>
    internal bool RecordsCallers => LabelLeases || TrackLeases;

    /// <summary>The source of randomness for lifetimes and delays.</summary>
    internal Random Random { get; set; } = Random.Shared;


    /// <summary>
    /// Whether callers back off by themselves after a failure, so that an attempt is made for them at once, as for the parents of
    /// a nested pool.
    /// </summary>
    internal bool CallersBackOff { get; set; }

    /// <summary>The scheduler that runs the pool's work: the thread pool, or a simulation.</summary>
    internal WorkScheduler Scheduler { get; set; } = WorkScheduler.ThreadPool;

    /// <summary>
    /// Copies the settings, for a pool that keeps them: later changes of this object have no effect on the copy.
    /// </summary>
    /// <returns>The copy.</returns>
    public ResourcePoolOptions Copy() => PoolSettings.Copy(this);

    /// <summary>
    /// Copies the settings for a pool inside another one, which has its own callers and leases: they wait, are shed and leak
    /// there.
    /// </summary>
    internal ResourcePoolOptions CopyForInnerPool(string name)
    {
        var copy = Copy();
        copy.Name = name;
        copy.MaxWaiters = int.MaxValue;
        copy.Overload = null;
        copy.LeakThreshold = Timeout.InfiniteTimeSpan;
        copy.LabelLeases = false;
        copy.TrackLeases = false;
        return copy;
    }

    /// <summary>The reporter of a pool with these settings.</summary>
    internal PoolReporter EffectiveReporter => Reporter ?? PoolReporter.Of(Meter, MeterFactory);

    ResourcePoolOptions IPoolSettings<ResourcePoolOptions>.CopyOver(ResourcePoolOptions? current)
    {
        var copy = (ResourcePoolOptions)MemberwiseClone();
        copy.Overload = Overload?.Copy();
        if (current is not null)
        {
            copy.Name = current.Name;
            copy.Reporter = current.Reporter;
            copy.Random = current.Random;
            copy.CallersBackOff = current.CallersBackOff;
            copy.Scheduler = current.Scheduler;
        }

        return copy;
    }

    /// <summary>
    /// Adds an error for each setting that differs from the current one and cannot be changed while the pool exists.
    /// </summary>
    /// <param name="errors">Receives the errors.</param>
    /// <param name="prefix">The name of these settings in those that contain them, with a dot at the end: "Pool.". Empty if they
    /// stand alone.</param>
    /// <param name="current">The current settings.</param>
    /// <exception cref="ArgumentNullException"><paramref name="errors"/> or <paramref name="current"/> is null.</exception>
    public void ValidateChange(PoolOptionErrors errors, string prefix, ResourcePoolOptions current)
    {
        ArgumentNullException.ThrowIfNull(errors);
        ArgumentNullException.ThrowIfNull(current);
        errors.CheckUnchanged(Name, prefix + nameof(Name), current.Name);
        errors.CheckUnchanged(IdleOrder, prefix + nameof(IdleOrder), current.IdleOrder);
        errors.CheckSame(TimeProvider, prefix + nameof(TimeProvider), current.TimeProvider);
        errors.CheckSame(Meter, prefix + nameof(Meter), current.Meter);
        errors.CheckSame(MeterFactory, prefix + nameof(MeterFactory), current.MeterFactory);
        errors.CheckSame(Reporter, prefix + nameof(Reporter), current.Reporter);
        errors.CheckSame(Budget, prefix + nameof(Budget), current.Budget);
    }

    /// <summary>Adds an error for each invalid setting, for settings that are part of others: a pool checks its own.</summary>
    /// <param name="errors">Receives the errors.</param>
    /// <param name="prefix">The name of these settings in those that contain them, with a dot at the end: "Pool.". Empty if they
    /// stand alone.</param>
    /// <exception cref="ArgumentNullException"><paramref name="errors"/> is null.</exception>
    public void Validate(PoolOptionErrors errors, string prefix)
    {
        ArgumentNullException.ThrowIfNull(errors);
        var millisecond = TimeSpan.FromMilliseconds(1);
        var second = TimeSpan.FromSeconds(1);
        errors.CheckRange(MaxSize, prefix + nameof(MaxSize), 1, LargestMaxSize);
        errors.CheckMinimum(
            MinIdle, prefix + nameof(MinIdle), MaxSize, nameof(MaxSize), maxIsValid: MaxSize is >= 1 and <= LargestMaxSize);
        errors.Check(MaxWaiters >= 0, prefix + nameof(MaxWaiters), MaxWaiters, "0 or more");
        errors.Check(IdleOrder is IdleOrder.Lifo or IdleOrder.Fifo, prefix + nameof(IdleOrder), IdleOrder, "Lifo or Fifo");
        errors.CheckDuration(RentTimeout, prefix + nameof(RentTimeout), TimeSpan.Zero);
        errors.CheckDuration(OutageTimeout, prefix + nameof(OutageTimeout), TimeSpan.Zero);
        errors.CheckDuration(CreateTimeout, prefix + nameof(CreateTimeout), millisecond);
        errors.CheckDuration(ValidateTimeout, prefix + nameof(ValidateTimeout), millisecond);
        errors.CheckDuration(ResetTimeout, prefix + nameof(ResetTimeout), millisecond);
        errors.CheckDuration(DestroyTimeout, prefix + nameof(DestroyTimeout), millisecond);
        errors.CheckRange(MaxConcurrentCreates, prefix + nameof(MaxConcurrentCreates), 1, LargestMaxSize);
        errors.CheckDelays(
            RetryDelay, prefix, nameof(RetryDelay), MaxRetryDelay, nameof(MaxRetryDelay), _defaultMaxRetryDelay);
        errors.CheckDuration(ValidateAfterIdle, prefix + nameof(ValidateAfterIdle), TimeSpan.Zero);
        errors.CheckDuration(IdleTimeout, prefix + nameof(IdleTimeout), second);
        errors.CheckDuration(MaxLifetime, prefix + nameof(MaxLifetime), second);
        errors.Check(MaxUses >= 1, prefix + nameof(MaxUses), MaxUses, "1 or more");
        errors.Check(LifetimeJitter is >= 0 and <= 1, prefix + nameof(LifetimeJitter), LifetimeJitter, "0 to 1");
        errors.CheckDuration(KeepAliveInterval, prefix + nameof(KeepAliveInterval), second);
        errors.CheckDuration(LeakThreshold, prefix + nameof(LeakThreshold), millisecond);
        errors.Check(Name is null || !string.IsNullOrWhiteSpace(Name), prefix + nameof(Name), Name, "null or not blank");
        errors.CheckNotNull(TimeProvider, prefix + nameof(TimeProvider));
        Overload?.Validate(errors, prefix);
    }
}
