using System.Diagnostics;
using Microsoft.EntityFrameworkCore;

namespace Poolhouse.Benchmarks.Bars;

/// <summary>Queries of Entity Framework Core.</summary>
internal static class EntityQueries
{
    /// <summary>Nanoseconds for a new context and a SELECT, on new connections.</summary>
    public static double Select(DbContextOptions options, Action clear, int calls)
    {
        clear();
        SelectTimes(options, DatabaseQueries.QueriesBeforeRound);
        var queries = calls * DatabaseQueries.QueriesPerCall;
        var started = Stopwatch.GetTimestamp();
        SelectTimes(options, queries);
        return Stopwatch.GetElapsedTime(started).TotalNanoseconds / queries;
    }

    private static void SelectTimes(DbContextOptions options, int queries)
    {
        var sum = 0;
        for (var i = 0; i < queries; i++)
        {
            using var context = new DbContext(options);
            sum += context.Database.SqlQueryRaw<int>("SELECT 1 AS \"Value\"").AsEnumerable().First();
        }

        GC.KeepAlive(sum);
    }
}
