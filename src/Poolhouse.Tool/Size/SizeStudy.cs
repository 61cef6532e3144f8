using Poolhouse.Tool.Bench;
using Poolhouse.Tool.Bench.Charts;
using Poolhouse.Tool.Bench.Databases;
using Poolhouse.Tool.Bench.Resources;

namespace Poolhouse.Tool.Size;

/// <summary>The question of <c>size</c>, with its answer once there is one.</summary>
/// <param name="method">The exact method.</param>
/// <param name="points">The results.</param>
/// <param name="fillsServer">Whether the largest size is all that the server has room for.</param>
internal sealed class SizeStudy(string method, IReadOnlyList<SizePoint> points, bool fillsServer = false) : TrialStudy
{
    private const string Size = "Recommended size";

    /// <summary>The name of the study.</summary>
    public const string Name = "size";

    public override string Id => Name;

    public override string Group => Name;

    public override string Title => "How many connections for this query?";

    public override string Question => "Which is the smallest pool that does about as much as any?";

    public override string Method => method;

    protected override IReadOnlyList<Plot> Plots => [SizeCurves.ThroughputPlot];

    private SizeAdvice? Advice => SizeAdvice.Of(points, fillsServer);

    /// <summary>The one trial of the study.</summary>
    public Trial MakeTrial() => new(
        RivalNames.Poolhouse,
        SizeCurves.Of(points),
        Advice is not { } advice
            ? []
            :
            [
                new Finding(Size, advice.Chosen.Size, Quantity.Count, Expectation.None),
                new Finding("Throughput there", advice.Chosen.PerSecond, Quantity.PerSecond, Expectation.None),
                new Finding("Median there", advice.Chosen.Median, Quantity.Seconds, Expectation.None),
                new Finding("99th percentile there", advice.Chosen.Slow, Quantity.Seconds, Expectation.None),
                new Finding("Best throughput", advice.Best.PerSecond, Quantity.PerSecond, Expectation.None),
                new Finding("Best with", advice.Best.Size, Quantity.Count, Expectation.None),
            ]);

    public override IReadOnlyList<ChartGroup> Draw(IReadOnlyList<Trial> trials)
    {
        var plot = SizeCurves.LatencyPlot;
        var latency = plot.Draw($"{Id}-{plot.Curve}", [.. trials.SelectMany(LinesOf)]);
        return [new ChartGroup("", [.. base.Draw(trials)[0].Charts, .. ((LineChart?[])[latency]).OfType<LineChart>()])];

        static IEnumerable<Series> LinesOf(Trial trial) =>
        [
            SizeCurves.LatencyPlot.LineOf(SizeCurves.Median, 2, trial.CurveOf(SizeCurves.Median)!),
            SizeCurves.LatencyPlot.LineOf(SizeCurves.Slow, 1, trial.CurveOf(SizeCurves.Slow)!),
        ];
    }

    public override IReadOnlyList<Table> Tabulate(IReadOnlyList<Trial> trials) => [SizeCurves.TableOf(trials)];

    protected override Verdict JudgeAll(IReadOnlyList<Trial> trials) => Advice is { } advice
        ? new Verdict(advice.IsConclusive ? Outcome.Recommended : Outcome.Inconclusive, advice.Text)
        : new Verdict(Outcome.Unknown, "No query was done in time with any size.");
}
