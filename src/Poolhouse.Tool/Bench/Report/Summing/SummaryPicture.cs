using System.Globalization;
using System.Xml.Linq;

namespace Poolhouse.Tool.Bench.Report.Summing;

/// <summary>
/// The first screen: a row for each study with a bar for Poolhouse, the best other pool and no pool, on one logarithmic scale.
/// </summary>
internal static class SummaryPicture
{
    // The rest of a row is for the names behind the bars.
    private const double LongestBar = 50;
    private const double ShortestBar = 1;
    private const int MostDecades = 4;

    public static XElement Of(IReadOnlyList<Summary> summaries)
    {
        var spreads = summaries.SelectMany(summary => summary.Result.Standings, (summary, each) => CostOf(summary, each))
            .Where(double.IsFinite).DefaultIfEmpty(1);
        var decades = Math.Clamp((int)Math.Ceiling(Math.Log10(spreads.Max())), 1, MostDecades);
        return new XElement(
            "div",
            new XAttribute("class", "picture"),
            new XAttribute(
                "style", string.Create(CultureInfo.InvariantCulture, $"--decade:{LongestBar / decades:0.##}%;--scale:{LongestBar}%")),
            Scale(decades),
            summaries.GroupBy(summary => summary.Advice).Select(group => new[]
            {
                new XElement("h2", Summary.TitleOf(group.Key)),
                new XElement("ul", group.Select(summary => Row(summary, decades))),
            }));
    }

    private static XElement Scale(int decades) => new(
        "div",
        new XAttribute("class", "scale"),
        new XElement("span", "Cost: the best is 1×, longer is worse"),
        new XElement(
            "div",
            Enumerable.Range(0, decades + 1).Select(decade => new XElement(
                "span",
                new XAttribute(
                    "style", string.Create(CultureInfo.InvariantCulture, $"left:{LongestBar * decade / decades:0.##}%")),
                $"{Units.Count(Math.Pow(10, decade))}×"))));

    private static XElement Row(Summary summary, int decades) => new(
        "li",
        new XElement("a", new XAttribute("href", $"#{summary.Result.Study.Id}"), summary.Result.Study.Title),
        new XElement(
            "div",
            new XAttribute("class", "bars"),
            summary.Result.Standings.Select(standing => Bar(standing, CostOf(summary, standing), decades))),
        Badges.Of(summary));

    private static XElement Bar(Standing standing, double cost, int decades)
    {
        var length = Math.Clamp(Math.Log10(cost) / decades * LongestBar, ShortestBar, LongestBar);
        return new XElement(
            "div",
            new XElement(
                "i",
                new XAttribute("class", $"b{Units.Digits(RivalNames.ColourOf(standing.Rival))}"),
                new XAttribute("style", string.Create(CultureInfo.InvariantCulture, $"width:{length:0.##}%")),
                ""),
            new XElement("span", $"{standing.Rival} {standing.Text}"));
    }

    // As a multiple of the best of the row.
    private static double CostOf(Summary summary, Standing standing) =>
        standing.Cost / summary.Result.Standings.Min(each => each.Cost);
}
