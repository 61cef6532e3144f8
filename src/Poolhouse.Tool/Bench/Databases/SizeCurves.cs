using Poolhouse.Tool.Bench.Resources;

namespace Poolhouse.Tool.Bench.Databases;

/// <summary>Points by pool size as curves, charts and tables.</summary>
internal static class SizeCurves
{
    public const string Throughput = "throughput";
    public const string Median = "p50";
    public const string Slow = "p99";

    private const string SizeTitle = "connections";

    public static Plot ThroughputPlot { get; } = new(
        Throughput, "Throughput (more is better)", "Queries a second, by pool size.", "per second")
    {
        XTitle = SizeTitle,
        IsLogarithmic = true,
    };

    public static Plot MedianPlot { get; } = TimePlot(
        Median, "Median latency (less is better)", "Half of the queries took less, waiting included; by pool size.");

    public static Plot SlowPlot { get; } = TimePlot(
        Slow, "99th percentile (less is better)", "99 of 100 queries took less, waiting included; by pool size.");

    public static Plot LatencyPlot { get; } = TimePlot(
        "latency", "Latency, waiting included (less is better)",
        "The median and the 99th percentile of the queries' time, by pool size.");

    public static IReadOnlyList<Curve> Of(IReadOnlyList<SizePoint> points) =>
    [
        new(Throughput, [.. points.Select(point => new CurvePoint(point.Size, point.PerSecond))]),
        new(Median, [.. points.Select(point => new CurvePoint(point.Size, point.Median))]),
        new(Slow, [.. points.Select(point => new CurvePoint(point.Size, point.Slow))]),
    ];

    /// <summary>A row for each size, three columns for each pool.</summary>
    public static Table TableOf(IReadOnlyList<Trial> trials)
    {
        var sizes = trials.SelectMany(trial => trial.CurveOf(Throughput)!.Points).Select(point => point.X).Distinct().Order();
        return new Table(
            "",
            ["Size", .. trials.SelectMany(trial => (string[])[$"{HeadOf(trial, trials)}/s", Median, Slow])],
            [
                .. sizes.Select(size => (IReadOnlyList<string>)
                    [Units.Count(size), .. trials.SelectMany(trial => CellsOf(trial, size))]),
            ]);
    }

    private static string HeadOf(Trial trial, IReadOnlyList<Trial> trials) => trials.Count == 1 ? "queries" : trial.Rival;

    private static IEnumerable<string> CellsOf(Trial trial, double size) =>
    [
        At(trial, Throughput, size) is { } perSecond ? Units.Digits(perSecond) : "",
        TimeText(At(trial, Median, size)),
        TimeText(At(trial, Slow, size)),
    ];

    private static string TimeText(double? seconds) => seconds is { } value ? Units.Duration(value * 1e9) : "";

    private static double? At(Trial trial, string curve, double size) =>
        trial.CurveOf(curve)!.Points.Where(point => point.X.Equals(size)).Select(point => (double?)point.Y).FirstOrDefault();

    private static Plot TimePlot(string curve, string title, string description) => new(curve, title, description, "time")
    {
        XTitle = SizeTitle,
        IsLogarithmic = true,
        YLabel = seconds => Units.Duration(seconds * 1e9),
    };
}
