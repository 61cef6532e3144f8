using Microsoft.EntityFrameworkCore;
using Npgsql;
using Poolhouse.Data;
using Poolhouse.EntityFrameworkCore;

namespace Poolhouse.Samples.WebBench;

/// <summary>The ways to get a connection that are compared.</summary>
internal static class Ways
{
    /// <summary>Npgsql's own pool.</summary>
    public const string Own = "npgsql";

    /// <summary><see cref="PooledDataSource"/>.</summary>
    public const string Source = "source";

    /// <summary><see cref="DbConnectionPool{TConnection}"/>: leases of Npgsql's own connections.</summary>
    public const string Leases = "leases";

    /// <summary>Entity Framework Core on Npgsql's own pool.</summary>
    public const string EfOwn = "ef-npgsql";

    /// <summary>Entity Framework Core on <see cref="DbConnectionPool{TConnection}"/>.</summary>
    public const string EfLeases = "ef-leases";

    public static IReadOnlyList<string> All { get; } = [Own, Source, Leases, EfOwn, EfLeases];

    /// <summary>Opens a store.</summary>
    /// <param name="way">One of <see cref="All"/>.</param>
    /// <param name="connectionString">The server.</param>
    /// <param name="maxSize">The size of the pool, the same for each.</param>
    public static IWorldStore Open(string way, string connectionString, int maxSize)
    {
        var own = new NpgsqlConnectionStringBuilder(connectionString) { MaxPoolSize = maxSize, Pooling = true }.ConnectionString;
        var unpooled = new NpgsqlConnectionStringBuilder(own) { Pooling = false }.ConnectionString;
        var options = new DbPoolOptions { Pool = new ResourcePoolOptions { MaxSize = maxSize, Name = "world" } };
        switch (way)
        {
            case Own:
                {
                    var source = NpgsqlDataSource.Create(own);
                    return new ConnectionStore(async token => Of(await source.OpenConnectionAsync(token)), source);
                }

            case Source:
                {
                    var source = PooledDataSource.Create(NpgsqlFactory.Instance, own, options);
                    return new ConnectionStore(async token => Of(await source.OpenConnectionAsync(token)), source);
                }

            case Leases:
                {
                    var pool = new DbConnectionPool<NpgsqlConnection>(NpgsqlFactory.Instance, own, options);
                    return new ConnectionStore(async token => Of(await pool.RentAsync(token)), pool);
                }

            case EfOwn:
                {
                    var source = NpgsqlDataSource.Create(own);
                    return new ContextStore(new DbContextOptionsBuilder<WorldContext>().UseNpgsql(source).Options, source);
                }

            case EfLeases:
                {
                    var source = NpgsqlDataSource.Create(unpooled);
                    var pool = new DbConnectionPool<NpgsqlConnection>(source, options);
                    return new ContextStore(
                        new DbContextOptionsBuilder<WorldContext>().UseNpgsql(source).UsePoolhouse(pool).Options, pool, source);
                }

            default:
                throw new ArgumentException($"'{way}' is not a way; there are {string.Join(", ", All)}.", nameof(way));
        }

        static ConnectionUse Of<T>(T use)
            where T : IAsyncDisposable => use switch
            {
                Lease<NpgsqlConnection> lease => new ConnectionUse(lease.Value, lease),
                System.Data.Common.DbConnection connection => new ConnectionUse(connection, connection),
                _ => throw new InvalidOperationException("Neither a connection nor a lease."),
            };
    }
}
