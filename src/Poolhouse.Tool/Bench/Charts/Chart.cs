using System.Xml.Linq;

namespace Poolhouse.Tool.Bench.Charts;

/// <summary>The base class of charts.</summary>
internal abstract record Chart
{
    /// <summary>The width of the drawing in its own units; the page scales it.</summary>
    public const double Width = 400;

    /// <summary>Unique on the page; names the standalone file and the parts that assistive technology refers to.</summary>
    public required string Id { get; init; }

    public required string Title { get; init; }

    /// <summary>A text alternative for readers who cannot see the chart.</summary>
    public required string Description { get; init; }

    public required IReadOnlyList<Series> Series { get; init; }

    /// <summary>The table's title for the x values.</summary>
    public required string RowTitle { get; init; }

    /// <summary>How the table and the bars write an x value.</summary>
    public required Func<double, string> RowLabel { get; init; }

    public abstract XElement Draw();

    protected XElement Frame(double height)
    {
        var svg = new XElement(
            Svg.Space + "svg",
            new XAttribute("class", "chart"),
            new XAttribute("viewBox", Svg.Join(0, 0, Width, height)),
            new XAttribute("role", "img"),
            new XAttribute("aria-labelledby", $"{Id}-title {Id}-desc"),
            new XElement(Svg.Space + "title", new XAttribute("id", $"{Id}-title"), Title),
            new XElement(Svg.Space + "desc", new XAttribute("id", $"{Id}-desc"), Description));
        svg.Add(Svg.Text(0, 15, Title, "head"));
        return svg;
    }
}
