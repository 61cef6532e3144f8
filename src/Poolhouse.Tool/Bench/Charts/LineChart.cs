using System.Globalization;
using System.Xml.Linq;

namespace Poolhouse.Tool.Bench.Charts;

/// <summary>Lines over a logarithmic or linear x, each named at its end.</summary>
internal sealed record LineChart : Chart
{
    private const double LeastLeft = 44;
    private const double LeastRight = 132;
    private const double TagGap = 9;
    private const double Top = 46;
    private const double PlotHeight = 178;
    private const double Bottom = Top + PlotHeight;
    private const double LabelDistance = 14;

    public required Axis X { get; init; }

    public required Axis Y { get; init; }

    /// <summary>A value that the others are compared with, and its name; drawn as a dashed line.</summary>
    public Tick? Baseline { get; init; }

    /// <summary>The number of points from mark to mark; lines start theirs at different points, so that marks seldom
    /// overlap.</summary>
    public int MarkEvery { get; init; } = 1;

    /// <summary>A shaded range of x.</summary>
    public Band? Band { get; init; }

    /// <summary>Moments to mark: numbered above the plot, and named below it.</summary>
    public IReadOnlyList<Tick> Events { get; init; } = [];

    private double Left => Math.Max(LeastLeft, Y.Ticks.Max(tick => Svg.WidthOf(tick.Label)) + 8);

    private double Right => Math.Max(
        LeastRight, TagGap + Series.Select(series => series.Name).Append(Baseline?.Label ?? "").Max(name => Svg.WidthOf(name)));

    private double PlotWidth => Width - Left - Right;

    public override XElement Draw()
    {
        var names = EventNames();
        var svg = Frame(Bottom + 44 + (names.Count * LabelDistance));
        svg.Add(Svg.Text(0, 33, Y.Title, "tick"));
        svg.Add(Svg.Text(Left + (PlotWidth / 2), Bottom + 37, X.Title, "tick", "middle"));
        if (Band is not null)
        {
            svg.Add(Shade(Band));
        }

        svg.Add(YTicks());
        svg.Add(XTicks());
        if (Baseline is { } baseline)
        {
            svg.Add(Svg.Line(Left, YOf(baseline.Value), Left + PlotWidth, YOf(baseline.Value), "base"));
        }

        foreach (var series in Series.Where(series => series.Points.Count > 0))
        {
            svg.Add(LineOf(series));
        }

        svg.Add(Tags());
        svg.Add(Events.SelectMany(EventOf));
        svg.Add(names.Select((line, i) => Svg.Text(0, Bottom + 37 + ((i + 1) * LabelDistance), line, "tick")));
        return svg;
    }

    private double XOf(double value) => Left + (X.Place(value) * PlotWidth);

    private double YOf(double value) => Bottom - (Math.Clamp(Y.Place(value), 0, 1) * PlotHeight);

    private IEnumerable<XElement> YTicks()
    {
        var free = double.PositiveInfinity;
        foreach (var tick in Y.Ticks)
        {
            var y = YOf(tick.Value);
            yield return Svg.Line(Left, y, Left + PlotWidth, y, "grid");
            if (free - y >= LabelDistance)
            {
                free = y;
                yield return Svg.Text(Left - 6, y + 4, tick.Label, "tick", "end");
            }
        }
    }

    private IEnumerable<XElement> XTicks()
    {
        yield return Svg.Line(Left, Bottom, Left + PlotWidth, Bottom, "axis");
        var free = double.NegativeInfinity;
        foreach (var tick in X.Ticks)
        {
            var x = XOf(tick.Value);
            var half = Svg.WidthOf(tick.Label) / 2;
            yield return Svg.Line(x, Bottom, x, Bottom + 4, "axis");
            if (x - half >= free)
            {
                free = x + half + 2;
                yield return Svg.Text(x, Bottom + 18, tick.Label, "tick", "middle");
            }
        }
    }

