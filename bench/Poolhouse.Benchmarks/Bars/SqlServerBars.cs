using System.Data.Common;
using System.Diagnostics;
using Microsoft.Data.SqlClient;
using Microsoft.EntityFrameworkCore;
using Poolhouse.Data;
using Poolhouse.EntityFrameworkCore;
using Poolhouse.Tool.Servers.Tds;

namespace Poolhouse.Benchmarks.Bars;

/// <summary>
/// What pools over SqlClient promise beside its own, on a model of SQL Server that takes at least a millisecond a request.
/// </summary>
internal static class SqlServerBars
{
    private static TdsServer? _server;
    private static PooledDataSource? _pool;
    private static DbConnectionPool<SqlConnection>? _leases;
    private static DbContextOptions? _pooled;
    private static DbContextOptions? _own;

    public static IReadOnlyList<Bar> All { get; } =
    [
        Query("database SELECT, SqlClient", calls => Select(_pool!.OpenConnection, calls)),
        Query("database SELECT, SqlClient, raw", SelectLeased),
        Query("database SELECT, SqlClient, EF Core", calls => EntityQueries.Select(_pooled!, () => { }, calls)) with
        {
            MeasureRival = calls => EntityQueries.Select(_own!, () => { }, calls),
        },
    ];

    public static void Start()
    {
        _server = TdsServer.Start();
        _server.Delay = TimeSpan.FromMilliseconds(1);
        _pool = PooledDataSource.Create(SqlClientFactory.Instance, _server.ConnectionString);
        _leases = new DbConnectionPool<SqlConnection>(SqlClientFactory.Instance, _server.ConnectionString);
        _own = new DbContextOptionsBuilder().UseSqlServer(_server.ConnectionString).Options;
        _pooled = new DbContextOptionsBuilder().UseSqlServer(_server.ConnectionString).UsePoolhouse(_leases).Options;
    }

    public static void Stop()
    {
        _pool?.Dispose();
        _leases?.Dispose();
        _server?.Stop();
    }

    private static Bar Query(string name, Func<int, double> ours) => new(
        name, "SqlClient's pool", 1.05, ours, static calls => Select(Open, calls), null)
    {
        PairsPerCall = DatabaseQueries.QueriesPerCall,
    };

    private static SqlConnection Open()
    {
        var connection = new SqlConnection(_server!.ConnectionString);
        connection.Open();
        return connection;
    }

    private static double Select(Func<DbConnection> open, int calls) => Repeat(calls, () =>
    {
        using var connection = open();
        Execute(connection);
    });

    private static double SelectLeased(int calls) => Repeat(calls, static () =>
    {
        using var lease = _leases!.Rent();
        Execute(lease.Value);
    });

    private static void Execute(DbConnection connection)
    {
        using var command = connection.CreateCommand();
        command.CommandText = "SELECT 1";
        command.ExecuteScalar();
    }

    private static double Repeat(int calls, Action query)
    {
        var started = Stopwatch.GetTimestamp();
        for (var i = 0; i < calls * DatabaseQueries.QueriesPerCall; i++)
        {
            query();
        }

        return Stopwatch.GetElapsedTime(started).TotalNanoseconds / (calls * (double)DatabaseQueries.QueriesPerCall);
    }
}
