using Poolhouse.Tool.Bench;
using Poolhouse.Tool.Bench.Databases;

namespace Poolhouse.Tool.Size;

/// <summary>Runs the same load with pools of several sizes within a given time.</summary>
/// <param name="database">Where the query runs.</param>
/// <param name="query">What each caller runs.</param>
/// <param name="callers">The number of concurrent callers.</param>
/// <param name="plan">Sizes and time.</param>
/// <param name="time">The clock.</param>
internal sealed class SizeSearch(Database database, string query, int callers, SizePlan plan, TimeProvider time)
{
    private readonly Dictionary<int, List<LoadResult>> _results = [];

    /// <summary>Whether each size was measured at least once.</summary>
    public bool IsComplete => _results.Count == plan.Sizes.Count;

    /// <summary>What was measured until now, by ascending size: all rounds of a size together.</summary>
    public IReadOnlyList<SizePoint> Points =>
        [.. _results.OrderBy(each => each.Key).Select(each => SizePoint.Of(each.Key, each.Value))];

    /// <param name="advance">Called after each turn.</param>
    /// <param name="cancellation">Ends the search; what was measured stays.</param>
    /// <exception cref="System.Data.Common.DbException">A query failed.</exception>
    public async Task RunAsync(Action advance, CancellationToken cancellation)
    {
        var started = time.GetTimestamp();
        var left = plan.Turns;
        foreach (var size in plan.Order)
        {
            cancellation.ThrowIfCancellationRequested();

            // If a turn takes too long, the following turns are shortened.
            var turn = (plan.Total - time.GetElapsedTime(started)) / left--;
            if (turn <= TimeSpan.Zero)
            {
                return;
            }

            var result = await MeasureAsync(size, turn, cancellation).ConfigureAwait(false);
            if (!_results.TryGetValue(size, out var results))
            {
                _results.Add(size, results = []);
            }

            results.Add(result);
            advance();
        }
    }

    private async Task<LoadResult> MeasureAsync(int size, TimeSpan turn, CancellationToken cancellation)
    {
        // With a slow query and many callers, a wait for one connection is long, which is a result and not a failure.
        var settings = new SourceSettings(size, "poolhouse size") { RentTimeout = Timeout.InfiniteTimeSpan };
        var source = database.Open(RivalNames.Poolhouse, settings);
        await using var _ = source.ConfigureAwait(false);
        var load = new ClosedLoad(source, query, callers, !database.IsAsynchronous, time);
        return await load.RunAsync(turn * SizePlan.WarmUpShare, turn * SizePlan.WatchShare, cancellation).ConfigureAwait(false);
    }
}
