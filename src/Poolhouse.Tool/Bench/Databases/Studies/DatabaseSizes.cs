using Poolhouse.Tool.Bench.Resources;

namespace Poolhouse.Tool.Bench.Databases.Studies;

/// <summary>How large a pool of real connections should be.</summary>
internal sealed class DatabaseSizes(DatabaseKind kind) : DatabaseScenario(kind)
{
    private const int Callers = 32;
    private const double LeastShare = 0.9;
    private const string Best = "Most queries a second";
    private const string BestSize = "with connections";
    private static readonly int[] _sizes = [1, 2, 4, 8, 16];

    public override string Id => $"database-sizes-{Kind.Slug()}";

    public override string Title => $"Pool size on {Kind.Title()}";

    public override string Question => "How many connections get the most out of the database, and what do more of them cost?";

    public override string Method => Kind == DatabaseKind.PostgreSql
        ? "32 asynchronous callers repeat a query that keeps the server busy for some tenths of a " +
            "millisecond; "
            + "times are measured from the request for a connection until its return."
        : "32 threads repeat a query that takes some tenths of a millisecond; times are measured from the request for a "
            + "connection until its return. The provider's pool has no bound, so all its points are of the same pool.";

    protected override IReadOnlyList<string> Contestants => [RivalNames.Poolhouse, RivalNames.ProviderPool];

    protected override IReadOnlyList<Plot> Plots => [SizeCurves.ThroughputPlot, SizeCurves.MedianPlot, SizeCurves.SlowPlot];

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

    protected override async Task<Trial> RunAsync(
        string rival, Database database, ScenarioPace pace, TimeProvider time, CancellationToken cancellation)
    {
        var points = new List<SizePoint>();
        foreach (var size in _sizes)
        {
            var source = database.Open(rival, new SourceSettings(size, NewTag("sizes")));
            await using var _ = source.ConfigureAwait(false);
            var load = new ClosedLoad(source, database.WorkingQuery, Callers, !database.IsAsynchronous, time);
            points.Add(SizePoint.Of(
                size, await load.RunAsync(pace.Choose(150, 60), pace.Choose(450, 160), cancellation).ConfigureAwait(false)));
        }

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
