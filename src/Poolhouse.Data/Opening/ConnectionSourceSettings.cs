using System.Data.Common;
using Poolhouse.Data.Providers;
using Poolhouse.Data.Providers.Resets;

namespace Poolhouse.Data.Opening;

/// <summary>
/// The source of a pool's connections and the corresponding settings, checked and completed. Used by all kinds of pools.
/// </summary>
/// <param name="Opener">Opens them.</param>
/// <param name="Sample">A data source of the provider, for information that needs no open connection.</param>
/// <param name="Options">The settings, frozen, with a name.</param>
internal sealed record ConnectionSourceSettings(IConnectionOpener Opener, DbDataSource Sample, DbPoolOptions Options)
{
    /// <summary>Whether the connections are pooled at all.</summary>
    public bool IsPooled { get; private init; } = true;

    /// <summary>The settings as the caller gave them, which changes are compared with.</summary>
    public required DbPoolOptions Given { get; init; }

    /// <summary>The keywords of the connection string, which override the options; null without one.</summary>
    public PoolKeywords? Keywords { get; private init; }

    /// <summary>The hosts; null if there is only one, or the provider chooses.</summary>
    public ServerSet<DbDataSource>? Servers { get; private init; }

    /// <summary>Whether there is nothing to open yet.</summary>
    public bool IsUnset { get; private init; }

    /// <param name="factory">The provider.</param>
    /// <param name="connectionString">Its connection string, with keywords of the pool.</param>
    /// <param name="options">The settings; null for the defaults.</param>
    /// <param name="leasesProviders">
    /// Whether callers get the provider's own connections, which join transactions themselves, and not wrappers.
    /// </param>
    public static ConnectionSourceSettings Of(
        DbProviderFactory factory, string connectionString, DbPoolOptions? options, bool leasesProviders = false)
    {
        ArgumentNullException.ThrowIfNull(factory);
        ArgumentNullException.ThrowIfNull(connectionString);
        var keywords = PoolKeywords.Of(connectionString, options?.Profile ?? DbProviderProfile.Of(factory));
        return keywords.OptsOut
            ? throw new ArgumentException(
                "The connection string disables pooling. Use the provider's data source, or PooledProviderFactory, which then " +
                "opens connections without a pool.",
                nameof(connectionString))
            : Of(factory, keywords, options, leasesProviders);
    }

    public static ConnectionSourceSettings Of(
        DbProviderFactory factory, PoolKeywords keywords, DbPoolOptions? options, bool leasesProviders = false)
    {
        var given = (options ?? new DbPoolOptions()).Freeze();
        var profile = given.Profile ?? DbProviderProfile.Of(factory);
        var applied = given.Copy();
        keywords.ThrowIfMultiplexing("connectionString");
        keywords.Apply(applied);
        var frozen = applied.Freeze();
        var connectionString = ProviderStrings.WithoutPool(
            factory, profile, keywords.ProviderString, enlist: leasesProviders && frozen.Enlist);
        if (frozen.Pool.Budget is ServerBudget budget)
        {
            connectionString = ProviderStrings.WithName(factory, connectionString, budget);
        }

        var sample = CreateSource(factory, connectionString, isEmpty: string.IsNullOrWhiteSpace(keywords.ProviderString));
        Complete(frozen, sample, profile);
        var hosts = keywords.OptsOut ? null : profile.SplitHosts(factory, connectionString);
        var hasPoolPerHost = hosts is null && profile.HasPoolPerHost(connectionString);
        if (keywords.OptsOut)
        {
            // These connections are not reused: there is nothing to reset, and no provider pool is needed.
            TurnOff(frozen.Pool);
            frozen.Reset = SessionReset.None;
        }
        else if (frozen.Reset is null && profile.ResetsAlong && !hasPoolPerHost)
        {
            frozen.Reset = profile.ResetOfOwnPool;
        }

        ThrowIfNoOwnPools(profile, sample, hasPoolPerHost, frozen);
        if (HasOwnPools(profile, frozen) && profile.DetectsLossAtOpen && frozen.Initialize is null)
        {
            frozen.CheckOftener();
        }

        var (opener, servers) = OpenerOf(factory, profile, connectionString, hosts, sample, frozen);
        return new ConnectionSourceSettings(opener, sample, frozen)
        {
            Given = given,
            Keywords = keywords,
            IsPooled = !keywords.OptsOut,
            Servers = servers,
        };
    }

