using System.Globalization;
using System.Xml.Linq;
using Poolhouse.Tool.Bench;
using Poolhouse.Tool.Bench.Charts;
using Poolhouse.Tool.Bench.Report;
using Poolhouse.Tool.Bench.Resources;

namespace Poolhouse.Tool.Tests.Scenarios;

public sealed class Plots
{
    private static readonly XNamespace _svg = "http://www.w3.org/2000/svg";

    private static readonly Plot _plot = new("level", "A level", "What became of it.", "things");

    [Fact]
    public void Each_pool_has_a_line_in_a_distinct_colour()
    {
        var chart = _plot.Draw("id", [TrialOf(RivalNames.Poolhouse, 3), TrialOf(RivalNames.ChannelPool, 5)])!;

        Assert.Equal([RivalNames.Poolhouse, RivalNames.ChannelPool], chart.Series.Select(series => series.Name));
        Assert.Equal([0, 1], chart.Series.Select(series => series.Colour));
        Assert.Equal(2, chart.Draw().Elements(_svg + "path").Count(IsLine));
    }

    [Fact]
    public void Data_missing_in_every_trial_is_not_drawn() =>
        Assert.Null((_plot with { Curve = "another" }).Draw("id", [TrialOf("a", 3)]));

    [Fact]
    public void A_long_line_has_few_markers_and_those_of_two_lines_do_not_overlap()
    {
        var chart = _plot.Draw("id", [TrialOf(RivalNames.Poolhouse, 3), TrialOf(RivalNames.ChannelPool, 3)])!;
        var marks = chart.Draw().Elements(_svg + "path").Where(path => !IsLine(path))
            .Select(path => path.Element(_svg + "title")!.Value.Split(':')[0]).ToList();

        Assert.InRange(marks.Count, 4, 20);
        Assert.Empty(marks.Where(mark => mark.StartsWith(RivalNames.Poolhouse, StringComparison.Ordinal)).Select(TimeOf)
            .Intersect(marks.Where(mark => mark.StartsWith(RivalNames.ChannelPool, StringComparison.Ordinal)).Select(TimeOf)));

        static string TimeOf(string mark) => mark.Split("seconds")[1];
    }

    [Fact]
    public void The_fault_period_is_shaded_and_labelled()
    {
        var trial = TrialOf(RivalNames.Poolhouse, 3) with { Band = new Band(1, 2, "down") };
        var drawing = _plot.Draw("id", [trial])!.Draw();

        var band = Assert.Single(drawing.Elements(_svg + "rect"));
        var line = drawing.Elements(_svg + "path").First(IsLine).Attribute("d")!.Value;
        var start = Number(line[1..line.IndexOf(' ', StringComparison.Ordinal)]);
        Assert.True(Number(band.Attribute("x")!.Value) > start);
        Assert.Contains(drawing.Elements(_svg + "text"), text => text.Value == "down");
    }

    [Fact]
    public void A_time_axis_ends_where_the_trial_ends()
    {
        var axis = Axis.Exact("seconds", 2.6, Units.Digits);

        Assert.Equal(1, axis.Place(2.6), 9);
        Assert.Equal(["0", "1", "2"], axis.Ticks.Select(tick => tick.Label));
    }

    [Fact]
    public void Json_round_trips_and_csv_is_complete()
    {
        var trial = TrialOf(RivalNames.Poolhouse, 3) with
        {
            Findings = [new Finding("served after, at most", double.PositiveInfinity, Quantity.Seconds, Expectation.Less)],
            Band = new Band(1, 2, "down"),
        };
        var watched = new ScenarioResult(new Outage(), [trial], 3);
        var result = new BenchResult(Samples.Machine(), [watched], TimeSpan.FromSeconds(1), WasStopped: true);

        var scenario = Assert.Single(JsonReport.Read(JsonReport.Write(result))!.Scenarios);
        var back = Assert.Single(scenario.Trials);
        var lines = watched.WriteCsv().TrimEnd('\n').Split('\n');

        Assert.False(scenario.IsComplete);
        Assert.Equal(trial.Findings, back.Findings);
        Assert.Equal(trial.Band, back.Band);
        Assert.Equal(trial.Curves[0].Points, Assert.Single(back.Curves).Points);
        Assert.Equal("rival,kind,name,x,value", lines[0]);
        Assert.Equal("Poolhouse,figure,\"served after, at most\",,Infinity", lines[1]);
        Assert.Equal(1 + 1 + trial.Curves[0].Points.Count, lines.Length);
    }

    private static bool IsLine(XElement path) => path.Attribute("class")!.Value.StartsWith("line", StringComparison.Ordinal);

    private static double Number(string text) => double.Parse(text, CultureInfo.InvariantCulture);

    private static Trial TrialOf(string rival, double level) => new(
        rival, [new Curve("level", [.. Enumerable.Range(0, 31).Select(i => new CurvePoint(i / 10.0, level))])], []);
}
