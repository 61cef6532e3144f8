using System.Globalization;
using System.Xml.Linq;

namespace Poolhouse.Tool.Bench.Charts;

/// <summary>Horizontal bars in groups, each with its name before it and its value after it.</summary>
internal sealed record BarChart : Chart
{
    private const double LeastLeft = 118;
    private const double NameGap = 8;
    private const double LeastRight = 76;
    private const double TextGap = 6;
    private const double Margin = 2;
    private const double Top = 30;
    private const double BarHeight = 17;
    private const double BarDistance = 21;
    private const double GroupHead = 24;

    /// <summary>The scale of the values.</summary>
    public required Axis Values { get; init; }

    private double Left => Math.Max(LeastLeft, Series.Max(series => Svg.WidthOf(series.Name)) + NameGap);

    // The longest bar ends where the room for its text begins.
    private double Right => Math.Max(LeastRight, TextGap + Margin + Texts.Max(text => Svg.WidthOf(text)));

    private IEnumerable<string> Texts =>
        Series.SelectMany(series => series.Points).Select(point => point.Text).DefaultIfEmpty("");

    private double PlotWidth => Width - Left - Right;

    public override XElement Draw()
    {
        var groups = Series.SelectMany(series => series.Points).Select(point => point.X).Distinct().Order().ToList();
        var height = Top + (groups.Count * (GroupHead + (Series.Count * BarDistance)));
        var svg = Frame(height + 42);
        svg.Add(Ticks(height));
        var y = Top;
        foreach (var group in groups)
        {
            svg.Add(Svg.Text(0, y + 15, RowLabel(group), "tick"));
            y += GroupHead;
            foreach (var series in Series)
            {
                svg.Add(BarsOf(series, group, y));
                y += BarDistance;
            }
        }

        svg.Add(Svg.Text(Left + (PlotWidth / 2), height + 37, Values.Title, "tick", "middle"));
        return svg;
    }

    private double LengthOf(double value) => Math.Clamp(Values.Place(value), 0, 1) * PlotWidth;

    private IEnumerable<XElement> Ticks(double bottom)
    {
        var free = double.NegativeInfinity;
        foreach (var tick in Values.Ticks)
        {
            var x = Left + LengthOf(tick.Value);
            var half = Svg.WidthOf(tick.Label) / 2;
            yield return Svg.Line(x, Top + GroupHead - 4, x, bottom + 4, "grid");
            if (x - half >= free)
            {
                free = x + half + 4;
                yield return Svg.Text(x, bottom + 18, tick.Label, "tick", "middle");
            }
        }

        yield return Svg.Line(Left, Top + GroupHead - 4, Left, bottom + 4, "axis");
    }

    private IEnumerable<XElement> BarsOf(Series series, double group, double y)
    {
        foreach (var point in series.Points.Where(point => point.X.Equals(group)))
        {
            var style = string.Create(CultureInfo.InvariantCulture, $"fill c{series.Colour}");
            yield return Svg.Text(Left - 7, y + 13, series.Name, "name", "end");
            yield return Svg.Bar(Left, y, LengthOf(point.Y), BarHeight, style)
                .WithHint($"{series.Name}, {RowLabel(group)}: {point.Text}");
            yield return Svg.Text(Left + LengthOf(point.Y) + TextGap, y + 13, point.Text, "name");
        }
    }
}
