using System.Data.Common;
using Microsoft.EntityFrameworkCore;
using Microsoft.EntityFrameworkCore.Infrastructure;
using Poolhouse.Data;
using Poolhouse.EntityFrameworkCore.Internal;

namespace Poolhouse.EntityFrameworkCore;

/// <summary>Lets contexts of Entity Framework Core take their connections from a pool.</summary>
public static class PoolhouseDbContextOptionsExtensions
{
    /// <summary>Contexts rent a connection of the pool whenever they open theirs, and return it when they close it.</summary>
    /// <typeparam name="TConnection">The provider's connection type.</typeparam>
    /// <param name="options">The options, after a relational provider was chosen (<c>UseNpgsql</c>, <c>UseSqlServer</c>, …).</param>
    /// <param name="pool">The pool; it stays the caller's and must outlive the contexts. It must lead to the database that the provider was told.</param>
    /// <returns>The same options.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="options"/> or <paramref name="pool"/> is null.</exception>
    /// <remarks>
    /// <para>
    /// A context opens for each query and each <c>SaveChanges</c>, and keeps its connection during a transaction and between
    /// <c>OpenConnection</c> and <c>CloseConnection</c>. Disposing a context, or returning it to a pool of contexts, returns its connection.
    /// <c>Database.GetDbConnection()</c> is the rented connection while the context has one open, and the provider's closed one otherwise:
    /// ask for it after opening. The session of a connection that was asked for ends with its lease, because the application may have kept it.
    /// </para>
    /// <para>
    /// What asks whether the database exists, creates it, deletes it or makes its tables uses the connection string of the provider, not the pool.
    /// Rents that fail throw <see cref="DbPoolException"/> or the provider's own exception; a retrying execution strategy gets the former
    /// inside a <see cref="TimeoutException"/>, which the strategies of the providers retry.
    /// </para>
    /// <code>
    /// services.AddDbContext&lt;Orders&gt;(options =&gt; options.UseNpgsql(connectionString).UsePoolhouse(pool));
    /// </code>
    /// </remarks>
    public static DbContextOptionsBuilder UsePoolhouse<TConnection>(this DbContextOptionsBuilder options, DbConnectionPool<TConnection> pool)
        where TConnection : DbConnection
    {
        ArgumentNullException.ThrowIfNull(options);
        ArgumentNullException.ThrowIfNull(pool);
        ((IDbContextOptionsBuilderInfrastructure)options).AddOrUpdateExtension(new PoolOptionsExtension(ConnectionSource.Of(pool)));
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
}
