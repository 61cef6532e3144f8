using System.Data.Common;

namespace Poolhouse.Data;

/// <summary>Creates pools of a provider's own connections from a delegate.</summary>
public static class DbConnectionPool
{
    /// <summary>Creates a pool whose connections are created by a delegate.</summary>
    /// <typeparam name="TConnection">The provider's connection type.</typeparam>
    /// <param name="create">Creates a new, closed connection of the provider on each call; the pool opens and disposes
    /// it.</param>
    /// <param name="options">The settings; null for the defaults. <see cref="DbPoolOptions.Credentials"/> must be null.</param>
    /// <returns>The pool.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="create"/> is null.</exception>
    /// <exception cref="ArgumentException">A setting is invalid; the message names every invalid setting.</exception>
    public static DbConnectionPool<TConnection> Create<TConnection>(Func<TConnection> create, DbPoolOptions? options = null)
        where TConnection : DbConnection
    {
        ArgumentNullException.ThrowIfNull(create);
        return new DbConnectionPool<TConnection>(create, options);
    }
}
