using Poolhouse.Tool.Bench.Charts;

namespace Poolhouse.Tool.Bench.Resources;

/// <summary>How a curve is drawn: a line for each pool.</summary>
internal sealed record Plot(string Curve, string Title, string Description, string YTitle)
{
    public string XTitle { get; init; } = "seconds";

    /// <summary>Whether the x values are at equal ratios, each with its own tick.</summary>
    public bool IsLogarithmic { get; init; }

    public Func<double, string> YLabel { get; init; } = Units.Digits;

    /// <summary>A value to compare with.</summary>
    public Tick? Baseline { get; init; }

    /// <returns>Null when no trial has the curve.</returns>
    public LineChart? Draw(string id, IReadOnlyList<Trial> trials) => Draw(
        id,
        [
            .. trials.Where(trial => trial.CurveOf(Curve) is { Points.Count: > 0 }).Select(trial => LineOf(
                trial.Rival, Poolhouse.Tool.Bench.RivalNames.ColourOf(trial.Rival), trial.CurveOf(Curve)!)),
        ],
        trials.Select(trial => trial.Band).FirstOrDefault(band => band is not null));

    /// <summary>A line of the chart.</summary>
    public Series LineOf(string name, int colour, Curve curve) =>
        new(name, colour, [.. curve.Points.Select(point => new Point(point.X, point.Y, YLabel(point.Y)))]);

    /// <returns>Null when there is no line.</returns>
    public LineChart? Draw(string id, IReadOnlyList<Series> series, Band? band = null)
    {
        if (series.Count == 0)
        {
            return null;
        }

        var points = series.SelectMany(each => each.Points).ToList();
        return new LineChart
        {
            Id = id,
            Title = Title,
            Description = Description,
            Series = series,
            X = IsLogarithmic
                ? Axis.LogarithmicAt(XTitle, [.. points.Select(point => point.X).Distinct().Order()], Units.Count)
                : Axis.Exact(XTitle, points.Max(point => point.X), Units.Digits),
            Y = Axis.Linear(YTitle, Math.Max(points.Max(point => point.Y), Baseline?.Value ?? 0), YLabel),
            RowTitle = XTitle,
            RowLabel = Units.Digits,
            MarkEvery = IsLogarithmic ? 1 : Math.Max(1, series.Max(each => each.Points.Count) / 6),
            Band = IsLogarithmic ? null : band,
            Baseline = Baseline,
        };
    }
}
