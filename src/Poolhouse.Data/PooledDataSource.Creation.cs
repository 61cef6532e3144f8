using System.Data.Common;
using Poolhouse.Data.Opening;

namespace Poolhouse.Data;

public sealed partial class PooledDataSource
{
    /// <summary>A data source for a provider and a connection string.</summary>
    /// <param name="factory">The provider, such as <c>NpgsqlFactory.Instance</c>.</param>
    /// <param name="connectionString">
    /// The provider's connection string. What it says about pooling configures this pool, in any provider's spelling, and goes before the options:
    /// Maximum and Minimum Pool Size, Connection Lifetime, Connection Idle Lifetime, Timeout, Enlist, No Reset On Close; zero seconds mean no limit.
    /// The provider gets a string without these (but with Timeout), and its own pooling turned off.
    /// </param>
    /// <param name="options">The settings; null for the defaults.</param>
    /// <returns>The data source.</returns>
    /// <exception cref="ArgumentNullException">The factory or the connection string is null.</exception>
    /// <exception cref="ArgumentException">
    /// The connection string cannot be read, or a keyword or setting is invalid. <c>Pooling=false</c> is invalid here: use the provider's own data
    /// source then, or PooledProviderFactory, which honours it.
    /// </exception>
    public static PooledDataSource Create(DbProviderFactory factory, string connectionString, DbPoolOptions? options = null) =>
        new(ConnectionSourceSettings.Of(factory, connectionString, options));

    /// <summary>A data source over another one, which stays the caller's: dispose it after this one.</summary>
    /// <param name="source">The provider's data source, with its own pooling turned off.</param>
    /// <param name="options">The settings; null for the defaults. <see cref="DbPoolOptions.Credentials"/> must be null.</param>
    /// <returns>The data source.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="source"/> is null.</exception>
    /// <exception cref="ArgumentException">A setting is invalid, or the source pools its connections by itself; the message names each.</exception>
    public static PooledDataSource Create(DbDataSource source, DbPoolOptions? options = null) => new(ConnectionSourceSettings.Of(source, options));

    /// <summary>A data source over several hosts that hold the same database, such as the replicas of one. They stay the caller's.</summary>
    /// <param name="sources">One data source a host, the most preferred first, each with its own pooling turned off; at least one, each once.</param>
    /// <param name="servers">How hosts are chosen, avoided after failures, and returned to; null for the defaults: in order, failing back.</param>
    /// <param name="options">The settings; null for the defaults. <see cref="DbPoolOptions.Credentials"/> must be null.</param>
    /// <returns>The data source. One pool holds the connections to all hosts.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="sources"/> is null.</exception>
    /// <exception cref="ArgumentException">A setting is invalid, or a source pools its connections by itself; the message names each.</exception>
    public static PooledDataSource Create(IEnumerable<DbDataSource> sources, ServerSetOptions? servers = null, DbPoolOptions? options = null)
    {
        ArgumentNullException.ThrowIfNull(sources);
        var hosts = sources.ToList();
        var set = new ServerSet<DbDataSource>(hosts, servers) { Check = ConnectionSourceSettings.ThrowIfAnyPools };
        return new PooledDataSource(ConnectionSourceSettings.Of(hosts, set, options)) { Servers = set };
    }

    /// <summary>The hosts of a data source for several; <c>null</c> for one. Their list can be replaced, their health read.</summary>
    public ServerSet<DbDataSource>? Servers { get; private init; }
}