    private static void ThrowIfNoOwnPools(
        DbProviderProfile profile, DbDataSource sample, bool hasPoolPerHost, DbPoolOptions options)
    {
        if (options.Reset is not ProviderReset)
        {
            return;
        }

        if (hasPoolPerHost)
        {
            throw new ArgumentException(
                "Reset is SessionReset.Provider; allowed: any other for a connection string with several hosts between which " +
                "only the provider can choose, because it pools the connections of each host separately.", nameof(options));
        }

        if (!profile.ResetsAlong && profile.SharesPool(sample))
        {
            throw new ArgumentException(
                "Reset is SessionReset.Provider; allowed: any other for this provider, because its data sources share one pool " +
                "of connections.", nameof(options));
        }
    }

    // With the most recently used connection first, one host would get all the calls, however evenly the connections are
    // spread.
    private static void Balance(DbPoolOptions options, ServerSelection selection)
    {
        if (selection != ServerSelection.Ordered)
        {
            options.Pool.IdleOrder = IdleOrder.Fifo;
        }
    }

    private static (IConnectionOpener Opener, ServerSet<DbDataSource>? Servers) OpenerOf(
        DbProviderFactory factory, DbProviderProfile profile, string connectionString, HostList? hosts, DbDataSource sample,
        DbPoolOptions options)
    {
        ServerSet<DbDataSource>? servers = null;
        IHostOpener opener;
        var hasOwnPools = HasOwnPools(profile, options);
        List<(DbDataSource Source, string String)> each;
        if (hosts is null)
        {
            var source = hasOwnPools && options.Credentials is null ? Create(connectionString, sample) : sample;
            each = [(source, connectionString)];
            opener = new SourceOpener(source, owns: true);
        }
        else
        {
            if (hosts.Role != RequiredRole.Any)
            {
                options.RequiredRole = hosts.Role;
                options.Profile ??= hosts.Profile;
            }

            Balance(options, hosts.Options.Selection);
            each = [.. hosts.Strings.Select(host => (Create(host, unopened: null), host))];
            servers = new ServerSet<DbDataSource>(each.Select(host => host.Source), hosts.Options);
            opener = new ServerSetOpener(servers, options, [.. each.Select(host => host.Source), sample]);
        }

        return (options.Credentials is null ? opener : new CredentialOpener(options, opener, SourcesFor), servers);

        DbDataSource Create(string of, DbDataSource? unopened, Action<DbConnection>? configure = null) => hasOwnPools
            ? new PerConnectionDataSource(profile.SourcesOfOne(factory, of, configure), unopened)
            : DelegatingSource.Of(factory.CreateDataSource(of), configure);

        Dictionary<DbDataSource, DbDataSource> SourcesFor(DbCredential credential) => each.ToDictionary(
            host => host.Source,
            host => Create(
                ProviderStrings.With(factory, profile, host.String, credential), unopened: null, credential.Configure));
    }

    private static bool HasOwnPools(DbProviderProfile profile, DbPoolOptions options) =>
        options.Reset is { WantsOwnPool: true } reset && (profile.ResetsAlong || reset is ProviderReset);

    /// <summary>For connections without a connection string: they know their provider but cannot be opened.</summary>
    public static ConnectionSourceSettings Unset(DbProviderFactory factory, DbPoolOptions options)
    {
        var frozen = options.Freeze();
        frozen.Pool.MinIdle = 0;
        var sample = new DelegatingSource(() => factory.CreateConnection() ?? throw new NotSupportedException(
            $"{factory.GetType()} creates no connections. Use the factory of a provider."));
        Complete(frozen, sample, options.Profile ?? DbProviderProfile.Of(factory));
        return new ConnectionSourceSettings(new SourceOpener(sample, owns: true), sample, frozen)
        {
            Given = options,
            IsPooled = false,
            IsUnset = true,
        };
    }

