using System.Data.Common;
using Npgsql;
using static Poolhouse.Benchmarks.Bars.Queueing;

namespace Poolhouse.Benchmarks.Bars;

/// <summary>What the pools of connections promise, on PostgreSQL beside Npgsql's own pool.</summary>
internal static class DatabaseBars
{
    private const string Rival = "Npgsql's pool";
    private const string RivalOfRaw = "Npgsql's pool; ours resets nothing";
    public const double MostWithQueries = 1.05;
    private const double ShareOfBytes = 0.1;
    private const int CallsForBytes = 20;

    public static IReadOnlyList<Bar> All { get; } =
    [
        Bar.Of<OpenPoolhouse, OpenNpgsql>("database open+dispose", Rival, 0.6) with
        {
            BytesAllowed = Timing.BytesPerPair<OpenNpgsql>,
        },
        Bar.Of<OpenPoolhouseAsync, OpenNpgsqlAsync>("database open+dispose, async", Rival, 0.6) with
        {
            BytesAllowed = Timing.BytesPerPair<OpenNpgsqlAsync>,
        },
        Bar.Of<RentRaw, OpenNpgsql>("raw connection rent+return", RivalOfRaw, 0.2),
        Bar.Of<RentRawAsync, OpenNpgsqlAsync>("raw connection rent+return, async", RivalOfRaw, 0.2),
        Queue<DatabaseQueues.Raw, Lease<NpgsqlConnection>>("raw connection, 8 callers over 2", 0.4) with
        {
            BytesAllowed = () => ShareOfBytes * Run<DatabaseQueues.Provider, NpgsqlConnection>(CallsForBytes).Bytes,
        },
        Queue<DatabaseQueues.Source, DbConnection>("database, 8 callers over 2", 0.6) with { BytesOfOurs = null },
        Query("database 1,000 × SELECT", 1, DatabaseQueries.Select),
        Query("database 1,000 × SELECT, async", 1, DatabaseQueries.SelectAsynchronously),
        Query("database, Dapper", 1.02, DatabaseQueries.Dapper),
        Select("database SELECT, source built by a delegate", () => DatabasePools.Built),
        Select("database SELECT, credentials", () => DatabasePools.WithCredentials),
        Select("database SELECT, several hosts", () => DatabasePools.Hosts, () => DatabasePools.HostsOfNpgsql),
        Select(
            "database SELECT, several hosts, credentials", () => DatabasePools.HostsWithCredentials,
            () => DatabasePools.HostsOfNpgsql),
        Query("database SELECT, EF Core", MostWithQueries, DatabaseQueries.Select) with
        {
            MeasureOurs = calls => EntityQueries.Select(
                DatabasePools.Pooled, calls * DatabaseQueries.QueriesPerCall, () => DatabasePools.Leases.Clear()),
            MeasureRival = calls => EntityQueries.Select(
                DatabasePools.Own, calls * DatabaseQueries.QueriesPerCall, DatabasePools.Npgsql.Clear),
        },

        // Not promised, but the basis for the choice of the reset (ADR 0014).
        Crowd("reset with the next command, 8 callers over 2 SELECT", () => DatabasePools.FewOfPoolhouse),
        Query("reset in the background, SELECT", limit: null, DatabaseQueries.Select) with
        {
            MeasureOurs = calls => DatabaseQueries.Select(DatabasePools.ResetInBackground, calls),
        },
        Crowd("reset in the background, 8 callers over 2 SELECT", () => DatabasePools.FewResetInBackground),
        Query("reset on rent, SELECT", limit: null, DatabaseQueries.Select) with
        {
            MeasureOurs = DatabaseQueries.SelectAfterReset,
        },
        Query("reset in a batch with barriers, SELECT", limit: null, DatabaseQueries.Select) with
        {
            MeasureOurs = DatabaseQueries.SelectBehindReset,
        },
    ];

    private static Bar Query(string name, double? limit, Func<DbDataSource, int, double> measure) => new(
        name,
        Rival,
        limit,
        calls => measure(DatabasePools.Poolhouse, calls),
        calls => measure(DatabasePools.Npgsql, calls),
        null)
    {
        PairsPerCall = DatabaseQueries.QueriesPerCall,
    };

    private static Bar Select(string name, Func<DbDataSource> ours, Func<DbDataSource>? theirs = null) =>
        Query(name, MostWithQueries, DatabaseQueries.Select) with
        {
            MeasureOurs = calls => DatabaseQueries.Select(ours(), calls),
            MeasureRival = calls => DatabaseQueries.Select(theirs?.Invoke() ?? DatabasePools.Npgsql, calls),
        };

    // The pools are named inside of the delegates only: naming one starts the server.
    private static Bar Crowd(string name, Func<DbDataSource> ours) => new(
        name,
        Rival,
        null,
        calls => DatabaseQueries.SelectInACrowd(ours(), calls),
        calls => DatabaseQueries.SelectInACrowd(DatabasePools.FewOfNpgsql, calls),
        null)
    {
        PairsPerCall = DatabaseQueries.QueriesPerCall,
    };

    private static Bar Queue<TOurs, THeld>(string name, double limit)
        where TOurs : struct, IQueuedPool<THeld> => new(
            name,
            Rival,
            limit,
            NanosecondsPerRent<TOurs, THeld>,
            NanosecondsPerRent<DatabaseQueues.Provider, NpgsqlConnection>,
            () => Run<TOurs, THeld>(CallsForBytes).Bytes)
        {
            Waits = () => (
                Run<TOurs, THeld>(CallsForBytes).Waits,
                Run<DatabaseQueues.Provider, NpgsqlConnection>(CallsForBytes).Waits),
        };
}
