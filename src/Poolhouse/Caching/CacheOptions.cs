using System.Diagnostics.Metrics;
using Poolhouse.Caching.Misuse;

namespace Poolhouse;

/// <summary>The settings that all caches share: object, array, memory and stream pools.</summary>
/// <remarks>A pool copies its options when it is constructed; changing them later has no effect on it. Not thread safe.</remarks>
public abstract class CacheOptions
{
    /// <summary>The shortest allowed <see cref="IdleTimeout"/>.</summary>
    internal static readonly TimeSpan ShortestIdleTimeout = TimeSpan.FromSeconds(1);

    private protected CacheOptions()
    {
    }

    /// <summary>The name of the pool in metrics and messages.</summary>
    /// <value><c>null</c> by default: the type of the items. Otherwise not blank. Must not contain secrets.</value>
    public string? Name { get; set; }

    /// <summary>How long an item may stay idle before the pool releases it.</summary>
    /// <value>5 minutes by default; at least 1 second, or <see cref="Timeout.InfiniteTimeSpan"/> for no limit.</value>
    /// <remarks>
    /// The pool checks four times per timeout, so an idle item is released after 1 to 1.25 timeouts, in paranoid mode after up to
    /// 1.5. The check runs on a timer that is active only while the pool retains items; it depends neither on garbage collections
    /// nor on calls to the pool.
    /// </remarks>
    public TimeSpan IdleTimeout { get; set; } = TimeSpan.FromMinutes(5);

    /// <summary>The clock that the pool uses.</summary>
    /// <value><see cref="TimeProvider.System"/> by default; not null.</value>
    public TimeProvider TimeProvider { get; set; } = TimeProvider.System;

    /// <summary>The source that notifies the pool when memory is low.</summary>
    /// <value><see cref="MemoryPressureSource.GarbageCollector"/> by default; not null.</value>
    public MemoryPressureSource MemoryPressure { get; set; } = MemoryPressureSource.GarbageCollector;

    /// <summary>The meter in which the pool registers its instruments.</summary>
    /// <value>
    /// <c>null</c> by default: the meter of <see cref="MeterFactory"/>, or else the process-wide meter "Poolhouse".
    /// </value>
    public Meter? Meter { get; set; }

    /// <summary>The factory that creates a meter named "Poolhouse" when <see cref="Meter"/> is null.</summary>
    /// <value><c>null</c> by default.</value>
    public IMeterFactory? MeterFactory { get; set; }

    /// <summary>
    /// Whether the pool detects misuse of its items: double and foreign returns, and writes to arrays and to the blocks of
    /// streams after their return. For tests and staging environments.
    /// </summary>
    /// <value><see cref="ParanoidMode.Default"/> by default: the setting of the process, which is off unless it was set.</value>
    /// <remarks>
    /// Every rent and return of a pool in paranoid mode takes a lock and is much slower; a pool that is not in paranoid mode has
    /// no overhead. A returned item stays in quarantine until up to 64 others were returned, or it was idle for a quarter of
    /// <see cref="IdleTimeout"/>, or memory is low.
    /// </remarks>
    public ParanoidMode Paranoid { get; set; }

    /// <summary>
    /// One of how many rents the paranoid mode checks in full: with call stacks, and for writes after the return. All others are
    /// only stamped, which detects double and foreign returns.
    /// </summary>
    /// <value>
    /// <c>null</c> by default: the setting of the process, which is 1, every rent, unless it was set. Otherwise 1 to 1,000,000.
    /// </value>
    public int? ParanoidSampling { get; set; }

    /// <summary>The paranoid mode of the pool; for validated options.</summary>
    internal ParanoidSetting ParanoidSetting => ParanoidSetting.Of(Paranoid, ParanoidSampling);

    internal virtual void Validate(PoolOptionErrors errors)
    {
        ParanoidSetting.Validate(errors);
        errors.Check(
            Paranoid is >= ParanoidMode.Default and <= ParanoidMode.Throw,
            nameof(Paranoid), Paranoid, "Default, Off, Report or Throw");
        errors.Check(
            ParanoidSampling is null or (>= 1 and <= ParanoidSetting.LargestSampling), nameof(ParanoidSampling), ParanoidSampling,
            "null, or 1 to 1,000,000");
        errors.Check(Name is null || !string.IsNullOrWhiteSpace(Name), nameof(Name), Name, "null or not blank");
        errors.CheckDuration(IdleTimeout, nameof(IdleTimeout), ShortestIdleTimeout);
        errors.CheckNotNull(TimeProvider, nameof(TimeProvider));
        errors.CheckNotNull(MemoryPressure, nameof(MemoryPressure));
    }

    /// <summary>
    /// Returns a copy that the caller of the pool can no longer change, or throws one exception that names every invalid setting.
    /// </summary>
    internal TOptions Freeze<TOptions>()
        where TOptions : CacheOptions
    {
        var copy = (TOptions)MemberwiseClone();
        var errors = new PoolOptionErrors();
        copy.Validate(errors);
        errors.ThrowIfAny(this);
        return copy;
    }
}
