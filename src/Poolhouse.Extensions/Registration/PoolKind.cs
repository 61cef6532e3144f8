using Poolhouse.Extensions.Configuration;

namespace Poolhouse.Extensions.Registration;

/// <summary>What the hosting package needs to know about one kind of pool.</summary>
/// <typeparam name="TPool">The type of the pool.</typeparam>
/// <typeparam name="TOptions">The type of its options.</typeparam>
internal abstract class PoolKind<TPool, TOptions>
    where TPool : class, IPool
    where TOptions : class
{
    /// <summary>The category of the pool's log.</summary>
    public virtual string Category => "Poolhouse.Resources";

    /// <summary>What the pool leases, for people.</summary>
    public abstract Type ItemType { get; }

    public abstract SettingsMap<TOptions> Settings { get; }

    /// <summary>The base class of the pool's observers; null for caches, which have none.</summary>
    public virtual Type? ObserverType => typeof(ResourcePoolObserver);

    /// <summary>
    /// Whether a number of items can be created in advance. Not in a pool of keys, which has no items without a key.
    /// </summary>
    public virtual bool CanWarmUp => true;

    /// <summary>Whether the pool waits for its leases when it is drained. Caches do not.</summary>
    public virtual bool CanDrain => true;

    /// <summary>Why the settings cannot be changed while the pool is in use; null if they can.</summary>
    public virtual string? ReloadRefusal => null;

    /// <summary>Creates the inner options that configuration code expects.</summary>
    public virtual void Initialize(TOptions options)
    {
    }

    /// <summary>Adds what the container provides.</summary>
    public abstract void Complete(TOptions options, PoolContext context);

    public abstract TPool Create(IServiceProvider services, TOptions options);

    public virtual TimeSpan LeakThresholdOf(TOptions options) => Timeout.InfiniteTimeSpan;

    /// <summary>
    /// The figures for health checks and reports; overridden for pools whose statistics the core does not know.
    /// </summary>
    public virtual PoolFigures FiguresOf(TPool pool) => PoolFigures.From(pool.GetStatistics());

    public abstract Task WarmUpAsync(TPool pool, int count, CancellationToken cancellationToken);

    public abstract Task DrainAsync(TPool pool, CancellationToken cancellationToken);

    /// <summary>
    /// Before a reconfiguration: takes over the callbacks and other objects that a pool cannot exchange. Code that sets options
    /// often creates new ones each time, and then every change would be rejected.
    /// </summary>
    public virtual void Keep(TOptions options, TOptions current)
    {
    }

    public virtual void Reconfigure(TPool pool, TOptions options) => throw new NotSupportedException(ReloadRefusal);
}
