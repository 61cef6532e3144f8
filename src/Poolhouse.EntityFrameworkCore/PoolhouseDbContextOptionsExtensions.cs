using System.Data.Common;
using Microsoft.EntityFrameworkCore;
using Microsoft.EntityFrameworkCore.Infrastructure;
using Poolhouse.Data;
using Poolhouse.EntityFrameworkCore.Internal;

namespace Poolhouse.EntityFrameworkCore;

/// <summary>Extension methods that make contexts of Entity Framework Core use connections from a pool.</summary>
public static class PoolhouseDbContextOptionsExtensions
{
    /// <summary>
    /// Makes contexts rent a connection from the pool whenever they open their connection, and return it when they close it.
    /// </summary>
    /// <typeparam name="TConnection">The provider's connection type.</typeparam>
    /// <param name="options">The options, after a relational provider was chosen (<c>UseNpgsql</c>, <c>UseSqlServer</c>,
    /// …).</param>
    /// <param name="pool">
    /// The pool; the caller still owns it, and it must outlive the contexts. It must connect to the database that the provider
    /// was configured for.
    /// </param>
    /// <returns>The same options.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="options"/> or <paramref name="pool"/> is null.</exception>
    /// <remarks>
    /// <para>
    /// A context opens its connection for each query and each <c>SaveChanges</c>, and keeps its connection during a transaction
    /// and between <c>OpenConnection</c> and <c>CloseConnection</c>. Disposing a context, or returning it to a pool of contexts,
    /// returns its connection. <c>Database.GetDbConnection()</c> is the rented connection while the context has one open, and the
    /// provider's closed one otherwise: call it after opening. The session of a connection obtained in this way, or with
    /// <c>GetDbTransaction()</c>, ends with its lease, because the application may have kept it.
    /// </para>
    /// <para>
    /// Operations that check whether the database exists, create it, delete it or create its tables use the provider's connection
    /// string, not the pool.
    /// A failed rent throws <see cref="DbPoolException"/> or the provider's own exception; a retrying execution strategy gets the
    /// former inside a <see cref="TimeoutException"/>, which the strategies of the providers retry.
    /// </para>
    /// <code>
    /// services.AddDbContext&lt;Orders&gt;(options =&gt; options.UseNpgsql(connectionString).UsePoolhouse(pool));
    /// </code>
    /// </remarks>
    public static DbContextOptionsBuilder UsePoolhouse<TConnection>(
        this DbContextOptionsBuilder options, DbConnectionPool<TConnection> pool)
        where TConnection : DbConnection
    {
        ArgumentNullException.ThrowIfNull(options);
        ArgumentNullException.ThrowIfNull(pool);
        ((IDbContextOptionsBuilderInfrastructure)options).AddOrUpdateExtension(
            new PoolOptionsExtension(ConnectionSource.Of(pool)));
        return options;
    }

    /// <inheritdoc cref="UsePoolhouse{TConnection}(DbContextOptionsBuilder, DbConnectionPool{TConnection})"/>
    /// <typeparam name="TContext">The type of the contexts.</typeparam>
    /// <typeparam name="TConnection">The provider's connection type.</typeparam>
    public static DbContextOptionsBuilder<TContext> UsePoolhouse<TContext, TConnection>(
        this DbContextOptionsBuilder<TContext> options,
        DbConnectionPool<TConnection> pool)
        where TContext : DbContext
        where TConnection : DbConnection
    {
        UsePoolhouse((DbContextOptionsBuilder)options, pool);
        return options;
    }

    /// <summary>
    /// Makes contexts rent their connections, like
    /// <see cref="UsePoolhouse{TConnection}(DbContextOptionsBuilder, DbConnectionPool{TConnection})"/>, from a pool that is
    /// registered in the application's container.
    /// </summary>
    /// <typeparam name="TConnection">The provider's connection type.</typeparam>
    /// <param name="options">The options, after a relational provider was chosen (<c>UseNpgsql</c>, <c>UseSqlServer</c>,
    /// …).</param>
    /// <param name="services">The service provider of the application, as <c>AddDbContext</c> and <c>AddDbContextPool</c> pass
    /// it.</param>
    /// <param name="name">
    /// The name under which the pool was registered. If null, the pool without a name is used, or the only named one if there is
    /// none without.
    /// </param>
    /// <returns>The same options.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="options"/> or <paramref name="services"/> is null.</exception>
    /// <exception cref="InvalidOperationException">There is no such pool, or the name is missing and several pools have
    /// one.</exception>
    /// <remarks>
    /// The pool is found as a service of the type <see cref="DbConnectionPool{TConnection}"/>, whose key is its name.
    /// <c>AddDbConnectionPool</c> of Poolhouse.Data.Extensions registers it in this way.
    /// <code>
    /// services.AddDbConnectionPool&lt;NpgsqlConnection&gt;(NpgsqlFactory.Instance, connectionString, "orders");
    /// services.AddDbContextPool&lt;Orders&gt;((provider, options) =&gt;
    /// options.UseNpgsql(connectionString).UsePoolhouse&lt;NpgsqlConnection&gt;(provider, "orders"));
    /// </code>
    /// </remarks>
    public static DbContextOptionsBuilder UsePoolhouse<TConnection>(
        this DbContextOptionsBuilder options,
        IServiceProvider services,
        string? name = null)
        where TConnection : DbConnection
    {
        ArgumentNullException.ThrowIfNull(options);
        ArgumentNullException.ThrowIfNull(services);
        return UsePoolhouse(options, RegisteredPools<TConnection>.Find(services, name));
    }
}
