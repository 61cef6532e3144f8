using Poolhouse.Tool.Bench.Measuring;
using Poolhouse.Tool.Bench.Resources.Trials;

namespace Poolhouse.Tool.Bench.Resources;

/// <summary>How large a pool should be when the backend slows down under concurrent load.</summary>
internal sealed class PoolSizes : Scenario
{
    private const int Callers = 64;
    private const int Rounds = 3;

    // Gunther's Universal Scalability Law: with these, a backend does the most at about 14 pieces of work at a time.
    private const double Alone = 4;
    private const double Contention = 0.02;
    private const double Coherency = 0.005;
    private const double LeastShare = 0.9;
    private const string Throughput = "throughput";
    private const string Latency = "latency";
    private const string Best = "Most callers a second";
    private const string BestSize = "with MaxSize";

    public override string Id => "resources-sizes";

    public override string Title => "Pool size against a backend that slows down";

    public override string Question => "Does a larger pool get more out of a backend?";

    public override string Method =>
        "64 callers work in a loop. A piece of work takes 4 ms alone, and longer the more run at once: by N. Gunther's "
        + "Universal Scalability Law with 2 % contention and 0.5 % coherency. Latency is the time from the rent until work is "
        + "done; 95 of 100 callers are faster. The pools take turns at each size.";

    protected override IReadOnlyList<Plot> Plots =>
    [
        new(Throughput, "Throughput (more is better)", "Pieces of work done per second, by MaxSize.", "per second")
        {
            XTitle = "MaxSize",
            IsLogarithmic = true,
        },
        new(Latency, "Latency, 95th percentile (less is better)", "Time from the rent to the end of work, by MaxSize.", "time")
        {
            XTitle = "MaxSize",
            IsLogarithmic = true,
            YLabel = seconds => Units.Duration(seconds * 1e9),
        },
    ];

    public override IReadOnlyList<TrialPlan> Plan(BenchPlan plan, ScenarioPace pace, TimeProvider time) => TrialPlan.InTurns(
        Entrant.All.Select(entrant => entrant.Rival), cancellation => MeasureAsync(pace, time, cancellation), TrialOf);

    public override string Promise => "within a tenth of the best rival's throughput";

    public override string? Figure => Best;

    protected override Verdict JudgeAll(IReadOnlyList<Trial> trials)
    {
        var own = Of(trials, RivalNames.Poolhouse, Best);
        var rivals = Math.Max(Of(trials, RivalNames.ChannelPool, Best), Of(trials, RivalNames.HomeMadePool, Best));
        var largest = trials.First(trial => trial.Rival == RivalNames.Poolhouse).CurveOf(Throughput)!.Points[^1];
        var more = $"More is not better: the highest throughput, {Finding.TextOf(own, Quantity.PerSecond)}, is that of MaxSize "
            + $"{Units.Count(Of(trials, RivalNames.Poolhouse, BestSize))}, and {Finding.TextOf(largest.Y, Quantity.PerSecond)} "
            + $"with {Units.Count(largest.X)}.";
        return own >= rivals * LeastShare
            ? VerdictOf(
                holds: true,
                $"{more} The choice of the pool makes little difference: {Finding.TextOf(rivals, Quantity.PerSecond)} with "
                + "the best rival.")
            : VerdictOf(holds: false, $"{more} The best rival has {Finding.TextOf(rivals, Quantity.PerSecond)}.");
    }

    /// <summary>How much longer a piece of work takes while others run.</summary>
    internal static double SlowdownAmong(int working) =>
        1 + (Contention * (working - 1)) + (Coherency * working * (working - 1));

    private static async Task<ILookup<string, Point>> MeasureAsync(
        ScenarioPace pace, TimeProvider time, CancellationToken cancellation)
    {
        // Not counted: the JIT has not optimized everything yet.
        foreach (var entrant in Entrant.All)
        {
            await MeasureAsync(entrant, Callers, pace, time, cancellation).ConfigureAwait(false);
        }

        var points = new List<Point>();
        foreach (var size in pace == ScenarioPace.Full ? [2, 4, 8, 16, 32, 64] : new[] { 4, 16, 64 })
        {
            for (var round = 0; round < Rounds; round++)
            {
                foreach (var i in Turns.InRound(round, Entrant.All.Count))
                {
                    points.Add(await MeasureAsync(Entrant.All[i], size, pace, time, cancellation).ConfigureAwait(false));
                }
            }
        }

        return points.ToLookup(point => point.Rival);
    }

    private static Trial TrialOf(string rival, IReadOnlyList<Point> points)
    {
        var sizes = points.GroupBy(point => point.Size).ToList();
        List<CurvePoint> throughput = [.. sizes.Select(size => new CurvePoint(size.Key, MiddleOf(size, each => each.PerSecond)))];
        List<CurvePoint> latency = [.. sizes.Select(size => new CurvePoint(size.Key, MiddleOf(size, each => each.Slow)))];
        var best = throughput.MaxBy(point => point.Y);
        return new Trial(
            rival,
            [new Curve(Throughput, throughput), new Curve(Latency, latency)],
            [
                new Finding(Best, best.Y, Quantity.PerSecond, Expectation.More),
                new Finding(BestSize, best.X, Quantity.Count, Expectation.None),
                new Finding("Latency there", latency.Find(point => point.X.Equals(best.X)).Y, Quantity.Seconds, Expectation.Less),
            ]);
    }

    private static double MiddleOf(IEnumerable<Point> rounds, Func<Point, double> figure) =>
        rounds.Select(figure).Order().ElementAt(Rounds / 2);

    private static async Task<Point> MeasureAsync(
        Entrant entrant, int size, ScenarioPace pace, TimeProvider time, CancellationToken cancellation)
    {
        var duration = pace.Choose(200, 80).TotalSeconds;
        var trial = new RunningTrial(
            entrant,
            new PoolSettings(size),
            pace.Milliseconds(1),
            pace.Milliseconds(Alone),
            time,
            cancellation)
        {
            Backend = { Slowdown = SlowdownAmong },
        };
        await using var _ = trial.ConfigureAwait(false);
        await trial.Pool.FillAsync(size, cancellation).ConfigureAwait(false);
        trial.Journal.SetZero();
        trial.Loop(Callers, duration, Timeout.InfiniteTimeSpan, TimeSpan.Zero);
        await trial.AllLeftAsync().ConfigureAwait(false);
        cancellation.ThrowIfCancellationRequested();

        // Those that were under way at the end are served too; so the time is theirs as well.
        var done = trial.Journal.Of(TrialEvent.Done);
        double[] times = [.. done.Select(entry => entry.Value).Order()];
        return times.Length == 0
            ? new Point(entrant.Rival, size, 0, 0)
            : new Point(entrant.Rival, size, times.Length / done[^1].At, times[(int)(times.Length * 0.95)]);
    }

    /// <summary>A round of one pool of one size: pieces of work per second, and the 95th percentile of their times.</summary>
    private readonly record struct Point(string Rival, int Size, double PerSecond, double Slow);
}
