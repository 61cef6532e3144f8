using System.Diagnostics.Metrics;
using Microsoft.Extensions.DependencyInjection;
using Poolhouse.Extensions.Logging;

namespace Poolhouse.Extensions.Registration;

/// <summary>What the container provides to one pool.</summary>
internal sealed class PoolContext(
    IServiceProvider services,
    PoolRegistration registration,
    PoolLog log,
    IReadOnlyList<object> observers)
{
    private readonly TimeProvider? _clock = services.GetService<TimeProvider>();

    public string Name => registration.Name;

    /// <summary>Whether the app chose the name; otherwise it is that of the item type.</summary>
    public bool IsNamed => registration.IsNamed;

    public IMeterFactory? MeterFactory { get; } = services.GetService<IMeterFactory>();

    /// <summary>The clock of the container, unless the app has set another one than the system's.</summary>
    public TimeProvider ClockFor(TimeProvider? configured) =>
        _clock is not null && (configured is null || configured == TimeProvider.System)
            ? _clock
            : configured ?? TimeProvider.System;

    /// <summary>An observer that writes the log and forwards to the app's observers, among them the one in the options.</summary>
    public ResourcePoolObserver Observe(ResourcePoolObserver? configured) => new PoolObserver(log, ObserversWith(configured));

    /// <summary>The same for a worker pool.</summary>
    public WorkerPoolObserver Observe(WorkerPoolObserver? configured) => new WorkObserver(log, ObserversWith(configured));

    /// <summary>The app's observers of a kind, among them the one in the options.</summary>
    public IReadOnlyList<TObserver> ObserversWith<TObserver>(TObserver? configured)
        where TObserver : class => [.. configured is null ? [] : (TObserver[])[configured], .. observers.OfType<TObserver>()];
}
