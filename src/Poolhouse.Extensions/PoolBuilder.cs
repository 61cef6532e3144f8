using System.Diagnostics.CodeAnalysis;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.DependencyInjection.Extensions;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using Microsoft.Extensions.Options;
using Poolhouse.Extensions.Configuration;
using Poolhouse.Extensions.Health;
using Poolhouse.Extensions.Registration;
using Poolhouse.Workers;

namespace Poolhouse.Extensions;

/// <summary>Configures a registered pool: settings, warm-up, drain, observers.</summary>
/// <typeparam name="TOptions">The type of the pool's options.</typeparam>
/// <remarks>Returned by the methods that register pools. Not thread safe; meant for the start of an app.</remarks>
public sealed class PoolBuilder<[DynamicallyAccessedMembers(
    DynamicallyAccessedMemberTypes.PublicParameterlessConstructor)] TOptions>
    where TOptions : class
{
    private static readonly TimeSpan _longest = TimeSpan.FromMilliseconds(uint.MaxValue - 1);
    private readonly PoolRegistration _registration;
    private readonly SettingsMap<TOptions> _settings;

    internal PoolBuilder(IServiceCollection services, PoolRegistration registration, SettingsMap<TOptions> settings)
    {
        Services = services;
        _registration = registration;
        _settings = settings;
    }

    /// <summary>
    /// The name of the pool: the service key, the name of its options, and its name in metrics, logs and health checks.
    /// </summary>
    public string Name => _registration.Name;

    /// <summary>The service collection in which the pool is registered.</summary>
    public IServiceCollection Services { get; }

    internal PoolRegistration Registration => _registration;

    /// <summary>
    /// Adds settings in code. Later calls, of this method or of <see cref="BindConfiguration(string)"/>, override earlier ones.
    /// </summary>
    /// <param name="configure">Sets options. Called when the pool is created and when its configuration changes.</param>
    /// <returns>This builder.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="configure"/> is null.</exception>
    public PoolBuilder<TOptions> Configure(Action<TOptions> configure)
    {
        ArgumentNullException.ThrowIfNull(configure);
        Services.Configure(Name, configure);
        return this;
    }

    /// <summary>Adds settings in code that depend on services.</summary>
    /// <param name="configure">Sets options. Called when the pool is created and when its configuration changes.</param>
    /// <returns>This builder.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="configure"/> is null.</exception>
    public PoolBuilder<TOptions> Configure(Action<IServiceProvider, TOptions> configure)
    {
        ArgumentNullException.ThrowIfNull(configure);
        Services.AddSingleton<IConfigureOptions<TOptions>>(
            services => new ConfigureNamedOptions<TOptions>(Name, options => configure(services, options)));
        return this;
    }

    /// <summary>
    /// Reads settings from a section of the app's configuration, and applies later changes of the section to the pool.
    /// </summary>
    /// <param name="path">The path of the section; "Poolhouse:" and the name of the pool if it is null.</param>
    /// <returns>This builder.</returns>
    /// <remarks>
    /// <para>
    /// Keys are the names of the properties. Durations are written as <c>hh:mm:ss</c>, <c>d.hh:mm:ss</c> or <c>none</c>. Unknown
    /// keys and values that cannot be parsed are errors: they are reported together, with their paths, when the host starts.
    /// </para>
    /// <para>
    /// A changed section is applied a quarter of a second after its last change, with all settings: what the app has changed with
    /// <c>Resize</c> or <c>Reconfigure</c> is replaced. If the new settings are invalid, or one of them cannot be changed while
    /// the pool is in use, the pool keeps its settings, a warning is logged, and health checks show the reason.
    /// </para>
    /// </remarks>
    public PoolBuilder<TOptions> BindConfiguration(string? path = null)
    {
        var section = path ?? "Poolhouse:" + Name;
        return Bind(services => services.GetRequiredService<IConfiguration>().GetSection(section));
    }

    /// <summary>Reads settings from a section of configuration, and applies later changes of the section to the pool.</summary>
    /// <param name="section">The section.</param>
    /// <returns>This builder.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="section"/> is null.</exception>
    /// <remarks>See <see cref="BindConfiguration(string)"/>.</remarks>
    public PoolBuilder<TOptions> Bind(IConfigurationSection section)
    {
        ArgumentNullException.ThrowIfNull(section);
        return Bind(_ => section);
    }

    /// <summary>Adds a health check that judges the pool by its statistics. It never rents an item.</summary>
    /// <param name="name">The name of the check; "pool:" and the name of the pool if it is null.</param>
    /// <param name="failureStatus">The status of a pool that cannot serve; <see cref="HealthStatus.Unhealthy"/> if it is
    /// null.</param>
    /// <param name="tags">The tags of the check; "pool" and "ready" if they are null.</param>
    /// <param name="configure">Sets options of the check; null for the defaults.</param>
    /// <returns>This builder.</returns>
    /// <exception cref="ArgumentOutOfRangeException">An option of the check is out of range.</exception>
    /// <remarks>
    /// The guide "Use it in an app" shows the table of states. A pool that is merely busy is healthy; one whose callers have
    /// been waiting for a second is degraded.
    /// </remarks>
    public PoolBuilder<TOptions> AddHealthCheck(
        string? name = null, HealthStatus? failureStatus = null, IEnumerable<string>? tags = null,
        Action<PoolHealthOptions>? configure = null)
    {
        var registration = _registration;
        var options = PoolHealthOptions.Create(configure);
        registration.FailureStatus = failureStatus ?? HealthStatus.Unhealthy;
        registration.SaturatedStatus = options.SaturatedStatus;
        Services.AddHealthChecks().Add(new HealthCheckRegistration(
            name ?? "pool:" + Name,
            services => new PoolHealthCheck(registration.Resolve(services), options),
            failureStatus,
            tags ?? ["pool", "ready"]));
        return this;
    }

    /// <summary>Creates items when the host starts.</summary>
    /// <param name="count">The number of items; at least 1, at most the maximum size of the pool.</param>
    /// <param name="mode">Whether the host waits, and whether a failure stops it.</param>
    /// <param name="timeout">How long the warm-up may take; 30 seconds if it is null.</param>
    /// <returns>This builder.</returns>
    /// <exception cref="ArgumentOutOfRangeException">An argument is out of range.</exception>
    /// <exception cref="InvalidOperationException">
    /// The pool is a keyed one, which has no items without a key, or a bulkhead, which needs no warm-up.
    /// </exception>
    public PoolBuilder<TOptions> WarmUp(int count, WarmUpMode mode = WarmUpMode.Background, TimeSpan? timeout = null)
    {
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(count);
        if (!Enum.IsDefined(mode))
        {
            throw new ArgumentOutOfRangeException(nameof(mode), mode, "Allowed: Background, BeforeStart or OrFailStart.");
        }

        if (!_registration.CanWarmUp)
        {
            throw new InvalidOperationException(
                $"Pool '{Name}' ({_registration.Method}) cannot be warmed up here: it creates items only for a key or an " +
                "endpoint. Call WarmUpAsync of a keyed pool with its keys; a bulkhead needs no warm-up.");
        }

        _registration.WarmUp = new WarmUpPlan(count, mode, Valid(timeout ?? TimeSpan.FromSeconds(30), nameof(timeout)));
        return this;
    }

    /// <summary>
    /// Drains the pool when the host stops, after the server has stopped taking requests: the host waits until all leases have
    /// been returned and the creations in progress have ended.
    /// </summary>
    /// <param name="timeout">
    /// How long to wait; the rest of the host's shutdown timeout if it is null. The shutdown timeout of the host always
    /// applies.
    /// </param>
    /// <returns>This builder.</returns>
    /// <exception cref="ArgumentOutOfRangeException">The timeout is out of range.</exception>
    /// <exception cref="InvalidOperationException">The pool is a cache, which does not wait for its items.</exception>
    /// <remarks>
    /// If leases remain after that time, a warning shows how many, and the container disposes of the pool as usual.
    /// </remarks>
    public PoolBuilder<TOptions> DrainOnShutdown(TimeSpan? timeout = null)
    {
        if (!_registration.CanDrain)
        {
            throw new InvalidOperationException($"Pool '{Name}' ({_registration.Method}) is a cache: there is nothing to drain.");
        }

        _registration.Drain = new DrainPlan(Valid(timeout ?? Timeout.InfiniteTimeSpan, nameof(timeout)));
        return this;
    }

    /// <summary>Adds an observer, in addition to the log and to an observer in the options.</summary>
    /// <typeparam name="TObserver">The type of the observer: a singleton of the container, registered by this call unless it is
    /// already.</typeparam>
    /// <returns>This builder.</returns>
    /// <exception cref="InvalidOperationException">
    /// The pool is a cache, which has no observers, or its observers have another base class than the type:
    /// <see cref="WorkerPoolObserver"/> for worker pools, <c>BulkheadObserver</c> for bulkheads, otherwise
    /// <see cref="ResourcePoolObserver"/>.
    /// </exception>
    public PoolBuilder<TOptions> AddObserver<[DynamicallyAccessedMembers(
        DynamicallyAccessedMemberTypes.PublicConstructors)] TObserver>()
        where TObserver : class
    {
        ThrowIfNotObservableBy(typeof(TObserver));
        Services.TryAddSingleton<TObserver>();
        _registration.Observers.Add(static services => services.GetRequiredService<TObserver>());
        return this;
    }

    /// <summary>Adds an observer, in addition to the log and to an observer in the options.</summary>
    /// <param name="create">Creates or finds the observer.</param>
    /// <returns>This builder.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="create"/> is null.</exception>
    /// <exception cref="InvalidOperationException">The pool is a cache, which has no observers, or a worker pool or
    /// bulkhead.</exception>
    public PoolBuilder<TOptions> AddObserver(Func<IServiceProvider, ResourcePoolObserver> create)
    {
        ArgumentNullException.ThrowIfNull(create);
        ThrowIfNotObservableBy(typeof(ResourcePoolObserver));
        _registration.Observers.Add(create);
        return this;
    }

    /// <summary>Adds an observer of a worker pool, in addition to the log and to an observer in the options.</summary>
    /// <param name="create">Creates or finds the observer.</param>
    /// <returns>This builder.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="create"/> is null.</exception>
    /// <exception cref="InvalidOperationException">The pool is not a worker pool.</exception>
    public PoolBuilder<TOptions> AddObserver(Func<IServiceProvider, WorkerPoolObserver> create)
    {
        ArgumentNullException.ThrowIfNull(create);
        ThrowIfNotObservableBy(typeof(WorkerPoolObserver));
        _registration.Observers.Add(create);
        return this;
    }

    private static TimeSpan Valid(TimeSpan timeout, string parameter) =>
        timeout == Timeout.InfiniteTimeSpan || (timeout > TimeSpan.Zero && timeout <= _longest)
            ? timeout
            : throw new ArgumentOutOfRangeException(
                parameter, timeout, "Allowed: above zero, at most 49 days, or Timeout.InfiniteTimeSpan.");

    private PoolBuilder<TOptions> Bind(Func<IServiceProvider, IConfigurationSection> find)
    {
        var (name, settings) = (Name, _settings);
        Services.AddSingleton<IConfigureOptions<TOptions>>(services => Create(services));
        Services.AddSingleton<IValidateOptions<TOptions>>(services => Create(services));
        Services.AddSingleton<IOptionsChangeTokenSource<TOptions>>(services => Create(services));
        return this;

        ConfigurationBinding<TOptions> Create(IServiceProvider services) => new(name, find(services), settings);
    }

    private void ThrowIfNotObservableBy(Type observer)
    {
        if (_registration.ObserverType is not { } expected)
        {
            throw new InvalidOperationException($"Pool '{Name}' ({_registration.Method}) is a cache: it has no observers.");
        }

        if (!observer.IsAssignableTo(expected))
        {
            throw new InvalidOperationException(
                $"{observer.Name} is not a {expected.Name}, as pool '{Name}' ({_registration.Method}) needs it.");
        }
    }
}
