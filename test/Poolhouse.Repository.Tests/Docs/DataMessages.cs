using System.Data.Common;
using Microsoft.Data.Sqlite;
using Npgsql;
using Poolhouse.Data;
using Poolhouse.Servers;

namespace Poolhouse.Repository.Tests.Docs;

/// <summary>Makes the pools of connections throw each of their messages, once; those of the wrappers are apart.</summary>
internal static class DataMessages
{
    public static IReadOnlyDictionary<string, Action> All { get; } = new Dictionary<string, Action>(StringComparer.Ordinal)
    {
        ["string that cannot be read"] = () => PooledDataSource.Create(NpgsqlFactory.Instance, "Host=h;=;;=x"),
        ["multiplexing"] = () => PooledDataSource.Create(NpgsqlFactory.Instance, "Host=h;Multiplexing=true"),
        ["empty string"] = () => PooledDataSource.Create(NpgsqlFactory.Instance, ""),
        ["keyword out of range"] = () => PooledDataSource.Create(NpgsqlFactory.Instance, "Host=h;Maximum Pool Size=0"),
        ["minimum above maximum"] =
            () => PooledDataSource.Create(NpgsqlFactory.Instance, "Host=h;Minimum Pool Size=9;Maximum Pool Size=3"),
        ["timeout in the string and another in code"] = () => PooledDataSource.Create(
            NpgsqlFactory.Instance, "Host=h;Timeout=3",
            new DbPoolOptions { Pool = new ResourcePoolOptions { MaxSize = 1, RentTimeout = TimeSpan.FromSeconds(2) } }),
        ["no pool for a data source"] = () => PooledDataSource.Create(NpgsqlFactory.Instance, "Host=h;Pooling=false"),
        ["sources per connection that do not pool"] = () => PooledDataSource.Create(
            () => NpgsqlDataSource.Create("Host=h;Pooling=false")),
        ["sources that share a pool"] = () => PooledDataSource.Create(
            () => SqliteFactory.Instance.CreateDataSource("Data Source=:memory:")),
        ["delegate gives no source"] = () => PooledDataSource.Create(() => null!),
        ["provider's reset with several hosts"] = () => PooledDataSource.Create(
            NpgsqlFactory.Instance, "Host=a,b;Target Session Attributes=prefer-primary",
            new DbPoolOptions { Reset = SessionReset.Provider }),
        ["credentials without a string"] = () => DbConnectionPool.Create<SqliteConnection>(
            () => new SqliteConnection(), new DbPoolOptions { Credentials = _ => default }),
        ["provider's reset without a string"] = () => DbConnectionPool.Create<SqliteConnection>(
            () => new SqliteConnection(), new DbPoolOptions { Reset = SessionReset.Provider }),
        ["two pools"] = PoolAPoolingSource,
        ["name of a budget"] = () => ServerBudget.Join(NpgsqlFactory.Instance, "Host=h", "a/b"),
        ["budget without a list"] = () => ServerBudget.Join(SqliteFactory.Instance, "Data Source=:memory:", "orders"),
        ["wrong type"] = LeaseTheWrongType,
        ["delegate gives null"] = () => Rent(DbConnectionPool.Create<SqliteConnection>(() => null!)),
        ["credentials give null"] = () => OpenOnce(PooledDataSource.Create(
            SqliteFactory.Instance, "Data Source=:memory:",
            new DbPoolOptions { Credentials = _ => new ValueTask<DbCredential>(result: null!) })),
        ["credentials without a keyword"] = () => OpenOnce(PooledDataSource.Create(
            SqliteFactory.Instance, "Data Source=:memory:",
            new DbPoolOptions { Credentials = _ => new ValueTask<DbCredential>(new DbCredential("anna", Password: null)) })),
        ["one name for all pools"] = () => new PooledProviderFactory(
            SqliteFactory.Instance, new DbPoolOptions { Pool = new ResourcePoolOptions { MaxSize = 1, Name = "one" } }),
        ["role that the profile does not determine"] = () => OpenOnce(PooledDataSource.Create(
            SqliteFactory.Instance, "Data Source=:memory:", new DbPoolOptions { RequiredRole = RequiredRole.Primary })),
        ["standby instead of a primary"] = () => PooledDataSource.Create(
            SqliteFactory.Instance, "Data Source=:memory:",
            new DbPoolOptions { RequiredRole = RequiredRole.Primary, Profile = new StandbyProfile() })
            .WarmUpAsync(1).GetAwaiter().GetResult(),
        ["connections that cannot be closed"] = OpenBesideBusyConnection,
        ["failure of another pool's connection"] = ObserveForeignFailure,
        ["no connection string"] = OpenWithoutString,
        ["factory without connections"] = () => new PooledProviderFactory(new BareFactory()),
    };

    private static void OpenBesideBusyConnection()
    {
        var options = new DbPoolOptions { Reset = SessionReset.None };
        options.Pool.MaxSize = 1;
        using var pool = DbConnectionPool.Create<StubConnection>(static () => new StubConnection { IsBusy = true }, options);
        pool.Rent().Discard();
        pool.WarmUpAsync(1).GetAwaiter().GetResult();
    }

    private static void PoolAPoolingSource()
    {
        using var source = NpgsqlDataSource.Create("Host=h");
        PooledDataSource.Create(source);
    }

    private static void LeaseTheWrongType()
    {
        using var source = SqliteFactory.Instance.CreateDataSource("Data Source=:memory:;Pooling=false");
        Rent(new DbConnectionPool<NpgsqlConnection>(source));
    }

    private static void ObserveForeignFailure()
    {
        using var pool = DbConnectionPool.Create<StubConnection>(static () => new StubConnection());
        using var other = DbConnectionPool.Create<StubConnection>(static () => new StubConnection());
        using var lease = other.Rent();
        pool.ObserveFailure(lease, new TimeoutException());
    }

    private static void OpenWithoutString()
    {
        using var factory = new PooledProviderFactory(SqliteFactory.Instance);
        using var connection = factory.CreateConnection();
        connection.Open();
    }

    private static void Rent<TConnection>(DbConnectionPool<TConnection> pool)
        where TConnection : DbConnection
    {
        using (pool)
        {
            pool.Rent().Dispose();
        }
    }

    private static void OpenOnce(PooledDataSource source)
    {
        using (source)
        {
            source.OpenConnection().Dispose();
        }
    }

    private sealed class BareFactory : DbProviderFactory;

    private sealed class StandbyProfile : DbProviderProfile
    {
        public override string Name => "standby";

        public override bool Recognizes(Type type) => false;

        public override ValueTask<ServerRole> GetRoleAsync(DbConnection connection, CancellationToken cancellationToken) =>
            new(ServerRole.Standby);
    }
}
