using System.Data.Common;
using Microsoft.EntityFrameworkCore;
using Npgsql;
using Poolhouse.Data;
using Poolhouse.EntityFrameworkCore;
using Poolhouse.Tool.Servers;

namespace Poolhouse.Benchmarks.Bars;

/// <summary>Pools of connections to one PostgreSQL server, which is started when the first of them is used.</summary>
internal static class DatabasePools
{
    public const int FewConnections = 2;
    private const int Connections = 8;

    private static TemporaryPostgres? _server;

    /// <summary>Npgsql's own pool, and ours in its place; each resets the whole session, along with the next command.</summary>
    public static readonly NpgsqlDataSource Npgsql = NpgsqlDataSource.Create(Settings(Connections));
    public static readonly PooledDataSource Poolhouse =
        PooledDataSource.Create(NpgsqlFactory.Instance, Settings(Connections).ConnectionString);

    /// <summary>The other ways to configure Npgsql, with the same reset.</summary>
    public static readonly PooledDataSource Built = PooledDataSource.Create(
        static () => NpgsqlDataSource.Create(Settings(Connections)), new DbPoolOptions { Pool = { MaxSize = Connections } });
    public static readonly PooledDataSource WithCredentials = CredentialPool(Settings(Connections));
    public static readonly NpgsqlDataSource HostsOfNpgsql = NpgsqlDataSource.Create(TwoHosts());
    public static readonly PooledDataSource Hosts =
        PooledDataSource.Create(NpgsqlFactory.Instance, TwoHosts().ConnectionString);
    public static readonly PooledDataSource HostsWithCredentials = CredentialPool(TwoHosts());

    /// <summary>Entity Framework Core, with Npgsql's pool and with one of leases.</summary>
    public static readonly DbContextOptions Own = new DbContextOptionsBuilder().UseNpgsql(Npgsql).Options;
    public static readonly DbConnectionPool<NpgsqlConnection> Leases =
        new(NpgsqlFactory.Instance, Settings(Connections).ConnectionString);
    public static readonly DbContextOptions Pooled =
        new DbContextOptionsBuilder().UseNpgsql(Npgsql).UsePoolhouse(Leases).Options;

    /// <summary>Poolhouse, with a reset as a separate command, in the background after the return.</summary>
    public static readonly PooledDataSource ResetInBackground = BackgroundPool(Connections);
    public static readonly PooledDataSource FewResetInBackground = BackgroundPool(FewConnections);

    /// <summary>Leases of Npgsql's own connections, and nothing done to them.</summary>
    public static readonly DbConnectionPool<NpgsqlConnection> Raw = RawPool(Connections);

    public static readonly NpgsqlDataSource FewOfNpgsql = NpgsqlDataSource.Create(Settings(FewConnections));
    public static readonly PooledDataSource FewOfPoolhouse =
        PooledDataSource.Create(NpgsqlFactory.Instance, Settings(FewConnections).ConnectionString);
    public static readonly DbConnectionPool<NpgsqlConnection> FewRaw = RawPool(FewConnections);

    /// <summary>Why there is no server; null: there is one.</summary>
    public static string? WhyNot => TemporaryPostgres.TryFind(out var reason) ? null : reason;

    /// <summary>Starts the server and opens a connection of every pool.</summary>
    public static void Start()
    {
        DbDataSource[] sources =
        [
            Npgsql, FewOfNpgsql, Poolhouse, ResetInBackground, FewResetInBackground, FewOfPoolhouse, Built, WithCredentials,
            Hosts, HostsOfNpgsql, HostsWithCredentials,
        ];
        foreach (var source in sources)
        {
            source.OpenConnection().Dispose();
        }

        Raw.Rent().Dispose();
        FewRaw.Rent().Dispose();
    }

    public static void Stop()
    {
        _server?.Dispose();
        _server = null;
    }

    private static NpgsqlConnectionStringBuilder Settings(int connections)
    {
        _server ??= TemporaryPostgres.StartAsync().Result;
        return new NpgsqlConnectionStringBuilder(_server.ConnectionString) { MaxPoolSize = connections };
    }

    // Both names lead to the same server.
    private static NpgsqlConnectionStringBuilder TwoHosts() => new(Settings(Connections).ConnectionString)
    {
        Host = "127.0.0.1,localhost",
    };

    private static PooledDataSource CredentialPool(NpgsqlConnectionStringBuilder settings) => PooledDataSource.Create(
        NpgsqlFactory.Instance,
        settings.ConnectionString,
        new DbPoolOptions { Credentials = _ => new(new DbCredential(null, settings.Password)) });

    private static PooledDataSource BackgroundPool(int connections) => PooledDataSource.Create(
        NpgsqlFactory.Instance, Settings(connections).ConnectionString, new DbPoolOptions { Reset = SessionReset.PostgreSql });

    private static DbConnectionPool<NpgsqlConnection> RawPool(int connections) => new(
        NpgsqlFactory.Instance,
        Settings(connections).ConnectionString,
        new DbPoolOptions { Pool = new ResourcePoolOptions { MaxSize = connections }, Reset = SessionReset.None });
}
