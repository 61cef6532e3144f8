namespace Poolhouse.Extensions;

/// <summary>
/// Describes one kind of pool to the hosting package: how it is created, configured, warmed up and drained. For authors of pools.
/// </summary>
/// <typeparam name="TPool">The type of the pool.</typeparam>
/// <typeparam name="TOptions">The type of its options.</typeparam>
/// <remarks>
/// Register it with <see cref="PoolServices.Add"/>. An instance describes one registration and is used by every container that is
/// built from it; keep no state in it. Methods may be called on any thread.
/// </remarks>
public abstract class PoolKind<TPool, TOptions>
    where TPool : class, IPool
    where TOptions : class
{
    /// <summary>The category of the pool's log.</summary>
    /// <value>"Poolhouse.Resources" unless overridden.</value>
    public virtual string Category => "Poolhouse.Resources";

    /// <summary>The type of what the pool leases. An unnamed pool is named after it.</summary>
    public abstract Type ItemType { get; }

    /// <summary>The settings that can be set in configuration.</summary>
    public abstract SettingsMap<TOptions> Settings { get; }

    /// <summary>The base class of the pool's observers; null for a cache, which has none.</summary>
    /// <value><see cref="ResourcePoolObserver"/> unless overridden.</value>
    public virtual Type? ObserverType => typeof(ResourcePoolObserver);

    /// <summary>
    /// Whether a number of items can be created in advance. Not in a keyed pool, which has no items without a key.
    /// </summary>
    /// <value>True unless overridden.</value>
    public virtual bool CanWarmUp => true;

    /// <summary>Whether the pool waits for its leases when it is drained. Caches do not.</summary>
    /// <value>True unless overridden.</value>
    public virtual bool CanDrain => true;

    /// <summary>Why the settings cannot be changed while the pool is in use; null if they can.</summary>
    /// <value><c>null</c> unless overridden.</value>
    public virtual string? ReloadRefusal => null;

    /// <summary>Creates the inner options that configuration code expects. Does nothing unless overridden.</summary>
    /// <param name="options">New options, before the code and the configuration of the app set them.</param>
    public virtual void Initialize(TOptions options)
    {
    }

    /// <summary>Sets what the container provides, unless the app has set it: name, clock, meter factory, observer.</summary>
    /// <param name="options">The options that the app has configured.</param>
    /// <param name="context">What the container provides; see <see cref="PoolContext.Complete(ResourcePoolOptions)"/>.</param>
    public abstract void Complete(TOptions options, PoolContext context);

    /// <summary>Creates the pool.</summary>
    /// <param name="services">The root provider of the container, which owns the pool.</param>
    /// <param name="options">The completed options.</param>
    /// <returns>The pool.</returns>
    /// <exception cref="ArgumentException">A setting is invalid; the parameter is named "options".</exception>
    public abstract TPool Create(IServiceProvider services, TOptions options);

    /// <summary>
    /// Reads the figures for health checks and reports. Override it for a pool whose type of statistics is not one of the core's.
    /// </summary>
    /// <param name="pool">The pool.</param>
    /// <returns>The current figures.</returns>
    public virtual PoolFigures GetFigures(TPool pool)
    {
        ArgumentNullException.ThrowIfNull(pool);
        return PoolFigures.From(pool.GetStatistics());
    }

    /// <summary>Describes the limit of the pool for its log, with the settings that it comes from.</summary>
    /// <param name="pool">The pool.</param>
    /// <param name="options">Its current options.</param>
    /// <returns>
    /// For instance "MaxPerEndpoint 8"; null unless overridden: MaxSize, with <see cref="PoolFigures.MaxLeased"/>.
    /// </returns>
    public virtual string? DescribeLimit(TPool pool, TOptions options) => null;

    /// <summary>Gets the largest number of items that the pool can be warmed up with.</summary>
    /// <param name="pool">The pool.</param>
    /// <param name="options">Its current options.</param>
    /// <returns>The number; null unless overridden: not known.</returns>
    public virtual int? GetMaxWarmUp(TPool pool, TOptions options) => null;

    /// <summary>Creates items in advance, if <see cref="CanWarmUp"/> is true.</summary>
    /// <param name="pool">The pool.</param>
    /// <param name="count">The number of items that should be alive.</param>
    /// <param name="cancellationToken">Cancelled at the end of the warm-up's time.</param>
    /// <returns>A task that completes when the items were created.</returns>
    /// <remarks>
    /// Unless the warm-up runs in the background, it is called on the thread that starts the host. An implementation that blocks
    /// or ignores its token delays the start beyond the timeout.
    /// </remarks>
    public abstract Task WarmUpAsync(TPool pool, int count, CancellationToken cancellationToken);

    /// <summary>Waits until all leases have been returned, if <see cref="CanDrain"/> is true.</summary>
    /// <param name="pool">The pool.</param>
    /// <param name="cancellationToken">Cancelled at the end of the drain's time.</param>
    /// <returns>A task that completes when the pool is drained.</returns>
    public abstract Task DrainAsync(TPool pool, CancellationToken cancellationToken);

    /// <summary>
    /// Before a reconfiguration, takes over the callbacks and other objects that a pool cannot exchange. Code that sets options
    /// often creates new ones each time, and then every change would be rejected. Does nothing unless overridden.
    /// </summary>
    /// <param name="options">The new options.</param>
    /// <param name="current">The current options of the pool.</param>
    public virtual void KeepCallbacks(TOptions options, TOptions current)
    {
    }

    /// <summary>Applies changed settings, if <see cref="ReloadRefusal"/> is null.</summary>
    /// <param name="pool">The pool.</param>
    /// <param name="options">The new options, completed.</param>
    /// <exception cref="ArgumentException">A setting is invalid or cannot be changed; nothing was changed.</exception>
    /// <exception cref="NotSupportedException">The method is not overridden.</exception>
    public virtual void Reconfigure(TPool pool, TOptions options) => throw new NotSupportedException(ReloadRefusal);
}
