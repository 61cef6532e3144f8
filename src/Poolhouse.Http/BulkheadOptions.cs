using System.Diagnostics.Metrics;
using Poolhouse.Http.Internal;

namespace Poolhouse.Http;

/// <summary>The settings of a bulkhead. Only <see cref="MaxPerEndpoint"/> has no default.</summary>
/// <remarks>
/// A bulkhead copies its options; changing them later has no effect on it. All settings are validated together, and one exception
/// names every invalid one. Not thread safe.
/// </remarks>
public sealed class BulkheadOptions
{
    /// <summary>The maximum number of concurrent requests to one endpoint (scheme, host and port).</summary>
    /// <value>Required; 1 to 1,000,000.</value>
    /// <remarks>A request is in progress until the body of its response was read to the end, failed, or was disposed.</remarks>
    public required int MaxPerEndpoint { get; set; }

    /// <summary>The maximum number of concurrent requests to all endpoints together.</summary>
    /// <value>1,000,000 by default; 1 to 1,000,000.</value>
    /// <remarks>
    /// Endpoints that compete for it get equal shares, at least one permit each; unused shares go to the other endpoints.
    /// </remarks>
    public int MaxTotal { get; set; } = LargestMaxSize;

    /// <summary>
    /// How many requests to one endpoint may wait, in addition to those that <see cref="MaxPerEndpoint"/> admits.
    /// </summary>
    /// <value>1,000 by default; 0 or more. With 0, no request waits for another response of the same endpoint to end.</value>
    /// <remarks>Further requests are rejected at once: <see cref="BulkheadRejection.QueueFull"/>.</remarks>
    public int MaxWaiters { get; set; } = 1_000;

    /// <summary>How long a request may wait for a permit.</summary>
    /// <value>30 seconds by default; 1 millisecond to 49 days, or <see cref="Timeout.InfiniteTimeSpan"/>.</value>
    /// <remarks><see cref="HttpClient.Timeout"/> covers this wait, too.</remarks>
    public TimeSpan RentTimeout { get; set; } = TimeSpan.FromSeconds(30);

    /// <summary>Sheds requests while an endpoint cannot keep up, so that later requests are served in time.</summary>
    /// <value><c>null</c> (off) by default.</value>
    public OverloadOptions? Overload { get; set; }

    /// <summary>
    /// How long a request may be in progress before it is reported to the <see cref="Observer"/>, once: its body may not be read.
    /// </summary>
    /// <value><see cref="Timeout.InfiniteTimeSpan"/> (off) by default; otherwise at least 1 millisecond.</value>
    public TimeSpan LeakThreshold { get; set; } = Timeout.InfiniteTimeSpan;

    /// <summary>Is notified of waits that ended and of suspected leaks.</summary>
    /// <value><c>null</c> by default.</value>
    public BulkheadObserver? Observer { get; set; }

    /// <summary>The name of the bulkhead in metrics and messages.</summary>
    /// <value><c>null</c> by default: "Bulkhead". Otherwise not blank. Put no secret in it.</value>
    public string? Name { get; set; }

    /// <summary>The clock of the bulkhead.</summary>
    /// <value><see cref="TimeProvider.System"/> by default; not null.</value>
    public TimeProvider TimeProvider { get; set; } = TimeProvider.System;

    /// <summary>The meter that gets the instruments.</summary>
    /// <value><c>null</c> by default: the meter of <see cref="MeterFactory"/>, else the process-wide meter "Poolhouse".</value>
    public Meter? Meter { get; set; }

    /// <summary>The factory that creates a meter named "Poolhouse" when <see cref="Meter"/> is null.</summary>
    /// <value><c>null</c> by default.</value>
    public IMeterFactory? MeterFactory { get; set; }

    /// <summary>
    /// Returns a copy that the caller can no longer change, with a name, or throws one exception that names every invalid
    /// setting.
    /// </summary>
    internal BulkheadOptions Freeze()
    {
        var copy = (BulkheadOptions)MemberwiseClone();
        copy.Overload = Overload?.Copy();
        var errors = new PoolOptionErrors();
        copy.Validate(errors);
        errors.ThrowIfAny(this);
        copy.Name ??= PoolNames.For(typeof(Bulkhead));
        return copy;
    }

