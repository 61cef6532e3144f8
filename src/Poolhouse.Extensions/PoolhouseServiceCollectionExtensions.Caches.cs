using System.Diagnostics.CodeAnalysis;
using System.Diagnostics.Metrics;
using Microsoft.Extensions.DependencyInjection.Extensions;
using Microsoft.Extensions.ObjectPool;
using Microsoft.Extensions.Options;
using Poolhouse;
using Poolhouse.Extensions;
using Poolhouse.Extensions.Kinds;
using Poolhouse.Extensions.Registration;

namespace Microsoft.Extensions.DependencyInjection;

public static partial class PoolhouseServiceCollectionExtensions
{
    /// <summary>
    /// Registers the pools that replace those of .NET: <see cref="TieredObjectPoolProvider"/> as
    /// <see cref="ObjectPoolProvider"/>, so that the framework's own object pools use it, and <see cref="StreamPool.Shared"/> and
    /// <see cref="TieredArrayPool{T}.Shared"/> for injection.
    /// </summary>
    /// <param name="services">The service collection.</param>
    /// <returns>The service collection.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="services"/> is null.</exception>
    /// <remarks>
    /// May be called several times. A <see cref="StreamPool"/> or array pool that is registered already is kept. The pools of the
    /// provider use the <see cref="TimeProvider"/> and the <see cref="IMeterFactory"/> of the container.
    /// </remarks>
    public static IServiceCollection AddPoolhouse(this IServiceCollection services)
    {
        ArgumentNullException.ThrowIfNull(services);
        services.Replace(ServiceDescriptor.Singleton<ObjectPoolProvider>(provider => new TieredObjectPoolProvider(
            new ObjectPoolOptions
            {
                TimeProvider = provider.GetService<TimeProvider>() ?? TimeProvider.System,
                MeterFactory = provider.GetService<IMeterFactory>(),
            })));

        // Instances, not factories: the container must not dispose of pools that the whole process shares.
        services.TryAddSingleton(StreamPool.Shared);
        services.TryAddSingleton(TieredArrayPool<byte>.Shared);
        return services;
    }

    /// <summary>
    /// Registers an <see cref="ObjectPool{T}"/> for <typeparamref name="TService"/>, whose constructor parameters come from the
    /// container.
    /// </summary>
    /// <typeparam name="TService">The type of the items. If it implements <see cref="IResettable"/>, items are reset when they
    /// are returned.</typeparam>
    /// <param name="services">The service collection.</param>
    /// <param name="configure">Sets options, for instance <see cref="ObjectPoolOptions.MaxRetained"/>; null for the
    /// defaults.</param>
    /// <returns>The service collection.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="services"/> is null.</exception>
    /// <exception cref="InvalidOperationException">There is a pool of that name.</exception>
    /// <remarks>
    /// The pool is named after the type and can be resolved as <see cref="ObjectPool{T}"/> and as
    /// <see cref="TieredObjectPool{T}"/>. Items live as long as the pool, so they can depend on singletons and transient services
    /// only. Use
    /// <see cref="AddObjectPool{TService}(IServiceCollection, string?, Action{ObjectPoolOptions}?)"/> to configure more.
    /// </remarks>
    public static IServiceCollection AddPooled<[DynamicallyAccessedMembers(
        DynamicallyAccessedMemberTypes.PublicConstructors)] TService>(
        this IServiceCollection services,
        Action<ObjectPoolOptions>? configure = null)
        where TService : class
    {
        ArgumentNullException.ThrowIfNull(services);
        return AddObjects<TService, TService>(
            services, name: null, MethodName(nameof(AddPooled), typeof(TService)), configure).Services;
    }

