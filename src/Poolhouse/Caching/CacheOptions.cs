using System.Diagnostics.Metrics;
using Poolhouse.Kernel;

namespace Poolhouse;

/// <summary>The settings that all caches share: object, array and memory pools.</summary>
/// <remarks>A pool copies its options when it is constructed; changing them later has no effect on it. Not thread safe.</remarks>
public abstract class CacheOptions
{
    /// <summary>The shortest <see cref="IdleTimeout"/> that is not "none".</summary>
    public static readonly TimeSpan ShortestIdleTimeout = TimeSpan.FromSeconds(1);

    private protected CacheOptions()
    {
    }

    /// <summary>The name of the pool in metrics and messages.</summary>
    /// <value><c>null</c> by default: the type of the item and a number. Otherwise not blank. Put no secret in it.</value>
    public string? Name { get; set; }

    /// <summary>How long an item may lie idle before the pool lets it go.</summary>
    /// <value>5 minutes by default; at least 1 second, or <see cref="Timeout.InfiniteTimeSpan"/> for no limit.</value>
    /// <remarks>
    /// The pool looks four times in that span, so an idle item goes after one to one and a quarter timeouts. It is done by a timer that
    /// runs only while the pool holds something; it needs no garbage collection and no call to the pool.
    /// </remarks>
    public TimeSpan IdleTimeout { get; set; } = TimeSpan.FromMinutes(5);

    /// <summary>The clock of the pool.</summary>
    /// <value><see cref="TimeProvider.System"/> by default; not null.</value>
    public TimeProvider TimeProvider { get; set; } = TimeProvider.System;

    /// <summary>What tells the pool that memory runs short.</summary>
    /// <value><see cref="MemoryPressureSource.GarbageCollector"/> by default; not null.</value>
    public MemoryPressureSource MemoryPressure { get; set; } = MemoryPressureSource.GarbageCollector;

    /// <summary>The meter that gets the pool's instruments.</summary>
    /// <value><c>null</c> by default: the meter of <see cref="MeterFactory"/>, else the process-wide meter "Poolhouse".</value>
    public Meter? Meter { get; set; }

    /// <summary>The factory that is asked for a meter named "Poolhouse" when <see cref="Meter"/> is null.</summary>
    /// <value><c>null</c> by default.</value>
    public IMeterFactory? MeterFactory { get; set; }

    internal virtual void Validate(SettingErrors errors)
    {
        errors.Check(Name is null || !string.IsNullOrWhiteSpace(Name), nameof(Name), Name, "null or not blank");
        errors.CheckDuration(IdleTimeout, nameof(IdleTimeout), ShortestIdleTimeout);
        errors.CheckNotNull(TimeProvider, nameof(TimeProvider));
        errors.CheckNotNull(MemoryPressure, nameof(MemoryPressure));
    }

    /// <summary>A copy that the caller of the pool can no longer change, or one exception that names every invalid setting.</summary>
    internal TOptions Freeze<TOptions>()
        where TOptions : CacheOptions
    {
        var copy = (TOptions)MemberwiseClone();
        var errors = new SettingErrors();
        copy.Validate(errors);
        errors.ThrowIfAny(this);
        return copy;
    }
}
