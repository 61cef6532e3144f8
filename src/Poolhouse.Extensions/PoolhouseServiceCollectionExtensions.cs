using System.Diagnostics.CodeAnalysis;
using Microsoft.Extensions.DependencyInjection.Extensions;
using Poolhouse;
using Poolhouse.Extensions;
using Poolhouse.Extensions.Kinds;
using Poolhouse.Extensions.Registration;
using Poolhouse.Workers;

namespace Microsoft.Extensions.DependencyInjection;

/// <summary>Extension methods that register pools in a service collection.</summary>
/// <remarks>
/// <para>
/// Every pool is a singleton that the container owns and disposes of. Its name is at the same time the service key, the name of
/// its options and its name in metrics, logs and health checks. Without a name, a pool is named after its item type and can also
/// be resolved without a key.
/// </para>
/// <para>
/// The host creates all pools before its services start, so invalid settings prevent the start. The pools take
/// <see cref="TimeProvider"/>, the meter factory and the logger factory from the container.
/// </para>
/// </remarks>
public static partial class PoolhouseServiceCollectionExtensions
{
    /// <summary>Registers a <see cref="ResourcePool{T}"/> whose items are created by a delegate.</summary>
    /// <typeparam name="T">The type of the items.</typeparam>
    /// <param name="services">The service collection.</param>
    /// <param name="create">Creates an item. It gets the root provider: create a scope for scoped services.</param>
    /// <param name="name">The name, or null for the default pool of <typeparamref name="T"/>.</param>
    /// <param name="configure">Sets options; null to set them later or in configuration.</param>
    /// <returns>A builder for further configuration.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="services"/> or <paramref name="create"/> is null.</exception>
    /// <exception cref="ArgumentException">The name is blank or contains a colon.</exception>
    /// <exception cref="InvalidOperationException">There is a pool of that name.</exception>
    public static PoolBuilder<ResourcePoolOptions> AddResourcePool<T>(
        this IServiceCollection services,
        Func<IServiceProvider, CancellationToken, ValueTask<T>> create,
        string? name = null,
        Action<ResourcePoolOptions>? configure = null)
        where T : notnull
    {
        ArgumentNullException.ThrowIfNull(services);
        ArgumentNullException.ThrowIfNull(create);
        return PoolServices.Add(
            services,
            name,
            MethodName(nameof(AddResourcePool), typeof(T)),
            new ResourcePoolKind<T>((provider, options) => ResourcePool.Create(token => create(provider, token), options)),
            configure);
    }

    /// <summary>Registers a <see cref="ResourcePool{T}"/> with a policy that is created by a delegate.</summary>
    /// <typeparam name="T">The type of the items.</typeparam>
    /// <param name="services">The service collection.</param>
    /// <param name="policy">Creates the policy, once.</param>
    /// <param name="name">The name, or null for the default pool of <typeparamref name="T"/>.</param>
    /// <param name="configure">Sets options; null to set them later or in configuration.</param>
    /// <returns>A builder for further configuration.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="services"/> or <paramref name="policy"/> is null.</exception>
    /// <exception cref="ArgumentException">The name is blank or contains a colon.</exception>
    /// <exception cref="InvalidOperationException">There is a pool of that name.</exception>
    public static PoolBuilder<ResourcePoolOptions> AddResourcePool<T>(
        this IServiceCollection services,
        Func<IServiceProvider, ResourcePolicy<T>> policy,
        string? name = null,
        Action<ResourcePoolOptions>? configure = null)
        where T : notnull
    {
        ArgumentNullException.ThrowIfNull(services);
        ArgumentNullException.ThrowIfNull(policy);
        return PoolServices.Add(
            services,
            name,
            MethodName(nameof(AddResourcePool), typeof(T)),
            new ResourcePoolKind<T>((provider, options) => new ResourcePool<T>(policy(provider), options)),
            configure);
    }