    private IEnumerable<XElement> Shade(Band band)
    {
        // On a busy machine, a trial may reach the range only after the last point of the lines: then nothing is drawn.
        var left = XOf(Math.Clamp(band.From, X.Min, X.Max));
        var right = XOf(Math.Clamp(band.To, X.Min, X.Max));
        if (right > left)
        {
            yield return Svg.Bar(left, Top, right - left, PlotHeight, "band").WithHint(band.Label);

            // The title of the y axis stands at the left, and the names of the lines begin at the right.
            var half = Svg.WidthOf(band.Label) / 2;
            var least = Math.Max(Left, Svg.WidthOf(Y.Title)) + half;
            var most = Left + PlotWidth - half;
            var middle = Math.Clamp((left + right) / 2, Math.Min(least, most), most);
            yield return Svg.Text(middle, Top - 3, band.Label, "tick", "middle");
        }
    }

    private IEnumerable<XElement> EventOf(Tick marked, int index)
    {
        var x = XOf(Math.Clamp(marked.Value, X.Min, X.Max));
        yield return Svg.Line(x, Top, x, Bottom, "event").WithHint(marked.Label);
        yield return Svg.Text(x, Top - 3, Units.Count(index + 1), "tick", "middle");
    }

    private List<string> EventNames()
    {
        var lines = new List<string>();
        for (var i = 0; i < Events.Count; i++)
        {
            var name = $"{Units.Count(i + 1)} {Events[i].Label}";
            if (lines.Count > 0 && Svg.WidthOf($"{lines[^1]}, {name}") <= Width)
            {
                lines[^1] += $", {name}";
            }
            else
            {
                lines.Add(name);
            }
        }

        return lines;
    }

    private IEnumerable<XElement> LineOf(Series series)
    {
        var colour = string.Create(CultureInfo.InvariantCulture, $"c{series.Colour}");
        var corners = series.Points.Select(point => Svg.Join(XOf(point.X), YOf(point.Y)));
        yield return Svg.Path("M" + string.Join('L', corners), $"line {colour}");
        foreach (var point in series.Points)
        {
            if (point.Spread is { } spread)
            {
                yield return Svg.Line(XOf(point.X), YOf(spread.From), XOf(point.X), YOf(spread.To), $"spread {colour}");
            }
        }

        for (var i = MarkEvery * series.Colour / Palette.Count; i < series.Points.Count; i += MarkEvery)
        {
            var point = series.Points[i];
            yield return Svg.Marker(series.Colour, XOf(point.X), YOf(point.Y), $"fill {colour}")
                .WithHint($"{series.Name}, {RowTitle} {RowLabel(point.X)}: {point.Text}");
        }
    }

    /// <summary>The names at the right ends, pushed apart where lines end close to each other.</summary>
    private IEnumerable<XElement> Tags()
    {
        var tags = Series.Where(series => series.Points.Count > 0)
            .Select(series => (Text: series.Name, series.Colour, At: YOf(series.Points[^1].Y)))
            .ToList();
        if (Baseline is { } baseline)
        {
            tags.Add((baseline.Label, 3, YOf(baseline.Value)));
        }

        tags.Sort((a, b) => a.At.CompareTo(b.At));
        var positions = Spread([.. tags.Select(tag => tag.At)]);
        for (var i = 0; i < tags.Count; i++)
        {
            var (text, colour, _) = tags[i];
            yield return Svg.Text(
                Left + PlotWidth + TagGap, positions[i] + 4, text, string.Create(CultureInfo.InvariantCulture, $"tag c{colour}"));
        }
    }

    /// <summary>Moves ascending positions apart to the least distance, inside the plot, with as little shift as one pass each way
    /// gives.</summary>
    internal static double[] Spread(double[] positions)
    {
        for (var i = 1; i < positions.Length; i++)
        {
            positions[i] = Math.Max(positions[i], positions[i - 1] + LabelDistance);
        }

        for (var i = positions.Length - 1; i >= 0; i--)
        {
            var limit = i == positions.Length - 1 ? Bottom : positions[i + 1] - LabelDistance;
            positions[i] = Math.Min(positions[i], limit);
        }

        return positions;
    }
}
