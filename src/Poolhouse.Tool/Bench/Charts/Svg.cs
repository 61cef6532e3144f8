using System.Globalization;
using System.Xml.Linq;

namespace Poolhouse.Tool.Bench.Charts;

/// <summary>The few SVG elements that the charts are made of. Colours and fonts come from classes:
/// see <see cref="Palette"/>.</summary>
internal static class Svg
{
    public static readonly XNamespace Space = "http://www.w3.org/2000/svg";

    public static XElement Text(double x, double y, string text, string style, string anchor = "start") => new(
        Space + "text",
        new XAttribute("x", Number(x)),
        new XAttribute("y", Number(y)),
        new XAttribute("class", style),
        new XAttribute("text-anchor", anchor),
        text);

    public static XElement Line(double x1, double y1, double x2, double y2, string style) => new(
        Space + "line",
        new XAttribute("x1", Number(x1)),
        new XAttribute("y1", Number(y1)),
        new XAttribute("x2", Number(x2)),
        new XAttribute("y2", Number(y2)),
        new XAttribute("class", style));

    public static XElement Path(string data, string style) =>
        new(Space + "path", new XAttribute("d", data), new XAttribute("class", style));

    public static XElement Bar(double x, double y, double width, double height, string style) => new(
        Space + "rect",
        new XAttribute("x", Number(x)),
        new XAttribute("y", Number(y)),
        new XAttribute("width", Number(Math.Max(width, 1))),
        new XAttribute("height", Number(height)),
        new XAttribute("rx", "2"),
        new XAttribute("class", style));

    /// <summary>A point's mark. Each colour has a shape of its own, so that no reader has to distinguish colours.</summary>
    public static XElement Marker(int colour, double x, double y, string style)
    {
        const double R = 3.6;
        return Path(
            (colour % Palette.Count) switch
            {
                0 => $"M{Join(x - R, y)}a{Join(R, R, 0, 1, 0, 2 * R, 0)}a{Join(R, R, 0, 1, 0, -2 * R, 0)}z",
                1 => $"M{Join(x - R, y - R)}h{Number(2 * R)}v{Number(2 * R)}h{Number(-2 * R)}z",
                2 => $"M{Join(x, y - R - 1)}L{Join(x + R + 1, y + R)}L{Join(x - R - 1, y + R)}z",
                3 => $"M{Join(x, y - R - 1)}L{Join(x + R + 1, y)}L{Join(x, y + R + 1)}L{Join(x - R - 1, y)}z",
                _ => $"M{Join(x, y + R + 1)}L{Join(x + R + 1, y - R)}L{Join(x - R - 1, y - R)}z",
            },
            style);
    }

    public static XElement WithHint(this XElement element, string hint)
    {
        element.Add(new XElement(Space + "title", hint));
        return element;
    }

    public static string Join(params ReadOnlySpan<double> numbers)
    {
        var texts = new string[numbers.Length];
        for (var i = 0; i < numbers.Length; i++)
        {
            texts[i] = Number(numbers[i]);
        }

        return string.Join(' ', texts);
    }

    public static string Number(double value) => Math.Round(value, 1).ToString("0.#", CultureInfo.InvariantCulture);

    /// <summary>An estimate of the width of a text, for labels that must not overlap. Without a font, it errs on the wide
    /// side.</summary>
    public static double WidthOf(string text, double fontSize = 12) => text.Sum(WidthOf) * fontSize;

    private static double WidthOf(char character) => character switch
    {
        ' ' => 0.35,
        '%' or '+' or '−' or 'm' or 'M' or 'W' => 0.95,
        _ => 0.64,
    };
}