    /// <inheritdoc cref="AddPooled{TService}(IServiceCollection, Action{ObjectPoolOptions}?)"/>
    /// <typeparam name="TService">The type under which items are pooled.</typeparam>
    /// <typeparam name="TImplementation">The type of the items.</typeparam>
    public static IServiceCollection AddPooled<
        TService, [DynamicallyAccessedMembers(DynamicallyAccessedMemberTypes.PublicConstructors)] TImplementation>(
        this IServiceCollection services,
        Action<ObjectPoolOptions>? configure = null)
        where TService : class
        where TImplementation : class, TService
    {
        ArgumentNullException.ThrowIfNull(services);
        return AddObjects<TService, TImplementation>(
            services, name: null, MethodName(nameof(AddPooled), typeof(TService), typeof(TImplementation)), configure).Services;
    }

    /// <summary>Registers an object pool like <see cref="AddPooled{TService}"/>, with a name and a builder.</summary>
    /// <typeparam name="TService">The type of the items. If it implements <see cref="IResettable"/>, items are reset when they
    /// are returned.</typeparam>
    /// <param name="services">The service collection.</param>
    /// <param name="name">The name, or null for the default pool of <typeparamref name="TService"/>.</param>
    /// <param name="configure">Sets options; null to set them later or in configuration.</param>
    /// <returns>A builder for further configuration.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="services"/> is null.</exception>
    /// <exception cref="ArgumentException">The name is blank or contains a colon.</exception>
    /// <exception cref="InvalidOperationException">There is a pool of that name.</exception>
    public static PoolBuilder<ObjectPoolOptions> AddObjectPool<[DynamicallyAccessedMembers(
        DynamicallyAccessedMemberTypes.PublicConstructors)] TService>(
        this IServiceCollection services,
        string? name = null,
        Action<ObjectPoolOptions>? configure = null)
        where TService : class
    {
        ArgumentNullException.ThrowIfNull(services);
        return AddObjects<TService, TService>(services, name, MethodName(nameof(AddObjectPool), typeof(TService)), configure);
    }

    /// <summary>
    /// Registers an object pool whose items are created by a delegate, for types that the container cannot create.
    /// </summary>
    /// <typeparam name="TService">The type of the items.</typeparam>
    /// <param name="services">The service collection.</param>
    /// <param name="create">Creates an item. It gets the root provider, and the container does not dispose of the item.</param>
    /// <param name="reset">
    /// Prepares a returned item for the next user and returns whether it may be reused. If null, items that implement
    /// <see cref="IResettable"/> are reset, and others are reused as they are.
    /// </param>
    /// <param name="name">The name, or null for the default pool of <typeparamref name="TService"/>.</param>
    /// <param name="configure">Sets options; null to set them later or in configuration.</param>
    /// <returns>A builder for further configuration.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="services"/> or <paramref name="create"/> is null.</exception>
    /// <exception cref="ArgumentException">The name is blank or contains a colon.</exception>
    /// <exception cref="InvalidOperationException">There is a pool of that name.</exception>
    public static PoolBuilder<ObjectPoolOptions> AddObjectPool<TService>(
        this IServiceCollection services,
        Func<IServiceProvider, TService> create,
        Func<TService, bool>? reset = null,
        string? name = null,
        Action<ObjectPoolOptions>? configure = null)
        where TService : class
    {
        ArgumentNullException.ThrowIfNull(services);
        ArgumentNullException.ThrowIfNull(create);
        if (reset is null && (!typeof(TService).IsSealed || typeof(IResettable).IsAssignableFrom(typeof(TService))))
        {
            // The delegate may return a derived type that is resettable although TService is not.
            reset = static item => item is not IResettable resettable || resettable.TryReset();
        }

        return AddObjects(
            services,
            name,
            MethodName(nameof(AddObjectPool), typeof(TService)),
            (provider, options) => new TieredObjectPool<TService>(() => create(provider), reset, options),
            configure);
    }

