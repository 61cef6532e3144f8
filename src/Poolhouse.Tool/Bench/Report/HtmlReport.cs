using System.Xml.Linq;
using Poolhouse.Tool.Bench.Charts;
using Poolhouse.Tool.Bench.Report.Comparing;
using Poolhouse.Tool.Bench.Report.Summing;
using Poolhouse.Tool.Bench.Resources;

namespace Poolhouse.Tool.Bench.Report;

/// <summary>The page. It is well-formed XML too, so that it can be checked with a parser.</summary>
internal static class HtmlReport
{
    private const int MostLosses = 15;
    private const string LossId = "losses";
    private const string LossTitle = "Where Poolhouse loses";
    private const string GlossaryId = "glossary";
    private const string GlossaryTitle = "Terms";

    private static readonly (string Term, string Meaning)[] _terms =
    [
        ("rent and return", "An item is rented from a pool, used, and returned."),
        ("no pool", "A new object each time, left to the garbage collector, or a new connection each time."),
        ("cell",
            "One combination of conditions, such as a length and a number of threads. All rivals of a cell are measured in turn."),
        ("round",
            "One timed repetition. Medians of the rounds are shown; thin lines in charts reach from the fastest to the "
            + "slowest round."),
        ("faster, slower", "Poolhouse takes clearly less time than no pool, or it does not."),
        ("kept, broken", "In a scenario, Poolhouse keeps, or does not keep, the promise in its documentation."),
        ("depends", "Pooling pays only from some size or number of threads on."),
        ("beaten", "Pooling pays, or the promise is kept, but another pool is better in the figure that decides."),
        ("ahead", "Better by more than noise: 5 % in a cell, a tenth in a figure of a scenario."),
        ("inconclusive", "The rounds differ by more than the results that are compared. Measure again on a quiet machine."),
        ("p50, p99", "Half of the calls, or 99 of 100, took at most this long."),
    ];

    public static string Write(BenchResult result)
    {
        var summaries = Summary.Of(result);
        var page = new XElement(
            "html",
            new XAttribute("lang", "en"),
            new XElement(
                "head",
                new XElement("meta", new XAttribute("charset", "utf-8")),
                new XElement(
                    "meta", new XAttribute("name", "viewport"), new XAttribute("content", "width=device-width, initial-scale=1")),
                new XElement("title", $"{result.Heading} — poolhouse"),
                new XElement("style", Palette.Variables + Palette.ChartStyle + PageStyle.Text)),
            new XElement(
                "body",
                Header(result, summaries),
                new XElement(
                    "main",
                    result.Comparison is { } comparison ? ComparisonSection.Of(comparison) : null,
                    summaries.GroupBy(summary => summary.Advice).Select(group => new XElement(
                        "section",
                        new XAttribute("class", "group"),
                        summaries.Count > 1 ? new XElement("h2", Summary.TitleOf(group.Key)) : null,
                        group.Select(summary => Section(summary, result.Machine, isOpen: summaries.Count == 1)))),
                    LossesOf(result) is { } losses ? Folded(LossSection(losses)) : null,
                    Folded(Glossary())),
                Footer(result)));
        KeepUnitsTogether(page);
        return "<!DOCTYPE html>\n" + page.ToString(SaveOptions.DisableFormatting) + "\n";
    }

    // Running text is wrapped by the browser; cells of tables and labels of charts are not.
    private static void KeepUnitsTogether(XElement page)
    {
        foreach (var text in page.Descendants().Where(each => each.Name.LocalName is "p" or "li" or "dd")
            .SelectMany(each => each.Nodes().OfType<XText>()))
        {
            text.Value = Units.KeepTogether(text.Value);
        }
    }

    private static LossSummary? LossesOf(BenchResult result) =>
        LossSummary.Of(result) is { HasComparisons: true } losses ? losses : null;

    private static XElement Glossary() => new(
        "section",
        new XAttribute("id", GlossaryId),
        new XElement("h2", GlossaryTitle),
        new XElement("dl", _terms.Select(each => new[] { new XElement("dt", each.Term), new XElement("dd", each.Meaning) })));

