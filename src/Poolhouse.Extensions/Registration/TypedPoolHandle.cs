using System.Diagnostics.CodeAnalysis;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;
using Microsoft.Extensions.Options;
using Microsoft.Extensions.Primitives;
using Poolhouse.Extensions.Configuration;
using Poolhouse.Extensions.Logging;
using Poolhouse.Kernel;

namespace Poolhouse.Extensions.Registration;

/// <summary>A registered pool of a certain kind in a container; applies changes of its configuration.</summary>
internal sealed class TypedPoolHandle<TPool, [DynamicallyAccessedMembers(
    DynamicallyAccessedMemberTypes.PublicParameterlessConstructor)] TOptions> : PoolHandle
    where TPool : class, IPool
    where TOptions : class
{
    private readonly TypedPoolRegistration<TPool, TOptions> _registration;
    private readonly IOptionsFactory<TOptions> _factory;
    private readonly PoolContext _context;
    private readonly TPool _pool;
    private readonly ReloadWatcher<TOptions> _watcher;
    private TOptions _options;

    public TypedPoolHandle(IServiceProvider services, TypedPoolRegistration<TPool, TOptions> registration)
        : base(registration, CreateLog(services, registration), registration.Kind.ItemType)
    {
        _registration = registration;
        _factory = services.GetRequiredService<IOptionsFactory<TOptions>>();
        _context = new PoolContext(services, registration, Log, [.. registration.Observers.Select(create => create(services))]);
        IOptionsChangeTokenSource<TOptions>[] sources =
        [
            .. services.GetServices<IOptionsChangeTokenSource<TOptions>>()
                .Where(source => string.Equals(source.Name, Name, StringComparison.Ordinal)),
        ];

        // Taken before the settings are read: the watcher does not see a change before it exists.
        IChangeToken[] tokens = [.. sources.Select(static source => source.GetChangeToken())];
        _options = WithName(CreateOptions);
        Log.LimitOf = DescribeLimit;
        _pool = WithName(() => _registration.Kind.Create(services, _options));
        try
        {
            _watcher = new ReloadWatcher<TOptions>(
                sources, services.GetService<TimeProvider>() ?? TimeProvider.System, Reload);
        }
        catch
        {
            // The container does not dispose a service whose constructor has failed, and creates another one on request.
            (_pool as IDisposable)?.Dispose();
            throw;
        }

        if (Array.Exists(tokens, static token => token.HasChanged))
        {
            _watcher.Schedule();
        }

        // A logger may throw, and must not prevent the pool.
        UserCode.Notify(Log, _pool, static (log, pool) => log.Started(pool));
    }

    public override TPool Pool => _pool;

    public override Type PoolType => typeof(TPool);

    public override int? MaxWarmUp => _registration.Kind.GetMaxWarmUp(_pool, Volatile.Read(ref _options));

    public override Task WarmUpAsync(int count, CancellationToken cancellationToken) =>
        _registration.Kind.WarmUpAsync(_pool, count, cancellationToken);

    protected override PoolFigures ReadFigures() => _registration.Kind.GetFigures(_pool);

    protected override Task DrainCoreAsync(CancellationToken cancellationToken) =>
        _registration.Kind.DrainAsync(_pool, cancellationToken);

    protected override void StopReloading() => _watcher.Dispose();

    private static PoolLog CreateLog(IServiceProvider services, TypedPoolRegistration<TPool, TOptions> registration) => new(
        (services.GetService<ILoggerFactory>() ?? NullLoggerFactory.Instance).CreateLogger(registration.Kind.Category),
        registration.Name,
        services.GetService<TimeProvider>() ?? TimeProvider.System,
        pool => pool is TPool typed ? registration.Kind.GetFigures(typed) : PoolFigures.From(pool.GetStatistics()));

    private TOptions CreateOptions()
    {
        var options = _factory.Create(Name);
        _registration.Kind.Settings.CopySections(options);
        _registration.Kind.Complete(options, _context);
        return options;
    }

    private string? DescribeLimit(IPool pool) =>
        pool is TPool typed ? _registration.Kind.DescribeLimit(typed, Volatile.Read(ref _options)) : null;

    /// <summary>
    /// Adds the name of the pool to the report of an invalid setting. The pool always gets options, so a null argument of that
    /// name is one of the app's own code.
    /// </summary>
    private TResult WithName<TResult>(Func<TResult> create)
    {
        try
        {
            return create();
        }
        catch (ArgumentException e) when (
            e.ParamName is "connectionString" || (e.ParamName is "options" && e is not ArgumentNullException))
        {
            throw new OptionsValidationException(
                Name, typeof(TOptions), [$"Pool '{Name}' ({_registration.Method}): {e.Message}"]);
        }
    }

    [SuppressMessage(
        "Design", "CA1031", Justification = "Configuration code of the app may throw anything, and the pool keeps running.")]
    private void Reload()
    {
        try
        {
            var fresh = CreateOptions();
            _registration.Kind.KeepCallbacks(fresh, _options);
            var changes = Difference(_options, fresh);
            if (changes.Count > 0)
            {
                if (_registration.Kind.ReloadRefusal is { } refusal)
                {
                    throw new NotSupportedException(refusal);
                }

                _registration.Kind.Reconfigure(_pool, fresh);
                Volatile.Write(ref _options, fresh);
                Log.Reconfigured(string.Join(", ", changes));
            }

            ReloadRejection = null;
        }
        catch (ObjectDisposedException) when (IsStopping)
        {
            // The app is shutting down: there is nothing left to configure.
        }
        catch (Exception e)
        {
            ReloadRejection = e.Message;
            Log.ReloadRejected(e.Message);
        }
    }

    private List<string> Difference(TOptions old, TOptions fresh)
    {
        var before = new Dictionary<string, SettingValue>(StringComparer.Ordinal);
        var after = new Dictionary<string, SettingValue>(StringComparer.Ordinal);
        _registration.Kind.Settings.Read(old, "", before);
        _registration.Kind.Settings.Read(fresh, "", after);
        return
        [
            .. before.Keys.Union(after.Keys, StringComparer.Ordinal)
                .Select(key => (Key: key, Old: before.GetValueOrDefault(key), New: after.GetValueOrDefault(key)))
                .Where(change => change.Old != change.New)
                .Select(change => change.Old.IsHidden || change.New.IsHidden
                    ? $"{change.Key}: changed"
                    : $"{change.Key}: {change.Old.Text ?? "unset"} -> {change.New.Text ?? "unset"}"),
        ];
    }
}
