using System.Data.Common;
using Microsoft.Extensions.DependencyInjection.Extensions;
using Poolhouse;
using Poolhouse.Data;
using Poolhouse.Data.Extensions;
using Poolhouse.Extensions;

namespace Microsoft.Extensions.DependencyInjection;

/// <summary>Extension methods that register pools of database connections in a service collection.</summary>
/// <remarks>
/// Every pool is a singleton that the container owns and disposes of. Its name is at the same time the service key, the name of
/// its options and its name in metrics, logs and health checks.
/// </remarks>
public static class PoolhouseDataServiceCollectionExtensions
{
    /// <summary>
    /// Registers a <see cref="PooledDataSource"/>: a <see cref="DbDataSource"/> over any ADO.NET provider. It can also be
    /// resolved as <see cref="DbDataSource"/>, and a <see cref="DbConnection"/> from it as a transient service.
    /// </summary>
    /// <param name="services">The service collection.</param>
    /// <param name="factory">The factory of the provider.</param>
    /// <param name="connectionString">The connection string of the provider.</param>
    /// <param name="name">The name, or null for the default data source, which is resolved without a key.</param>
    /// <param name="configure">Sets options; null to set them later or in configuration.</param>
    /// <returns>A builder for further configuration.</returns>
    /// <exception cref="ArgumentNullException">
    /// <paramref name="services"/>, <paramref name="factory"/> or <paramref name="connectionString"/> is null.
    /// </exception>
    /// <exception cref="ArgumentException">The name is blank or contains a colon.</exception>
    /// <exception cref="InvalidOperationException">There is a pool of that name.</exception>
    public static PoolBuilder<DbPoolOptions> AddPooledDataSource(
        this IServiceCollection services,
        DbProviderFactory factory,
        string connectionString,
        string? name = null,
        Action<DbPoolOptions>? configure = null)
    {
        connectionString = ConnectionStrings.Require(connectionString);
        return AddPooledDataSource(services, factory, _ => connectionString, name, configure);
    }

    /// <inheritdoc cref="AddPooledDataSource(IServiceCollection, DbProviderFactory, string, string?, Action{DbPoolOptions}?)"/>
    /// <param name="services">The service collection.</param>
    /// <param name="factory">The factory of the provider.</param>
    /// <param name="connectionString">Gets the connection string of the provider, for instance from configuration; called
    /// once.</param>
    /// <param name="name">The name, or null for the default data source, which is resolved without a key.</param>
    /// <param name="configure">Sets options; null to set them later or in configuration.</param>
    public static PoolBuilder<DbPoolOptions> AddPooledDataSource(
        this IServiceCollection services,
        DbProviderFactory factory,
        Func<IServiceProvider, string> connectionString,
        string? name = null,
        Action<DbPoolOptions>? configure = null)
    {
        ArgumentNullException.ThrowIfNull(services);
        ArgumentNullException.ThrowIfNull(factory);
        ArgumentNullException.ThrowIfNull(connectionString);
        var key = name ?? PoolNames.For(typeof(DbConnection));
        var builder = PoolServices.Add(
            services,
            name,
            nameof(AddPooledDataSource),
            new DataSourceKind((provider, options) => PooledDataSource.Create(
                factory, Complete(provider, key, factory, connectionString, options), options)),
            configure);
        services.AddKeyedSingleton<DbDataSource>(key, (provider, _) => provider.GetRequiredKeyedService<PooledDataSource>(key));
        services.AddKeyedTransient<DbConnection>(
            key, (provider, _) => provider.GetRequiredKeyedService<DbDataSource>(key).CreateConnection());
        if (name is null)
        {
            services.AddSingleton<DbDataSource>(provider => provider.GetRequiredKeyedService<PooledDataSource>(key));
            services.AddTransient<DbConnection>(provider => provider.GetRequiredService<DbDataSource>().CreateConnection());
        }

        return builder;
    }