    private static XElement Header(BenchResult result, IReadOnlyList<Summary> summaries)
    {
        var header = new XElement(
            "header",
            new XElement("h1", result.HasAdvice ? Summary.Headline(summaries) : result.Heading),
            new XElement("p", new XAttribute("class", "caption"), result.Machine.Caption()));
        if (result.Machine.IsDebugBuild)
        {
            header.Add(Warning("A debug build was measured: these figures are meaningless. Run with -c Release."));
        }

        if (result.WasStopped)
        {
            header.Add(Warning("Stopped early: the report contains the measurements until then."));
        }

        if (Noise.Warning(result) is { } noise)
        {
            header.Add(new XElement("p", new XAttribute("class", "method"), noise));
        }

        if (result.Comparison is { } comparison)
        {
            header.Add(new XElement(
                "p",
                new XElement("a", new XAttribute("href", $"#{ComparisonSection.Id}"), ComparisonSection.Title),
                $": {comparison.Text()}"));
        }

        if (result.HasAdvice)
        {
            header.Add(SummaryPicture.Of(summaries));
        }

        return header;
    }

    // A link to the study opens it, because its target is inside.
    private static XElement Section(Summary summary, Machine machine, bool isOpen)
    {
        var result = summary.Result;
        var study = result.Study;
        var section = new XElement(
            "div",
            new XAttribute("id", study.Id),
            new XElement("p", study.Question),
            new XElement("p", new XAttribute("class", "method"), study.Method));
        if (!result.IsComplete)
        {
            section.Add(Warning("This part was not measured completely."));
        }

        foreach (var group in result.Draw())
        {
            if (group.Heading.Length > 0)
            {
                section.Add(new XElement("h4", group.Heading));
            }

            section.Add(Legend(group), new XElement(
                "div",
                new XAttribute("class", Layout(group.Charts.Count)),
                group.Charts.Select(Figure)));
        }

        section.Add(
            new XElement("p", new XAttribute("class", "caption"), machine.Caption() + result.NoteFor(machine)),
            new XElement("p", new XAttribute("class", "method"), $"{result.Details}: ",
            new XElement("a", new XAttribute("href", $"{study.Id}.csv"), $"{study.Id}.csv")));
        return new XElement(
            "details",
            new XAttribute("class", "study"),
            isOpen ? new XAttribute("open", "open") : null,
            new XElement(
                "summary", new XAttribute("class", "what"), new XElement("h3", study.Title), " ", Badges.Of(summary), new XElement("p", summary.Text)),
            section);
    }

    private static XElement Folded(XElement section)
    {
        var heading = section.Element("h2")!;
        heading.Remove();
        return new XElement("details", new XAttribute("class", "study"), new XElement("summary", new XAttribute("class", "what"), heading), section);
    }

    private static string Layout(int charts) => charts switch
    {
        1 => "charts single",
        2 or 4 => "charts pairs",
        _ => "charts",
    };

    private static XElement Legend(ChartGroup group)
    {
        var names = group.Charts.SelectMany(chart => chart.Series).Select(series => (series.Name, series.Colour)).Distinct();
        return new XElement("ul", new XAttribute("class", "legend"), names.Select(name => new XElement(
            "li",
            new XElement(
                Svg.Space + "svg",
                new XAttribute("class", "chart key"),
                new XAttribute("viewBox", "0 0 12 12"),
                new XAttribute("aria-hidden", "true"),
                Svg.Marker(name.Colour, 6, 6, $"fill c{Units.Digits(name.Colour)}")),
            name.Name)));
    }

    private static XElement Figure(Chart chart) => new(
        "figure",
        chart.Draw(),
        new XElement(
            "details",
            new XElement("summary", "Table"),
            new XElement("div", new XAttribute("class", "scroll"), TableOf(chart))));

