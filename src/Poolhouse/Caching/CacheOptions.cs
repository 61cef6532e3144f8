using System.Diagnostics.Metrics;
using Poolhouse.Kernel;

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
    /// The pool checks four times per timeout, so an idle item is released after 1 to 1.25 timeouts. The check runs on a timer
    /// that is active only while the pool retains items; it depends neither on garbage collections nor on calls to the pool.
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

    internal virtual void Validate(PoolOptionErrors errors)
    {
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
