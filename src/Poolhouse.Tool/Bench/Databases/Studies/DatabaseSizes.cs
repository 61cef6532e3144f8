using Poolhouse.Tool.Bench.Measuring;
using Poolhouse.Tool.Bench.Resources;

namespace Poolhouse.Tool.Bench.Databases.Studies;

/// <summary>How large a pool of real connections should be.</summary>
internal sealed class DatabaseSizes(DatabaseKind kind) : DatabaseScenario(kind)
{
    private const int Callers = 32;
    private const double LeastShare = 0.9;
    private const string Best = "Most queries a second";
    private const string BestSize = "with connections";
    private const int Rounds = 3;
    private static readonly int[] _sizes = [1, 2, 4, 8, 16];
    private static readonly string[] _rivals = [RivalNames.Poolhouse, RivalNames.ProviderPool];

    public override string Id => $"database-sizes-{Kind.Slug()}";

    public override string Title => $"Pool size on {Kind.Title()}";

    public override string Question => "How many connections get the most out of the database, and what do more of them cost?";

    public override string Method => Kind == DatabaseKind.PostgreSql
        ? "32 asynchronous callers repeat a query that keeps the server busy for some tenths of a millisecond; times are "
            + "measured from the request for a connection until its return. The pools take turns at each size."
        : "32 threads repeat a query that takes some tenths of a millisecond; times are measured from the request for a "
            + "connection until its return. The pools take turns at each size; the provider's has no bound, so all its "
            + "points are of the same pool.";

    protected override IReadOnlyList<Plot> Plots => [SizeCurves.ThroughputPlot, SizeCurves.MedianPlot, SizeCurves.SlowPlot];

    public override IReadOnlyList<TrialPlan> Plan(BenchPlan plan, ScenarioPace pace, TimeProvider time) => TrialPlan.InTurns(
        _rivals, cancellation => MeasureAsync(plan.Databases[Kind], pace, time, cancellation), TrialOf);

    public override IReadOnlyList<Table> Tabulate(IReadOnlyList<Trial> trials) =>
        [SizeCurves.TableOf(trials), .. base.Tabulate(trials)];

    public override string Promise => "about as many queries a second as with the provider's pool";

    public override string? Figure => Best;

    protected override Verdict JudgeAll(IReadOnlyList<Trial> trials)
    {
        var own = Of(trials, RivalNames.Poolhouse, Best);
        var size = Of(trials, RivalNames.Poolhouse, BestSize);
        var rival = Of(trials, RivalNames.ProviderPool, Best);
        var largest = trials.First(trial => trial.Rival == RivalNames.Poolhouse).CurveOf(SizeCurves.Throughput)!.Points[^1];
        return VerdictOf(
            own >= rival * LeastShare,
            $"The highest throughput, {Finding.TextOf(own, Quantity.PerSecond)}, is reached with "
            + $"{Units.Count(size)} connections, "
            + (size < largest.X
                ? $"compared with {Finding.TextOf(largest.Y, Quantity.PerSecond)} with {Units.Count(largest.X)}"
                : "the most that were tried")
            + $"; the provider's pool has {Finding.TextOf(rival, Quantity.PerSecond)} at its best.");
    }

    private static async Task<ILookup<string, SizePoint>> MeasureAsync(
        Database database, ScenarioPace pace, TimeProvider time, CancellationToken cancellation)
    {
        var points = new List<(string Rival, SizePoint Point)>();
        foreach (var size in _sizes)
        {
            points.AddRange(await MeasureAsync(database, size, pace, time, cancellation).ConfigureAwait(false));
        }

        return points.ToLookup(each => each.Rival, each => each.Point);
    }

    private static async Task<IEnumerable<(string Rival, SizePoint Point)>> MeasureAsync(
        Database database, int size, ScenarioPace pace, TimeProvider time, CancellationToken cancellation)
    {
        List<(string Rival, LoadResult Result)> results = [];
        var sources = _rivals.Select(rival => database.Open(rival, new SourceSettings(size, NewTag("sizes")))).ToList();
        try
        {
            // The first round is not counted: connections are opened in it, and the JIT has not optimized everything yet.
            for (var round = 0; round <= Rounds; round++)
            {
                foreach (var i in Turns.InRound(round, _rivals.Length))
                {
                    var load = new ClosedLoad(sources[i], database.WorkingQuery, Callers, !database.IsAsynchronous, time);
                    var result = await load.RunAsync(pace.Choose(30, 10), pace.Choose(120, 40), cancellation)
                        .ConfigureAwait(false);
                    if (round > 0)
                    {
                        results.Add((_rivals[i], result));
                    }
                }
            }
        }
        finally
        {
            foreach (var source in sources)
            {
                await source.DisposeAsync().ConfigureAwait(false);
            }
        }

        return results.GroupBy(
            each => each.Rival,
            (rival, rounds) => (rival, SizePoint.Of(size, [.. rounds.Select(each => each.Result)])));
    }

    private static Trial TrialOf(string rival, IReadOnlyList<SizePoint> points)
    {
        var best = points.MaxBy(point => point.PerSecond);
        return new Trial(
            rival,
            SizeCurves.Of(points),
            [
                new Finding(Best, best.PerSecond, Quantity.PerSecond, Expectation.More),
                new Finding(BestSize, best.Size, Quantity.Count, Expectation.None),
                new Finding("99th percentile there", best.Slow, Quantity.Seconds, Expectation.Less),
            ]);
    }
}