    private static XElement TableOf(Chart chart)
    {
        var rows = chart.Series.SelectMany(series => series.Points).Select(point => point.X).Distinct().Order();
        return new XElement(
            "table",
            new XElement("caption", chart.Title),
            new XElement("thead", new XElement(
                "tr", Head(chart.RowTitle, "col"), chart.Series.Select(series => Head(series.Name, "col")))),
            new XElement("tbody", rows.Select(row => new XElement(
                "tr",
                Head(chart.RowLabel(row), "row"),
                chart.Series.Select(series => new XElement("td", TextAt(series, row)))))));
    }

    private static XElement Warning(string text) => new("p", new XAttribute("class", "warning"), text);

    private static XElement Head(string text, string scope) => new("th", new XAttribute("scope", scope), text);

    private static string TextAt(Series series, double row) =>
        series.Points.Where(point => point.X.Equals(row)).Select(point => point.Text).FirstOrDefault() ?? "";

    private static XElement LossSection(LossSummary losses)
    {
        var section = new XElement(
            "section",
            new XAttribute("id", LossId),
            new XElement("h2", LossTitle),
            new XElement("p", losses.Text));
        if (losses.Worst.Count > 0)
        {
            section.Add(new XElement("div", new XAttribute("class", "scroll"), LossTable(losses.Worst.Take(MostLosses))));
        }

        if (losses.Worst.Count > MostLosses)
        {
            section.Add(new XElement("p", $"The {Units.Count(MostLosses)} worst are shown; the CSV files have all."));
        }

        if (losses.Figures.Count > 0)
        {
            section.Add(new XElement("div", new XAttribute("class", "scroll"), FigureTable(losses.Figures)));
        }

        return section;
    }

    private static XElement LossTable(IEnumerable<(Experiment Experiment, Loss Loss)> losses) => new(
        "table",
        new XElement("thead", new XElement(
            "tr",
            Head("Where", "col"),
            Head("Poolhouse", "col"),
            Head("Faster", "col"),
            Head("Its time", "col"),
            Head("Poolhouse takes", "col"))),
        new XElement("tbody", losses.Select(each => new XElement(
            "tr",
            new XElement("td", $"{each.Experiment.Title}: {each.Experiment.Describe(each.Loss.Own)}"),
            new XElement("td", Units.Duration(each.Loss.Own.Nanoseconds)),
            new XElement("td", each.Loss.Best.Rival),
            new XElement("td", Units.Duration(each.Loss.Best.Nanoseconds)),
            new XElement("td", Units.Ratio(each.Loss.Ratio))))));

    private static XElement FigureTable(IEnumerable<(TrialStudy Scenario, ScenarioLoss Loss)> losses) => new(
        "table",
        new XElement("thead", new XElement(
            "tr", Head("Scenario", "col"), Head("Poolhouse", "col"), Head("Better", "col"), Head("Its figure", "col"))),
        new XElement("tbody", losses.Select(each => new XElement(
            "tr",
            new XElement("td", $"{each.Scenario.Title}: {each.Loss.Own.Name}"),
            new XElement("td", each.Loss.Own.Text),
            new XElement("td", each.Loss.Rival),
            new XElement("td", each.Loss.Best.Text)))));

    private static XElement Footer(BenchResult result) => new(
        "footer",
        result.Experiments.Count == 0 ? null : new XElement("p",
            "The rivals of a cell are measured in turn in the same process, each round in another order, "
            + $"{RoundsOf(result)} rounds or fewer where one is long; medians are shown. "
            + "A round's time runs from a common start until its last thread is done, over the operations of all threads. "
            + $"A pool pays when it takes at most {Units.Ratio(Crossover.Pays)} of the time without one."),
        result.Scenarios.All(each => each.Scenario is not Scenario) ? null : new XElement("p",
            "In a scenario, the pools run one after another, each for as long as the time axis shows."),
        new XElement(
            "p",
            $"{result.Machine.System} · garbage collector: {result.Machine.GarbageCollector} · "
            + $"measured in {Units.Digits(result.Elapsed.TotalSeconds)} s · ",
            new XElement("a", new XAttribute("href", ReportWriter.Json), ReportWriter.Json)));

    private static string RoundsOf(BenchResult result) =>
        Units.Count(result.Experiments.SelectMany(each => each.Measurements).Select(each => each.Rounds).DefaultIfEmpty().Max());
}
