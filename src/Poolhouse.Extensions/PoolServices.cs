using System.Diagnostics.CodeAnalysis;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.DependencyInjection.Extensions;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Options;
using Poolhouse.Extensions.Hosting;
using Poolhouse.Extensions.Registration;

namespace Poolhouse.Extensions;

/// <summary>Adds pools of any kind to a service collection. For authors of pools.</summary>
public static class PoolServices
{
    /// <summary>
    /// Registers a pool as a singleton: under its name as the service key, and without a key if it is unnamed. The host creates
    /// it before its services start.
    /// </summary>
    /// <typeparam name="TPool">The type of the pool.</typeparam>
    /// <typeparam name="TOptions">The type of its options, which are named options with the name of the pool.</typeparam>
    /// <param name="services">The service collection.</param>
    /// <param name="name">The name; null for the default pool of its type.</param>
    /// <param name="method">The public method that the app called, for messages: "AddResourcePool&lt;Connection&gt;".</param>
    /// <param name="kind">The kind of pool.</param>
    /// <param name="configure">The app's settings in code; null for none.</param>
    /// <returns>A builder for further configuration.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="services"/> or <paramref name="kind"/> is null.</exception>
    /// <exception cref="ArgumentException">The name is blank or contains a colon.</exception>
    /// <exception cref="InvalidOperationException">There is a pool of that name.</exception>
    public static PoolBuilder<TOptions> Add<TPool, [DynamicallyAccessedMembers(
        DynamicallyAccessedMemberTypes.PublicParameterlessConstructor)] TOptions>(
        IServiceCollection services,
        string? name,
        string method,
        PoolKind<TPool, TOptions> kind,
        Action<TOptions>? configure)
        where TPool : class, IPool
        where TOptions : class
    {
        ArgumentNullException.ThrowIfNull(services);
        ArgumentNullException.ThrowIfNull(kind);
        ThrowIfInvalid(name);
        var key = name ?? PoolNames.For(kind.ItemType);
        var registration = new TypedPoolRegistration<TPool, TOptions>(key, name is not null, method, kind);
        ThrowIfTaken(services, registration);
        AddCommon(services);
        services.AddSingleton<PoolRegistration>(registration);
        services.AddKeyedSingleton<PoolHandle>(key, (provider, _) => registration.CreateHandle(provider));
        services.AddKeyedSingleton(key, (provider, _) => (TPool)registration.Resolve(provider).Pool);
        if (name is null)
        {
            services.AddSingleton(provider => (TPool)registration.Resolve(provider).Pool);
        }

        // First, because the app may have set options before it registered the pool.
        services.Insert(
            0,
            ServiceDescriptor.Singleton<IConfigureOptions<TOptions>>(new ConfigureNamedOptions<TOptions>(key, kind.Initialize)));
        if (configure is not null)
        {
            services.Configure(key, configure);
        }

        return new PoolBuilder<TOptions>(services, registration, kind.Settings);
    }

    /// <summary>Registers another type under which a pool can be resolved.</summary>
    internal static void AddAlias<TAlias, TPool>(IServiceCollection services, string? name, string key)
        where TAlias : class
        where TPool : class, TAlias
    {
        services.AddKeyedSingleton<TAlias>(key, (provider, _) => provider.GetRequiredKeyedService<TPool>(key));
        if (name is null)
        {
            services.AddSingleton<TAlias>(provider => provider.GetRequiredKeyedService<TPool>(key));
        }
    }

    private static void AddCommon(IServiceCollection services)
    {
        services.AddOptions();
        services.TryAddSingleton<PoolRegistry>();
        services.TryAddSingleton<IPools>(provider => provider.GetRequiredService<PoolRegistry>());
        services.TryAddEnumerable(ServiceDescriptor.Singleton<IHostedService, PoolLifecycle>());
    }

    private static void ThrowIfInvalid(string? name)
    {
        if (name is not null && (string.IsNullOrWhiteSpace(name) || name.Contains(':', StringComparison.Ordinal)))
        {
            throw new ArgumentException(
                $"The name of a pool is \"{name}\"; allowed: a text without colons that is not blank.", nameof(name));
        }
    }

    private static void ThrowIfTaken(IServiceCollection services, PoolRegistration registration)
    {
        var other = services
            .Select(descriptor => descriptor.IsKeyedService ? null : descriptor.ImplementationInstance)
            .OfType<PoolRegistration>()
            .FirstOrDefault(other => string.Equals(other.Name, registration.Name, StringComparison.OrdinalIgnoreCase));
        if (other is not null)
        {
            throw new InvalidOperationException(
                $"There are two pools named '{registration.Name}': one of {other.Method}, one of {registration.Method}. Give " +
                "one of them another name.");
        }
    }
}