    /// <summary>Changes the options of the default object pool of a type, whether it is registered already or not.</summary>
    /// <typeparam name="TService">The type of the items.</typeparam>
    /// <param name="services">The service collection.</param>
    /// <param name="configure">Sets options.</param>
    /// <returns>The service collection.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="services"/> or <paramref name="configure"/> is null.</exception>
    /// <remarks>
    /// The pool is found by its name, which is the name of the type without its namespace: the options of an object pool of
    /// another type with that name, or of one that was given that name, are changed too.
    /// </remarks>
    public static IServiceCollection ConfigurePool<TService>(
        this IServiceCollection services, Action<ObjectPoolOptions> configure)
        where TService : class
    {
        ArgumentNullException.ThrowIfNull(services);
        ArgumentNullException.ThrowIfNull(configure);
        return services.Configure(PoolNames.For(typeof(TService)), configure);
    }

    /// <summary>
    /// Registers an object pool like <see cref="AddPooled{TService}"/>, and <typeparamref name="TService"/> itself as a scoped
    /// service: it is rented when it is first resolved in a scope, and returned when the scope ends.
    /// </summary>
    /// <typeparam name="TService">The type of the items. Not disposable, because the scope would dispose of an item that returns
    /// to the pool.</typeparam>
    /// <param name="services">The service collection.</param>
    /// <param name="configure">Sets options; null for the defaults.</param>
    /// <returns>The service collection.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="services"/> is null.</exception>
    /// <exception cref="InvalidOperationException">There is a pool of that name, or <typeparamref name="TService"/> is
    /// disposable.</exception>
    public static IServiceCollection AddPooledScoped<[DynamicallyAccessedMembers(
        DynamicallyAccessedMemberTypes.PublicConstructors)] TService>(
        this IServiceCollection services,
        Action<ObjectPoolOptions>? configure = null)
        where TService : class
    {
        ArgumentNullException.ThrowIfNull(services);
        if (typeof(IDisposable).IsAssignableFrom(typeof(TService)) || typeof(IAsyncDisposable).IsAssignableFrom(typeof(TService)))
        {
            throw new InvalidOperationException(
                $"{PoolNames.For(typeof(TService))} is disposable: a scope would dispose of it instead of returning it. Inject " +
                $"ObjectPool<{PoolNames.For(typeof(TService))}> and rent it.");
        }

        AddObjects<TService, TService>(services, name: null, MethodName(nameof(AddPooledScoped), typeof(TService)), configure);
        services.AddScoped(provider => new ScopedLease<TService>(provider.GetRequiredService<TieredObjectPool<TService>>()));
        services.AddScoped(provider => provider.GetRequiredService<ScopedLease<TService>>().Item);
        return services;
    }

    private static PoolBuilder<ObjectPoolOptions> AddObjects<
        TService, [DynamicallyAccessedMembers(DynamicallyAccessedMemberTypes.PublicConstructors)] TImplementation>(
        IServiceCollection services,
        string? name,
        string method,
        Action<ObjectPoolOptions>? configure)
        where TService : class
        where TImplementation : class, TService
    {
        return AddObjects<TService>(services, name, method, Create, configure);

        static TieredObjectPool<TService> Create(IServiceProvider provider, ObjectPoolOptions options)
        {
            var factory = ActivatorUtilities.CreateFactory<TImplementation>([]);
            return typeof(IResettable).IsAssignableFrom(typeof(TImplementation))
                ? new TieredObjectPool<TService>(
                    () => factory(provider, null), static item => ((IResettable)item).TryReset(), options)
                : new TieredObjectPool<TService>(() => factory(provider, null), reset: null, options);
        }
    }

    private static PoolBuilder<ObjectPoolOptions> AddObjects<TService>(
        IServiceCollection services,
        string? name,
        string method,
        Func<IServiceProvider, ObjectPoolOptions, TieredObjectPool<TService>> create,
        Action<ObjectPoolOptions>? configure)
        where TService : class
    {
        var builder = PoolServices.Add(services, name, method, new ObjectPoolKind<TService>(create), configure);
        PoolServices.AddAlias<ObjectPool<TService>, TieredObjectPool<TService>>(services, name, builder.Name);
        return builder;
    }
}
