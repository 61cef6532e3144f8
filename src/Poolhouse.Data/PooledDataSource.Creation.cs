using System.Data.Common;
using Poolhouse.Internal;
using Poolhouse.Resources;

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
    public static PooledDataSource Create(DbProviderFactory factory, string connectionString, DbPoolOptions? options = null)
    {
        ArgumentNullException.ThrowIfNull(factory);
        ArgumentNullException.ThrowIfNull(connectionString);
        var keywords = PoolKeywords.Of(connectionString);
        if (keywords.OptsOut)
        {
            throw new ArgumentException(
                "The connection string has Pooling=false; allowed: true or no such keyword. Use the provider's own data source, or PooledProviderFactory, which opens without a pool then.",
                nameof(connectionString));
        }

        return Create(factory, keywords, options);
    }

    /// <summary>A data source over another one, which stays the caller's: dispose it after this one.</summary>
    /// <param name="source">The provider's data source, with its own pooling turned off.</param>
    /// <param name="options">The settings; null for the defaults. <see cref="DbPoolOptions.Credentials"/> must be null.</param>
    /// <returns>The data source.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="source"/> is null.</exception>
    /// <exception cref="ArgumentException">A setting is invalid, or the source pools its connections by itself; the message names each.</exception>
    public static PooledDataSource Create(DbDataSource source, DbPoolOptions? options = null)
    {
        ArgumentNullException.ThrowIfNull(source);
        var frozen = FreezeFor(source, options, nameof(source));
        return new PooledDataSource(new SourceOpener(source, owns: false), source, frozen);
    }

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
        var set = new ServerSet<DbDataSource>(hosts, servers);
        DbPoolOptions? frozen = null;
        foreach (var host in hosts)
        {
            frozen = FreezeFor(host, options, nameof(sources));
        }

        return new PooledDataSource(new ServerSetOpener(set, frozen!.Pool.Name!), hosts[0], frozen) { Servers = set };
    }

    /// <summary>The hosts of a data source for several; <c>null</c> for one. Their list can be replaced, their health read.</summary>
    public ServerSet<DbDataSource>? Servers { get; private init; }

    internal static PooledDataSource Create(DbProviderFactory factory, PoolKeywords keywords, DbPoolOptions? options)
    {
        var frozen = (options ?? new DbPoolOptions()).Freeze();
        keywords.Apply(frozen);
        frozen = frozen.Freeze();
        var builder = ProviderStrings.For(factory, keywords.ProviderString);
        var inner = factory.CreateDataSource(builder.ConnectionString);
        frozen.Pool.Name ??= NameFor(inner);
        if (frozen.Credentials is not { } ask)
        {
            return new PooledDataSource(new SourceOpener(inner, owns: true), inner, frozen);
        }

        var opener = new CredentialOpener(ask, credential => factory.CreateDataSource(ProviderStrings.With(factory, builder.ConnectionString, credential)), inner);
        var source = new PooledDataSource(opener, inner, frozen);
        opener.OnRotated = () => source._pool.Clear(frozen.CredentialSpread);
        return source;
    }

    private static DbPoolOptions FreezeFor(DbDataSource source, DbPoolOptions? options, string parameter)
    {
        var frozen = (options ?? new DbPoolOptions()).Freeze();
        if (frozen.Credentials is not null)
        {
            throw new ArgumentException(
                "Credentials is set; allowed: null for a pool over data sources, which have their own way to get credentials. Give a factory and a connection string instead.",
                nameof(options));
        }

        if (ProviderStrings.Pools(source))
        {
            throw new ArgumentException(
                "The data source pools its connections by itself, so that two pools would hold each of them. Build it with Pooling=false.", parameter);
        }

        frozen.Pool.Name ??= NameFor(source);
        return frozen;
    }

    private static string NameFor(DbDataSource source)
    {
        using var sample = source.CreateConnection();
        return PoolNames.For(sample.GetType());
    }
}