    /// <summary>Registers a <see cref="ResourcePool{T}"/> with a policy whose dependencies come from the container.</summary>
    /// <typeparam name="T">The type of the items.</typeparam>
    /// <typeparam name="TPolicy">The type of the policy. The container creates one for this pool and disposes of it after the
    /// pool.</typeparam>
    /// <param name="services">The service collection.</param>
    /// <param name="name">The name, or null for the default pool of <typeparamref name="T"/>.</param>
    /// <param name="configure">Sets options; null to set them later or in configuration.</param>
    /// <returns>A builder for further configuration.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="services"/> is null.</exception>
    /// <exception cref="ArgumentException">The name is blank or contains a colon.</exception>
    /// <exception cref="InvalidOperationException">There is a pool of that name.</exception>
    public static PoolBuilder<ResourcePoolOptions> AddResourcePool<
        T, [DynamicallyAccessedMembers(DynamicallyAccessedMemberTypes.PublicConstructors)] TPolicy>(
        this IServiceCollection services,
        string? name = null,
        Action<ResourcePoolOptions>? configure = null)
        where T : notnull
        where TPolicy : ResourcePolicy<T>
    {
        ArgumentNullException.ThrowIfNull(services);
        var key = name ?? PoolNames.For(typeof(T));
        var builder = PoolServices.Add(
            services,
            name,
            $"{nameof(AddResourcePool)}<{PoolNames.For(typeof(T))}, {PoolNames.For(typeof(TPolicy))}>",
            new ResourcePoolKind<T>(
                (provider, options) => new ResourcePool<T>(provider.GetRequiredKeyedService<TPolicy>(key), options)),
            configure);
        services.TryAddKeyedSingleton<TPolicy>(key);
        return builder;
    }

    /// <summary>Registers a <see cref="KeyedResourcePool{TKey, T}"/>: a pool for each key, within a common limit.</summary>
    /// <typeparam name="TKey">The type of the keys.</typeparam>
    /// <typeparam name="T">The type of the items.</typeparam>
    /// <param name="services">The service collection.</param>
    /// <param name="policy">Creates the policy of a key.</param>
    /// <param name="name">The name, or null for the default pool of <typeparamref name="T"/>.</param>
    /// <param name="configure">Sets options; null to set them later or in configuration.</param>
    /// <returns>A builder for further configuration.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="services"/> or <paramref name="policy"/> is null.</exception>
    /// <exception cref="ArgumentException">The name is blank or contains a colon.</exception>
    /// <exception cref="InvalidOperationException">There is a pool of that name.</exception>
    public static PoolBuilder<KeyedResourcePoolOptions<TKey>> AddKeyedPool<TKey, T>(
        this IServiceCollection services,
        Func<IServiceProvider, TKey, ResourcePolicy<T>> policy,
        string? name = null,
        Action<KeyedResourcePoolOptions<TKey>>? configure = null)
        where TKey : notnull
        where T : notnull
    {
        ArgumentNullException.ThrowIfNull(services);
        ArgumentNullException.ThrowIfNull(policy);
        return PoolServices.Add(
            services,
            name,
            MethodName(nameof(AddKeyedPool), typeof(TKey), typeof(T)),
            new KeyedPoolKind<TKey, T>(
                (provider, options) => new KeyedResourcePool<TKey, T>(key => policy(provider, key), options)),
            configure);
    }

    /// <summary>Registers a <see cref="SharedResourcePool{T}"/>, whose items serve several callers at once.</summary>
    /// <typeparam name="T">The type of the items.</typeparam>
    /// <param name="services">The service collection.</param>
    /// <param name="policy">Creates the policy, once.</param>
    /// <param name="name">The name, or null for the default pool of <typeparamref name="T"/>.</param>
    /// <param name="configure">Sets options; null to set them later or in configuration.</param>
    /// <returns>A builder for further configuration.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="services"/> or <paramref name="policy"/> is null.</exception>
    /// <exception cref="ArgumentException">The name is blank or contains a colon.</exception>
    /// <exception cref="InvalidOperationException">There is a pool of that name.</exception>
    public static PoolBuilder<SharedResourcePoolOptions> AddSharedPool<T>(
        this IServiceCollection services,
        Func<IServiceProvider, ResourcePolicy<T>> policy,
        string? name = null,
        Action<SharedResourcePoolOptions>? configure = null)
        where T : notnull
    {
        ArgumentNullException.ThrowIfNull(services);
        ArgumentNullException.ThrowIfNull(policy);
        return PoolServices.Add(
            services,
            name,
            MethodName(nameof(AddSharedPool), typeof(T)),
            new SharedPoolKind<T>((provider, options) => new SharedResourcePool<T>(policy(provider), options)),
            configure);
    }

