using System.Globalization;
using System.Xml.Linq;
using Poolhouse.Tool.Bench.Charts;
using Poolhouse.Tool.Bench.Report;

namespace Poolhouse.Tool.Tests.Charts;

public sealed class Drawing
{
    private static readonly XNamespace _svg = "http://www.w3.org/2000/svg";

    [Theory]
    [InlineData("line")]
    [InlineData("bar")]
    public void Every_kind_of_chart_is_well_formed_and_has_a_title(string kind)
    {
        var chart = Sample(kind);
        var svg = XDocument.Parse(chart.Draw().ToString()).Root!;

        Assert.Equal(_svg + "svg", svg.Name);
        Assert.Equal("Nuts & <bolts>", svg.Element(_svg + "title")!.Value);
        Assert.Equal("Shows \"it\".", svg.Element(_svg + "desc")!.Value);
        var labels = svg.Attribute("aria-labelledby")!.Value.Split(' ');
        Assert.All(labels, label => Assert.Single(svg.Descendants(), element => element.Attribute("id")?.Value == label));
    }

    [Theory]
    [InlineData("line")]
    [InlineData("bar")]
    public void A_standalone_chart_contains_colours_for_light_and_dark_and_its_caption(string kind)
    {
        var text = ReportWriter.Standalone(Sample(kind), "measured on a <machine> & more");
        var svg = XDocument.Parse(text).Root!;

        Assert.Contains("prefers-color-scheme: dark", svg.Element(_svg + "style")!.Value, StringComparison.Ordinal);
        Assert.Contains(svg.Elements(_svg + "text"), element => element.Value == "measured on a <machine> & more");
    }

    [Theory]
    [InlineData("line")]
    [InlineData("bar")]
    public void Everything_drawn_lies_inside_the_picture(string kind)
    {
        var svg = Sample(kind).Draw();
        var box = svg.Attribute("viewBox")!.Value.Split(' ').Select(Number).ToArray();

        Assert.All(svg.Descendants(_svg + "text"), text =>
        {
            Assert.InRange(Number(text.Attribute("x")!.Value), 0, box[2]);
            Assert.InRange(Number(text.Attribute("y")!.Value), 0, box[3]);
        });
        Assert.All(svg.Descendants(_svg + "rect"), bar =>
            Assert.InRange(Number(bar.Attribute("x")!.Value) + Number(bar.Attribute("width")!.Value), 0, box[2]));
    }

    [Theory]
    [InlineData("7 ns")]
    [InlineData("1,234,567 documents/s")]
    public void The_value_of_the_longest_bar_lies_inside_the_picture(string value)
    {
        var chart = Sample("bar");
        chart = chart with { Series = [.. chart.Series.Select(series => Relabel(series, value))] };

        var svg = chart.Draw();

        Assert.All(
            svg.Descendants(_svg + "text").Where(text => string.Equals(text.Value, value, StringComparison.Ordinal)),
            text => Assert.InRange(Number(text.Attribute("x")!.Value) + Svg.WidthOf(value), 0, Chart.Width));

        static Series Relabel(Series series, string value) =>
            series with { Points = [.. series.Points.Select(point => point with { Text = value })] };
    }

    [Theory]
    [InlineData(0.1, 0.2, false)]
    [InlineData(0.1, 100, true)]
    [InlineData(2, 5, true)]
    [InlineData(20, 1_000, false)]
    public void A_band_is_drawn_as_far_as_it_lies_on_the_axis(double from, double to, bool isDrawn)
    {
        var svg = ((LineChart)Sample("line") with { Band = new Band(from, to, "down") }).Draw();

        var bands = svg.Descendants(_svg + "rect").Where(bar => bar.Attribute("class")!.Value == "band").ToList();
        Assert.Equal(isDrawn, svg.Descendants(_svg + "text").Any(text => text.Value == "down"));
        Assert.Equal(isDrawn ? 1 : 0, bands.Count);
        Assert.All(bands, band =>
        {
            var baseline = svg.Descendants(_svg + "line").Single(line => line.Attribute("class")!.Value == "base");
            var (left, right) = (Number(baseline.Attribute("x1")!.Value), Number(baseline.Attribute("x2")!.Value));
            Assert.InRange(Number(band.Attribute("x")!.Value), left, right);
            Assert.InRange(Number(band.Attribute("x")!.Value) + Number(band.Attribute("width")!.Value), left, right);
        });
    }