    public static ConnectionSourceSettings Of(DbDataSource source, DbPoolOptions? options)
    {
        ArgumentNullException.ThrowIfNull(source);
        var frozen = FreezeFor(source, options, nameof(source));
        return new ConnectionSourceSettings(new SourceOpener(source, owns: false), source, frozen)
        {
            Given = FreezeWithoutString(options, isPerConnection: true),
        };
    }

    public static ConnectionSourceSettings Of(
        IReadOnlyList<DbDataSource> sources, ServerSet<DbDataSource> servers, DbPoolOptions? options)
    {
        var each = sources.Select(source => FreezeFor(source, options, nameof(sources))).ToList();
        var frozen = each[^1];
        Balance(frozen, servers.Selection);
        frozen.MetricName = each.TrueForAll(one => one.MetricName is not null)
            ? string.Join(',', each.Select(one => one.MetricName).Distinct(StringComparer.Ordinal))
            : null;
        return new ConnectionSourceSettings(new ServerSetOpener(servers, frozen, owned: []), sources[0], frozen)
        {
            Servers = servers,
            Given = FreezeWithoutString(options, isPerConnection: true),
        };
    }

    /// <summary>
    /// Checks and completes settings that replace the current ones, in the same way as at the creation of the pool.
    /// </summary>
    public DbPoolOptions Change(DbPoolOptions options)
    {
        var changed = Change(options, Given, Options, Keywords);
        if (!IsPooled)
        {
            TurnOff(changed.Pool);
        }

        return changed;
    }

    /// <summary>Does the same for a pool whose connections a delegate creates.</summary>
    public static DbPoolOptions Change(
        DbPoolOptions options, DbPoolOptions given, DbPoolOptions current, PoolKeywords? keywords = null)
    {
        ArgumentNullException.ThrowIfNull(options);
        var changed = options.FreezeChange(given);
        keywords?.Apply(changed);
        changed = changed.Freeze();
        changed.Pool.Name = current.Pool.Name;
        changed.Pool.Reporter = current.Pool.Reporter;
        changed.Pool.IdleOrder = current.Pool.IdleOrder;
        (changed.Reset, changed.Errors) = (current.Reset, current.Errors);
        (changed.RequiredRole, changed.Profile) = (current.RequiredRole, current.Profile);
        changed.MetricName = current.MetricName;
        if (current.QueryAfterIdle is not null)
        {
            changed.CheckOftener();
        }

        return changed;
    }

    /// <summary>Rejects hosts whose data sources pool their connections.</summary>
    public static void ThrowIfAnyPools(IReadOnlyList<DbDataSource> servers)
    {
        foreach (var server in servers)
        {
            ThrowIfPools(server, nameof(servers));
        }
    }

    /// <summary>Settings for connections that are not opened from a factory and a connection string.</summary>
    /// <param name="options">The settings; null for the defaults.</param>
    /// <param name="isPerConnection">Whether each connection has a data source of its own.</param>
    public static DbPoolOptions FreezeWithoutString(DbPoolOptions? options, bool isPerConnection = false)
    {
        var frozen = (options ?? new DbPoolOptions()).Freeze();
        if (frozen.Credentials is not null)
        {
            throw new ArgumentException(
                "Credentials is set; allowed: null for a pool over data sources or a delegate. It requires a connection " +
                "string: specify a factory and a connection string instead.",
                nameof(options));
        }

        if (frozen.Reset is ProviderReset && !isPerConnection)
        {
            throw new ArgumentException(
                "Reset is SessionReset.Provider; allowed: any other for a pool over data sources or a delegate. It requires a " +
                "connection string, or a PerConnectionDataSource: specify one of them instead.",
                nameof(options));
        }

        return frozen;
    }