    /// <summary>
    /// Registers a <see cref="NestedResourcePool{TParent, TChild}"/>: children, such as channels, on a few parents, such as
    /// connections.
    /// </summary>
    /// <typeparam name="TParent">The type of the parents.</typeparam>
    /// <typeparam name="TChild">The type of the children, which are rented.</typeparam>
    /// <param name="services">The service collection.</param>
    /// <param name="parents">Creates the policy of the parents, once.</param>
    /// <param name="children">Creates the policy of the children, once.</param>
    /// <param name="name">The name, or null for the default pool of <typeparamref name="TChild"/>.</param>
    /// <param name="configure">Sets options; null to set them later or in configuration.</param>
    /// <returns>A builder for further configuration.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="services"/>, <paramref name="parents"/> or
    /// <paramref name="children"/> is null.</exception>
    /// <exception cref="ArgumentException">The name is blank or contains a colon.</exception>
    /// <exception cref="InvalidOperationException">There is a pool of that name.</exception>
    public static PoolBuilder<NestedResourcePoolOptions> AddNestedPool<TParent, TChild>(
        this IServiceCollection services,
        Func<IServiceProvider, ResourcePolicy<TParent>> parents,
        Func<IServiceProvider, NestedPolicy<TParent, TChild>> children,
        string? name = null,
        Action<NestedResourcePoolOptions>? configure = null)
        where TParent : notnull
        where TChild : notnull
    {
        ArgumentNullException.ThrowIfNull(services);
        ArgumentNullException.ThrowIfNull(parents);
        ArgumentNullException.ThrowIfNull(children);
        return PoolServices.Add(
            services,
            name,
            MethodName(nameof(AddNestedPool), typeof(TParent), typeof(TChild)),
            new NestedPoolKind<TParent, TChild>(
                (provider, options) => new NestedResourcePool<TParent, TChild>(parents(provider), children(provider), options)),
            configure);
    }

    /// <summary>Registers a <see cref="WorkerPool{TState}"/> whose states are created by a delegate.</summary>
    /// <typeparam name="TState">The type of the state that each thread has.</typeparam>
    /// <param name="services">The service collection.</param>
    /// <param name="create">Creates a state, on the thread that will own it.</param>
    /// <param name="name">The name, or null for the default pool of <typeparamref name="TState"/>.</param>
    /// <param name="configure">Sets options; null to set them later or in configuration.</param>
    /// <returns>A builder for further configuration.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="services"/> or <paramref name="create"/> is null.</exception>
    /// <exception cref="ArgumentException">The name is blank or contains a colon.</exception>
    /// <exception cref="InvalidOperationException">There is a pool of that name.</exception>
    public static PoolBuilder<WorkerPoolOptions> AddWorkerPool<TState>(
        this IServiceCollection services,
        Func<IServiceProvider, TState> create,
        string? name = null,
        Action<WorkerPoolOptions>? configure = null)
        where TState : notnull
    {
        ArgumentNullException.ThrowIfNull(services);
        ArgumentNullException.ThrowIfNull(create);
        return PoolServices.Add(
            services,
            name,
            MethodName(nameof(AddWorkerPool), typeof(TState)),
            new WorkerPoolKind<TState>((provider, options) => WorkerPool.Create(() => create(provider), options)),
            configure);
    }

    /// <summary>Registers a <see cref="WorkerPool{TState}"/> with a policy whose dependencies come from the container.</summary>
    /// <typeparam name="TState">The type of the state that each thread has.</typeparam>
    /// <typeparam name="TPolicy">The type of the policy. The container creates one for this pool and disposes of it after the
    /// pool.</typeparam>
    /// <param name="services">The service collection.</param>
    /// <param name="name">The name, or null for the default pool of <typeparamref name="TState"/>.</param>
    /// <param name="configure">Sets options; null to set them later or in configuration.</param>
    /// <returns>A builder for further configuration.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="services"/> is null.</exception>
    /// <exception cref="ArgumentException">The name is blank or contains a colon.</exception>
    /// <exception cref="InvalidOperationException">There is a pool of that name.</exception>
    public static PoolBuilder<WorkerPoolOptions> AddWorkerPool<
        TState, [DynamicallyAccessedMembers(DynamicallyAccessedMemberTypes.PublicConstructors)] TPolicy>(
        this IServiceCollection services,
        string? name = null,
        Action<WorkerPoolOptions>? configure = null)
        where TState : notnull
        where TPolicy : WorkerPolicy<TState>
    {
        ArgumentNullException.ThrowIfNull(services);
        var key = name ?? PoolNames.For(typeof(TState));
        var builder = PoolServices.Add(
            services,
            name,
            MethodName(nameof(AddWorkerPool), typeof(TState), typeof(TPolicy)),
            new WorkerPoolKind<TState>(
                (provider, options) => new WorkerPool<TState>(provider.GetRequiredKeyedService<TPolicy>(key), options)),
            configure);
        services.TryAddKeyedSingleton<TPolicy>(key);
        return builder;
    }

    private static string MethodName(string method, params Type[] types) =>
        $"{method}<{string.Join(", ", types.Select(PoolNames.For))}>";
}
