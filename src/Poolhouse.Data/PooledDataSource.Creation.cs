using System.Data.Common;
using Poolhouse.Data.Opening;

namespace Poolhouse.Data;

public sealed partial class PooledDataSource
{
    /// <summary>Creates a data source for a provider and a connection string.</summary>
    /// <param name="factory">The provider, such as <c>NpgsqlFactory.Instance</c>.</param>
    /// <param name="connectionString">
    /// The provider's connection string. Its pooling keywords, in any provider's spelling, configure this pool and override the
    /// options: Maximum and Minimum Pool Size, Connection Lifetime, Connection Idle Lifetime, Enlist, No Reset On Close. Timeout
    /// is also <see cref="ResourcePoolOptions.RentTimeout"/>, which must not be set to another value. Zero seconds mean no limit.
    /// The provider gets a string without these keywords (but with Timeout), with its own pooling turned off.
    /// </param>
    /// <param name="options">The settings; null for the defaults.</param>
    /// <returns>The data source.</returns>
    /// <exception cref="ArgumentNullException">The factory or the connection string is null.</exception>
    /// <exception cref="ArgumentException">
    /// The connection string cannot be parsed, a keyword or setting is invalid, or Timeout and
    /// <see cref="ResourcePoolOptions.RentTimeout"/> differ. <c>Pooling=false</c> is invalid here: use the provider's own data
    /// source instead, or PooledProviderFactory, which honours it.
    /// </exception>
    public static PooledDataSource Create(DbProviderFactory factory, string connectionString, DbPoolOptions? options = null) =>
        new(ConnectionSourceSettings.Of(factory, connectionString, options));

    /// <summary>Creates a data source over another one, which the caller still owns: dispose it after this one.</summary>
    /// <param name="source">The provider's data source, with its own pooling turned off.</param>
    /// <param name="options">The settings; null for the defaults. <see cref="DbPoolOptions.Credentials"/> must be null.</param>
    /// <returns>The data source.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="source"/> is null.</exception>
    /// <exception cref="ArgumentException">A setting is invalid, or the source pools its connections itself; the message names
    /// every problem.</exception>
    public static PooledDataSource Create(DbDataSource source, DbPoolOptions? options = null) =>
        new(ConnectionSourceSettings.Of(source, options));

    /// <summary>
    /// Creates a data source over those that a delegate builds, one for each connection: with Npgsql, the reset of a session then
    /// costs no round trip. The same as with a <see cref="PerConnectionDataSource"/>.
    /// </summary>
    /// <param name="createSource">
    /// Builds a new data source of the provider on each call, with the provider's pooling turned on and always with the same
    /// settings.
    /// </param>
    /// <param name="options">The settings; null for the defaults. <see cref="DbPoolOptions.Credentials"/> must be null.</param>
    /// <returns>The data source.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="createSource"/> is null.</exception>
    /// <exception cref="ArgumentException">A setting is invalid, or the sources do not pool; the message names every
    /// problem.</exception>
    public static PooledDataSource Create(Func<DbDataSource> createSource, DbPoolOptions? options = null) =>
        Create(new PerConnectionDataSource(createSource), options);

    /// <summary>
    /// Creates a data source over several hosts that hold the same database, such as replicas. The caller still owns the sources.
    /// </summary>
    /// <param name="sources">One data source per host, the most preferred first, each with its own pooling turned off; at least
    /// one, each listed once.</param>
    /// <param name="servers">How hosts are selected, avoided after failures, and preferred again; null for the defaults: in
    /// order, with fail-back.</param>
    /// <param name="options">The settings; null for the defaults. <see cref="DbPoolOptions.Credentials"/> must be null.</param>
    /// <returns>The data source. One pool holds the connections to all hosts.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="sources"/> is null.</exception>
    /// <exception cref="ArgumentException">A setting is invalid, or a source pools its connections itself; the message names
    /// every problem.</exception>
    public static PooledDataSource Create(
        IEnumerable<DbDataSource> sources, ServerSetOptions? servers = null, DbPoolOptions? options = null)
    {
        ArgumentNullException.ThrowIfNull(sources);
        var hosts = sources.ToList();
        var set = new ServerSet<DbDataSource>(hosts, servers) { CheckServers = ConnectionSourceSettings.ThrowIfAnyPools };
        return new PooledDataSource(ConnectionSourceSettings.Of(hosts, set, options));
    }

    /// <summary>
    /// Creates a data source over a set of hosts that several pools share, such as one that requires a primary and one that
    /// prefers standbys (<see cref="DbPoolOptions.RequiredRole"/>): what one learns about a host, the other knows too.
    /// </summary>
    /// <param name="servers">
    /// The hosts: one data source each, with its own pooling turned off. Those that are added later are not checked unless the
    /// set has a callback for that (<see cref="ServerSet{TServer}.CheckServers"/>).
    /// </param>
    /// <param name="options">The settings; null for the defaults. <see cref="DbPoolOptions.Credentials"/> must be null.</param>
    /// <returns>The data source.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="servers"/> is null.</exception>
    /// <exception cref="ArgumentException">A setting is invalid, or a source pools its connections itself; the message names
    /// every problem.</exception>
    public static PooledDataSource Create(ServerSet<DbDataSource> servers, DbPoolOptions? options = null)
    {
        ArgumentNullException.ThrowIfNull(servers);
        var hosts = servers.GetStatistics().Select(each => each.Server).ToList();
        return new PooledDataSource(ConnectionSourceSettings.Of(hosts, servers, options));
    }

    /// <summary>
    /// The hosts of a data source for several hosts; <c>null</c> for a single one, or if the provider chooses the host. The list
    /// can be replaced, and its health read.
    /// </summary>
    public ServerSet<DbDataSource>? Servers => _settings.Servers;
}
