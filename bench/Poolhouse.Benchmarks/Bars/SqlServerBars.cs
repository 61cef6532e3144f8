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
    private const int QueriesPerCall = 5;
    private const string Statement = "SELECT 1";

    private static TdsServer? _server;
    private static PooledDataSource? _pool;
    private static DbConnectionPool<SqlConnection>? _leases;
    private static DbContextOptions? _pooled;
    private static DbContextOptions? _own;

    public static IReadOnlyList<Bar> All { get; } =
    [
        Query("database SELECT, SqlClient", DatabaseBars.MostWithQueries, calls => Select(_pool!.OpenConnection, calls)),
        Query("database SELECT, SqlClient, EF Core", DatabaseBars.MostWithQueries, calls => Select(_pooled!, calls)) with
        {
            MeasureRival = calls => Select(_own!, calls),
        },
        Query(
            "database SELECT, SqlClient, reported lease", DatabaseBars.MostWithQueries,
            static calls => SelectLeased(calls, reports: true)),

        // Not promised: what a lease has executed is not known, so its reset is a request.
        Query("database SELECT, SqlClient, lease", limit: null, static calls => SelectLeased(calls, reports: false)),
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

    private static Bar Query(string name, double? limit, Func<int, double> ours) => new(
        name, "SqlClient's pool", limit, ours, static calls => Select(Open, calls), null)
    {
        PairsPerCall = QueriesPerCall,
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

    private static double Select(DbContextOptions options, int calls) => EntityQueries.Select(options, calls * QueriesPerCall);

    private static double SelectLeased(int calls, bool reports) => Repeat(calls, () =>
    {
        using var lease = _leases!.Rent();
        if (reports)
        {
            _leases.ObserveStatement(lease, Statement);
        }

        Execute(lease.Value);
    });

    private static void Execute(DbConnection connection)
    {
        using var command = connection.CreateCommand();
        command.CommandText = Statement;
        command.ExecuteScalar();
    }

    private static double Repeat(int calls, Action query)
    {
        var started = Stopwatch.GetTimestamp();
        for (var i = 0; i < calls * QueriesPerCall; i++)
        {
            query();
        }

        return Stopwatch.GetElapsedTime(started).TotalNanoseconds / (calls * (double)QueriesPerCall);
    }
}