    /// <summary>Registers a <see cref="DbConnectionPool{TConnection}"/>, which leases the provider's own connections.</summary>
    /// <typeparam name="TConnection">The provider's type of connection.</typeparam>
    /// <param name="services">The service collection.</param>
    /// <param name="factory">The factory of the provider.</param>
    /// <param name="connectionString">The connection string of the provider.</param>
    /// <param name="name">The name, or null for the default pool of <typeparamref name="TConnection"/>.</param>
    /// <param name="configure">Sets options; null to set them later or in configuration.</param>
    /// <returns>A builder for further configuration.</returns>
    /// <exception cref="ArgumentNullException">
    /// <paramref name="services"/>, <paramref name="factory"/> or <paramref name="connectionString"/> is null.
    /// </exception>
    /// <exception cref="ArgumentException">The name is blank or contains a colon.</exception>
    /// <exception cref="InvalidOperationException">There is a pool of that name.</exception>
    public static PoolBuilder<DbPoolOptions> AddDbConnectionPool<TConnection>(
        this IServiceCollection services,
        DbProviderFactory factory,
        string connectionString,
        string? name = null,
        Action<DbPoolOptions>? configure = null)
        where TConnection : DbConnection
    {
        connectionString = ConnectionStrings.Require(connectionString);
        return AddDbConnectionPool<TConnection>(services, factory, _ => connectionString, name, configure);
    }

    /// <inheritdoc cref="AddDbConnectionPool{TConnection}(IServiceCollection, DbProviderFactory, string, string?, Action{DbPoolOptions}?)"/>
    /// <param name="services">The service collection.</param>
    /// <param name="factory">The factory of the provider.</param>
    /// <param name="connectionString">Gets the connection string of the provider, for instance from configuration; called
    /// once.</param>
    /// <param name="name">The name, or null for the default pool of <typeparamref name="TConnection"/>.</param>
    /// <param name="configure">Sets options; null to set them later or in configuration.</param>
    public static PoolBuilder<DbPoolOptions> AddDbConnectionPool<TConnection>(
        this IServiceCollection services,
        DbProviderFactory factory,
        Func<IServiceProvider, string> connectionString,
        string? name = null,
        Action<DbPoolOptions>? configure = null)
        where TConnection : DbConnection
    {
        ArgumentNullException.ThrowIfNull(services);
        ArgumentNullException.ThrowIfNull(factory);
        ArgumentNullException.ThrowIfNull(connectionString);
        var key = name ?? PoolNames.For(typeof(TConnection));
        return PoolServices.Add(
            services,
            name,
            $"{nameof(AddDbConnectionPool)}<{PoolNames.For(typeof(TConnection))}>",
            new ConnectionPoolKind<TConnection>(
                (provider, options) => new DbConnectionPool<TConnection>(
                    factory, Complete(provider, key, factory, connectionString, options), options)),
            configure);
    }

    /// <summary>
    /// Makes the pool share the sessions that the server allows with the other instances of the app: see
    /// <see cref="ServerBudget"/>.
    /// </summary>
    /// <param name="builder">The builder of the pool.</param>
    /// <param name="budget">
    /// The name of the budget, the same in all instances: 1 to 32 letters, digits, dots, hyphens or underscores. Pools of the
    /// app with the same name share one budget: those of one server.
    /// </param>
    /// <param name="places">
    /// The limit for the sessions of this user, if the server has none; <c>null</c> for the server's own limits. At least 2.
    /// </param>
    /// <returns>The builder.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="builder"/> or <paramref name="budget"/> is null.</exception>
    /// <remarks>Invalid arguments are reported when the pool is created. A budget in the options takes precedence.</remarks>
    public static PoolBuilder<DbPoolOptions> ShareServer(
        this PoolBuilder<DbPoolOptions> builder, string budget, int? places = null)
    {
        ArgumentNullException.ThrowIfNull(builder);
        ArgumentNullException.ThrowIfNull(budget);
        builder.Services.TryAddSingleton<ServerBudgets>();
        builder.Services.AddKeyedSingleton(builder.Name, new SharedServer(budget, places));
        return builder;
    }

    private static string Complete(
        IServiceProvider services, string pool, DbProviderFactory factory, Func<IServiceProvider, string> connectionString,
        DbPoolOptions options)
    {
        var complete = ConnectionStrings.Require(connectionString(services));
        ServerBudgets.Complete(services, pool, factory, complete, options);
        return complete;
    }
}
