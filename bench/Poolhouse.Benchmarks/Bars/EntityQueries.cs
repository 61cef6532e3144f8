using System.Diagnostics;
using Microsoft.EntityFrameworkCore;

namespace Poolhouse.Benchmarks.Bars;

/// <summary>Queries of Entity Framework Core.</summary>
internal static class EntityQueries
{
    /// <summary>Nanoseconds for a new context and a SELECT.</summary>
    /// <param name="options">Of the context.</param>
    /// <param name="queries">How many.</param>
    /// <param name="clear">Closes the connections before, so that the round has new ones; null to keep them.</param>
    public static double Select(DbContextOptions options, int queries, Action? clear = null)
    {
        if (clear is not null)
        {
            clear();
            SelectTimes(options, DatabaseQueries.QueriesBeforeRound);
        }

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