    /// <summary>
    /// Returns a copy that can replace the current settings of a bulkhead, or throws one exception that names every setting that
    /// is invalid or cannot be changed.
    /// </summary>
    /// <param name="given">The settings that the bulkhead was given.</param>
    /// <param name="current">The current settings, frozen.</param>
    internal BulkheadOptions FreezeChange(BulkheadOptions given, BulkheadOptions current)
    {
        var copy = Snapshot();
        var errors = new PoolOptionErrors();
        copy.Validate(errors);
        errors.CheckUnchanged(Name, nameof(Name), given.Name);
        errors.CheckSame(TimeProvider, nameof(TimeProvider), given.TimeProvider);
        errors.CheckSame(Meter, nameof(Meter), given.Meter);
        errors.CheckSame(MeterFactory, nameof(MeterFactory), given.MeterFactory);
        errors.ThrowIfAny(this);
        copy.Name = current.Name;
        return copy;
    }

    /// <summary>Returns a copy that the caller can no longer change, as it is.</summary>
    internal BulkheadOptions Snapshot()
    {
        var copy = (BulkheadOptions)MemberwiseClone();
        copy.Overload = Overload?.Copy();
        return copy;
    }

    /// <summary>Returns the current settings under the name that was given.</summary>
    internal BulkheadOptions With(BulkheadOptions current)
    {
        var copy = current.Snapshot();
        copy.Name = Name;
        return copy;
    }

    /// <summary>The settings of the pool of permits for frozen options.</summary>
    internal KeyedResourcePoolOptions<Endpoint> ForPermits(Bulkhead bulkhead) => new()
    {
        MaxSize = MaxTotal,
        KeyIdleTimeout = _forgetAfter,
        Pool = new ResourcePoolOptions
        {
            MaxSize = MaxPerEndpoint,
            MaxWaiters = MaxWaiters,
            RentTimeout = RentTimeout,
            Overload = Overload,
            LeakThreshold = LeakThreshold,
            Observer = Observer is { } observer ? new PermitObserver(observer, bulkhead) : null,
            Name = Name,
            TimeProvider = TimeProvider,
            Meter = Meter,
            MeterFactory = MeterFactory,

            // A permit costs nothing: it is created on demand, in any number at once, and never expires.
            MaxConcurrentCreates = MaxPerEndpoint,
            SlowStart = false,
            CreateTimeout = Timeout.InfiniteTimeSpan,
            DestroyTimeout = Timeout.InfiniteTimeSpan,
            MaxLifetime = Timeout.InfiniteTimeSpan,
            IdleTimeout = _forgetAfter,
        },
    };

    // As for every resource pool.
    private const int LargestMaxSize = 1_000_000;

    // A client of many hosts, such as a crawler, should not remember all of them.
    private static readonly TimeSpan _forgetAfter = TimeSpan.FromMinutes(1);

    private void Validate(PoolOptionErrors errors)
    {
        var tick = TimeSpan.FromMilliseconds(1);
        errors.CheckRange(MaxPerEndpoint, nameof(MaxPerEndpoint), 1, LargestMaxSize);
        errors.CheckRange(MaxTotal, nameof(MaxTotal), 1, LargestMaxSize);
        errors.Check(MaxWaiters >= 0, nameof(MaxWaiters), MaxWaiters, "0 or more");
        errors.CheckDuration(RentTimeout, nameof(RentTimeout), tick);
        errors.CheckDuration(LeakThreshold, nameof(LeakThreshold), tick);
        errors.Check(Name is null || !string.IsNullOrWhiteSpace(Name), nameof(Name), Name, "null or not blank");
        errors.CheckNotNull(TimeProvider, nameof(TimeProvider));
        Overload?.Validate(errors, prefix: string.Empty);
    }
}