    [Theory]
    [InlineData(0.01, 0.02)]
    [InlineData(0.98, 0.99)]
    public void The_label_of_a_band_overlaps_neither_the_title_of_the_axis_nor_the_names_of_the_lines(double from, double to)
    {
        var chart = (LineChart)Sample("line");
        var (least, most) = (chart.X.Min, chart.X.Max);
        var band = new Band(least + ((most - least) * from), least + ((most - least) * to), "down");

        var svg = (chart with { Band = band }).Draw();

        var middle = Number(svg.Descendants(_svg + "text").Single(text => text.Value == band.Label).Attribute("x")!.Value);
        var half = Svg.WidthOf(band.Label) / 2;
        var baseline = svg.Descendants(_svg + "line").Single(line => line.Attribute("class")!.Value == "base");
        Assert.InRange(middle - half, Svg.WidthOf(chart.Y.Title) - 0.1, Number(baseline.Attribute("x2")!.Value));
        Assert.InRange(middle + half, 0, Number(baseline.Attribute("x2")!.Value) + 0.1);
    }

    [Fact]
    public void Labels_at_line_ends_never_overlap()
    {
        var places = LineChart.Spread([100, 100, 101, 219, 220]);

        Assert.All(places.Zip(places.Skip(1)), pair => Assert.True(pair.Second - pair.First >= 14));
        Assert.True(places[^1] <= 224);
    }

    [Theory]
    [InlineData("pool")]
    [InlineData("a rival with quite a long name")]
    public void Labels_at_line_ends_lie_inside_the_picture(string name)
    {
        var chart = Sample("line");
        var svg = (chart with { Series = [.. chart.Series, new Series(name, 2, chart.Series[0].Points)] }).Draw();

        var tag = svg.Descendants(_svg + "text").Single(text => text.Value == name);
        Assert.InRange(Number(tag.Attribute("x")!.Value) + Svg.WidthOf(name), 0, Chart.Width + 0.1); // Coordinates are rounded.
    }

    [Fact]
    public void Every_rival_of_a_chart_has_a_distinct_colour_and_shape()
    {
        var shapes = Enumerable.Range(0, Palette.Count).Select(colour => Svg.Marker(colour, 5, 5, "fill").Attribute("d")!.Value);

        Assert.Equal(Palette.Count, shapes.Distinct(StringComparer.Ordinal).Count());
    }

    [Fact]
    public void A_line_without_points_is_omitted()
    {
        var chart = (LineChart)Sample("line");
        var svg = (chart with { Series = [.. chart.Series, new Series("nothing", 2, [])] }).Draw();

        Assert.DoesNotContain("nothing", svg.Value, StringComparison.Ordinal);
    }

    private static double Number(string text) => double.Parse(text, CultureInfo.InvariantCulture);

    private static Chart Sample(string kind)
    {
        Series[] series =
        [
            new("a <rival>", 0, [new(1, 10, "ten"), new(10, 1000, "thousand")]),
            new("another", 1, [new(1, 20, "twenty"), new(10, 900, "many")]),
        ];
        return kind == "line"
            ? new LineChart
            {
                Id = "sample",
                Title = "Nuts & <bolts>",
                Description = "Shows \"it\".",
                Series = series,
                RowTitle = "size",
                RowLabel = Units.Count,
                X = Axis.Logarithmic("size", 1, 10, Units.Short),
                Y = Axis.Logarithmic("time", 10, 1000, Units.Duration),
                Baseline = new Tick(100, "base"),
            }
            : new BarChart
            {
                Id = "sample",
                Title = "Nuts & <bolts>",
                Description = "Shows \"it\".",
                Series = series,
                RowTitle = "size",
                RowLabel = Units.Count,
                Values = Axis.Linear("time", 1000, Units.Duration),
            };
    }
}
