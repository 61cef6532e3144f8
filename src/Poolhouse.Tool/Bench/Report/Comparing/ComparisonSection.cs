using System.Xml.Linq;

namespace Poolhouse.Tool.Bench.Report.Comparing;

/// <summary>The part of the page that compares this run with an earlier one.</summary>
internal static class ComparisonSection
{
    public const string Id = "compared";
    public const string Title = "Compared with an earlier run";

    private static readonly string[] _cellHeads = ["Cell", "Then", "Now", "Ratio", "Other rivals", "Judgement"];
    private static readonly string[] _byteHeads = ["Cell", "Then", "Now"];
    private static readonly string[] _figureHeads = ["Figure", "Then", "Now", "Judgement"];
    private static readonly string[] _lossHeads = ["Where", "Ahead", "Poolhouse then", "Poolhouse now", "Judgement"];

    public static XElement Of(Comparison comparison)
    {
        List<Part> parts =
        [
            new("verdicts", "Verdicts", VerdictList(comparison.Verdicts)),
            new("losses", "Losses, new and gone", Table(_lossHeads, comparison.Losses.Select(loss => new[]
                {
                    loss.Where, loss.Rival, loss.Then, loss.Now, loss.Judgement,
                }))),
            new("times", "Times", CellTable(comparison.Cells.Where(cell => !cell.IsNoise))),
            new("bytes", "Bytes per operation", Table(_byteHeads, comparison.Bytes.Select(cell => new[]
                {
                    NameOf(cell), Units.Bytes(cell.Then.BytesPerOperation), Units.Bytes(cell.Now.BytesPerOperation),
                }))),
            new("figures", "Figures of scenarios", FigureTable(comparison.ClearFigures)),
        ];
        parts.RemoveAll(part => part.Content is null);
        return new XElement(
            "section",
            new XAttribute("id", Id),
            new XElement("h2", Title),
            comparison.Differences.Select(text => new XElement("p", new XAttribute("class", "warning"), text)),
            new XElement("p", comparison.Text()),
            parts.Count == 0 ? null : new XElement("ul", parts.Select(part => new XElement(
                "li", new XElement("a", new XAttribute("href", $"#{part.Anchor}"), part.Title)))),
            new XElement("p", new XAttribute("class", "method"), $"Earlier: {comparison.Machine.Caption()}. {Method}"),
            parts.Select(part => new[] { new XElement("h3", new XAttribute("id", part.Anchor), part.Title), part.Content }),
            All("All cells", CellTable(comparison.Cells)),
            All("All figures of scenarios", FigureTable(comparison.Figures)));
    }

    private static string Method =>
        "A cell counts as slower or faster only if no round of one run reaches the rounds of the other and its median changed "
        + $"by more than {Units.Deviation(Losses.Margin)[1..]}, also relative to each other rival of the cell; 'Other rivals' is "
        + "the median of their ratios. A scenario runs once, so that one of its figures counts as changed only if it differs by "
        + "more than a tenth (a time, by 3 ms too; a number other than 0, by more than 1) and by more than the same figure of "
        + "any other pool. A loss is new or gone only if the rounds of both runs, or the figures, explain it.";

    private static XElement? VerdictList(IReadOnlyList<VerdictChange> verdicts) => verdicts.Count == 0 ? null : new XElement(
        "ul",
        verdicts.Select(change => new XElement(
            "li",
            new XElement("a", new XAttribute("href", $"#{change.Study.Id}"), change.Study.Title),
            $": {Badges.TextOf(change.Then.Outcome)}, now {Badges.TextOf(change.Now.Outcome)} ({change.Judgement}). "
                + $"Then: {change.Then.Text} Now: {change.Now.Text}")));

    private static XElement? CellTable(IEnumerable<CellChange> changes) => Table(_cellHeads, changes.Select(change => new[]
    {
        NameOf(change),
        Units.Duration(change.Then.Nanoseconds),
        Units.Duration(change.Now.Nanoseconds),
        Units.Ratio(change.Ratio),
        change.Others is { } others ? Units.Ratio(others) : "",
        change.Judgement,
    }));

    private static XElement? FigureTable(IEnumerable<FigureChange> changes) => Table(_figureHeads, changes.Select(change => new[]
    {
        $"{change.Study.Title}: {change.Now.Name}", change.Then.Text, change.Now.Text, change.Judgement,
    }));

    private static string NameOf(CellChange change) => $"{change.Experiment.Title}: {change.Experiment.Describe(change.Now)}";

    private static XElement? All(string summary, XElement? table) =>
        table is null ? null : new XElement("details", new XElement("summary", summary), table);

    private static XElement? Table(string[] heads, IEnumerable<string[]> rows)
    {
        var cells = rows.Select(row => new XElement("tr", row.Select(cell => new XElement("td", cell)))).ToList();
        return cells.Count == 0 ? null : new XElement(
            "div",
            new XAttribute("class", "scroll"),
            new XElement(
                "table",
                new XElement("thead", new XElement(
                    "tr", heads.Select(head => new XElement("th", new XAttribute("scope", "col"), head)))),
                new XElement("tbody", cells)));
    }

    private sealed record Part(string Name, string Title, XElement? Content)
    {
        public string Anchor => $"{Id}-{Name}";
    }
}