    private static DbDataSource CreateSource(DbProviderFactory factory, string connectionString, bool isEmpty)
    {
        try
        {
            return factory.CreateDataSource(connectionString);
        }
        catch (Exception refusal) when (isEmpty && refusal is ArgumentException or InvalidOperationException)
        {
            // The provider names its own parameter at best.
            throw new ArgumentException(
                "The connection string specifies no server. Add the keywords that the provider requires to connect.",
                nameof(connectionString), refusal);
        }
    }

    private static DbPoolOptions FreezeFor(DbDataSource source, DbPoolOptions? options, string parameter)
    {
        var profile = options?.Profile ?? DbProviderProfile.Of(source);
        var isPerConnection = source is PerConnectionDataSource;
        var frozen = FreezeWithoutString(options, isPerConnection);
        ThrowIfPools(source, parameter);
        Complete(frozen, source, profile);
        if (isPerConnection && profile.ResetsAlong)
        {
            frozen.Reset ??= profile.ResetOfOwnPool;
        }

        return frozen;
    }

    private static void ThrowIfPools(DbDataSource? source, string parameter)
    {
        // The set rejects a list that contains null.
        if (source is null)
        {
            return;
        }

        PoolKeywords.Of(source.ConnectionString, DbProviderProfile.Of(source)).ThrowIfMultiplexing(parameter);
        if (source is PerConnectionDataSource separate)
        {
            if (DbProviderProfile.Of(source).SharesPool(separate.Sample))
            {
                throw new ArgumentException(
                    "The data sources of a PerConnectionDataSource share one pool of connections; allowed: those of providers " +
                    "where each data source has a pool of its own. Specify a factory and a connection string instead.",
                    parameter);
            }

            if (!ProviderStrings.Pools(source) || DbProviderProfile.Of(source).HasPoolPerHost(source.ConnectionString))
            {
                throw new ArgumentException(
                    "The data sources of a PerConnectionDataSource do not pool their connections; allowed: sources with the " +
                    "provider's pooling turned on and one host, which reset each session when it is closed and opened again.",
                    parameter);
            }
        }
        else if (ProviderStrings.Pools(source))
        {
            throw new ArgumentException(
                "The data source already pools its connections, and a connection must not be in two pools. Build it with " +
                "Pooling=false.", parameter);
        }
    }

    /// <summary>
    /// Settings for operation without pooling: every caller gets a new connection at once, and an exception at once if that
    /// fails.
    /// </summary>
    private static void TurnOff(ResourcePoolOptions pool)
    {
        pool.MaxSize = PoolKeywords.LargestMaxSize;
        pool.MaxConcurrentCreates = PoolKeywords.LargestMaxSize;
        pool.MinIdle = 0;
        pool.MaxWaiters = int.MaxValue;
        pool.Overload = null;
        pool.SlowStart = false;
        pool.RetryDelay = TimeSpan.FromMilliseconds(1);
        pool.MaxRetryDelay = TimeSpan.FromMilliseconds(1);
    }

    /// <summary>Completes settings by what is known about the provider.</summary>
    private static void Complete(DbPoolOptions options, DbDataSource source, DbProviderProfile profile)
    {
        UseErrorsOf(options, profile);
        using var sample = source.CreateConnection();
        if (options.Pool.Name is null)
        {
            options.Pool.Name = PoolNames.For(sample.GetType());
            options.MetricName = profile.NameServer(sample);
        }
    }

    /// <summary>Makes a profile that is set classify the exceptions, unless a classifier is set too.</summary>
    // The exception of a cancellation does not show which provider threw it.
    public static void UseErrorsOf(DbPoolOptions options, DbProviderProfile? detected = null)
    {
        if ((options.Profile ?? (detected is { ConfirmsCancellation: true } ? detected : null)) is { } profile
            && options.Errors == DbErrorClassifier.Default)
        {
            options.Errors = new ProfileErrors(profile);
        }
    }
}
