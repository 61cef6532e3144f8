using System.Diagnostics.Metrics;
using Microsoft.Extensions.DependencyInjection;
using Poolhouse.Extensions.Logging;
using Poolhouse.Extensions.Registration;
using Poolhouse.Workers;

namespace Poolhouse.Extensions;

/// <summary>What a container provides to one pool. For authors of pools.</summary>
/// <remarks>Passed to <see cref="PoolKind{TPool, TOptions}.Complete"/>. Thread safe.</remarks>
public sealed class PoolContext
{
    private readonly PoolRegistration _registration;
    private readonly PoolLog _log;
    private readonly IReadOnlyList<object> _observers;
    private readonly TimeProvider? _clock;

    internal PoolContext(IServiceProvider services, PoolRegistration registration, PoolLog log, IReadOnlyList<object> observers)
    {
        (_registration, _log, _observers) = (registration, log, observers);
        _clock = services.GetService<TimeProvider>();
        MeterFactory = services.GetService<IMeterFactory>();
    }

    /// <summary>The name of the registration.</summary>
    public string Name => _registration.Name;

    /// <summary>Whether the app chose the name; otherwise it is that of the item type.</summary>
    public bool IsNamed => _registration.IsNamed;

    /// <summary>The meter factory of the container; null if it has none.</summary>
    public IMeterFactory? MeterFactory { get; }

    /// <summary>Chooses the clock of a pool.</summary>
    /// <param name="configured">The clock in the options.</param>
    /// <returns>The clock of the container, unless the app has set another one than the system's.</returns>
    public TimeProvider ClockFor(TimeProvider? configured) =>
        _clock is not null && (configured is null || configured == TimeProvider.System)
            ? _clock
            : configured ?? TimeProvider.System;

    /// <summary>
    /// Sets the name, the clock, the meter factory and the observer of a resource pool, unless the app has set them. The observer
    /// writes the log and forwards to the app's observers.
    /// </summary>
    /// <param name="options">The options of the pool, or of the pool inside a pool whose callers rent from it.</param>
    /// <exception cref="ArgumentNullException"><paramref name="options"/> is null.</exception>
    public void Complete(ResourcePoolOptions options)
    {
        ArgumentNullException.ThrowIfNull(options);
        options.Name ??= Name;
        CompleteUnobserved(options);
        options.Observer = Observe(options.Observer);
    }

    /// <summary>Sets the clock and the meter factory of a pool inside another pool, whose events the log leaves out.</summary>
    /// <param name="options">The options of the inner pool.</param>
    /// <exception cref="ArgumentNullException"><paramref name="options"/> is null.</exception>
    public void CompleteUnobserved(ResourcePoolOptions options)
    {
        ArgumentNullException.ThrowIfNull(options);
        options.TimeProvider = ClockFor(options.TimeProvider);
        options.MeterFactory ??= options.Meter is null ? MeterFactory : null;
    }

    /// <summary>
    /// Takes over the clock, the meter, its factory, the reporter and the budget, which a pool cannot exchange. For
    /// <see cref="PoolKind{TPool, TOptions}.KeepCallbacks"/>.
    /// </summary>
    /// <param name="options">The new options of a pool, or of one inside it.</param>
    /// <param name="current">Its current options.</param>
    /// <exception cref="ArgumentNullException">One of the arguments is null.</exception>
    public static void Keep(ResourcePoolOptions options, ResourcePoolOptions current)
    {
        ArgumentNullException.ThrowIfNull(options);
        ArgumentNullException.ThrowIfNull(current);
        (options.TimeProvider, options.Meter, options.MeterFactory, options.Reporter, options.Budget) =
            (current.TimeProvider, current.Meter, current.MeterFactory, current.Reporter, current.Budget);
    }

    /// <summary>Creates an observer that writes the log and forwards to the app's observers.</summary>
    /// <param name="configured">The observer in the options; null for none.</param>
    /// <returns>The observer.</returns>
    public ResourcePoolObserver Observe(ResourcePoolObserver? configured) => new PoolObserver(_log, ObserversWith(configured));

    /// <summary>Gets the app's observers of a type.</summary>
    /// <typeparam name="TObserver">The base class of the observers.</typeparam>
    /// <param name="configured">The observer in the options; null for none.</param>
    /// <returns>The observers, first the one in the options.</returns>
    public IReadOnlyList<TObserver> ObserversWith<TObserver>(TObserver? configured)
        where TObserver : class => [.. configured is null ? [] : (TObserver[])[configured], .. _observers.OfType<TObserver>()];

    internal void Complete(WorkerPoolOptions options)
    {
        options.Name ??= Name;
        options.TimeProvider = ClockFor(options.TimeProvider);
        options.MeterFactory ??= options.Meter is null ? MeterFactory : null;
        options.Observer = new WorkObserver(_log, ObserversWith(options.Observer));
    }

    internal void Complete(CacheOptions options)
    {
        options.Name ??= Name;
        options.TimeProvider = ClockFor(options.TimeProvider);
        options.MeterFactory ??= options.Meter is null ? MeterFactory : null;
    }
}
