using System.Xml.Linq;

namespace Poolhouse.Tool.Bench.Report;

/// <summary>The part of the page that compares this run with an earlier one.</summary>
internal static class ComparisonSection
{
    public const string Id = "compared";
    public const string Title = "Compared with an earlier run";

    private static readonly string[] _heads = ["Cell", "Then", "Now", "Ratio", "Other rivals", "Judgement"];

    public static XElement Of(Comparison comparison, Machine machine) => new(
        "section",
        new XAttribute("id", Id),
        new XElement("h2", Title),
        new XElement("p", comparison.Text(machine)),
        new XElement("p", new XAttribute("class", "method"),
            $"Earlier: {comparison.Machine.Caption()}. A cell counts as slower or faster only if no round of one run reaches " +
            "the rounds of the other and the "
            +
            $"medians differ by more than {Units.Deviation(Losses.Margin)[1..]}. 'Other rivals' is the median of their ratios " +
            "in the same cell."),
        TableOf("Cells that changed", [.. comparison.Changes.Where(change => !change.IsNoise)]),
        new XElement(
            "details",
            new XElement("summary", "All cells"),
            TableOf("All cells", comparison.Changes)));

    private static XElement? TableOf(string caption, IReadOnlyList<Change> changes) => changes.Count == 0 ? null : new XElement(
        "div",
        new XAttribute("class", "scroll"),
        new XElement(
            "table",
            new XElement("caption", caption),
            new XElement("thead", new XElement("tr", _heads.Select(Head))),
            new XElement("tbody", changes.Select(change => new XElement(
                "tr",
                new XElement("td", $"{change.Experiment.Title}: {change.Experiment.Describe(change.Now)}"),
                new XElement("td", Units.Duration(change.Then.Nanoseconds)),
                new XElement("td", Units.Duration(change.Now.Nanoseconds)),
                new XElement("td", Units.Ratio(change.Ratio)),
                new XElement("td", change.Others is { } others ? Units.Ratio(others) : ""),
                new XElement("td", change.Judgement))))));

    private static XElement Head(string text) => new("th", new XAttribute("scope", "col"), text);
}
