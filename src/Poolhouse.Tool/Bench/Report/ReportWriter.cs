using System.Text;
using System.Xml.Linq;
using Poolhouse.Tool.Bench.Charts;

namespace Poolhouse.Tool.Bench.Report;

/// <summary>Writes the folder: the page, the charts one by one, CSV and JSON.</summary>
internal static class ReportWriter
{
    public const string Page = "index.html";
    public const string Json = "results.json";
    public const string ChartFolder = "charts";

    private const string MarkerText = "A report of poolhouse bench. While this file exists, the next report gets another name.\n";

    private static readonly UTF8Encoding _encoding = new(encoderShouldEmitUTF8Identifier: false);

    public static void Write(string folder, BenchResult result)
    {
        Directory.CreateDirectory(Path.Combine(folder, ChartFolder));
        File.WriteAllText(Path.Combine(folder, ReportFolder.Marker), MarkerText, _encoding);
        File.WriteAllText(Path.Combine(folder, Page), HtmlReport.Write(result), _encoding);
        File.WriteAllText(Path.Combine(folder, Json), JsonReport.Write(result), _encoding);
        foreach (var study in result.Studies.Where(each => !each.IsEmpty))
        {
            File.WriteAllText(Path.Combine(folder, $"{study.Study.Id}.csv"), study.WriteCsv(), _encoding);
            foreach (var chart in study.Draw().SelectMany(group => group.Charts))
            {
                var path = Path.Combine(folder, ChartFolder, $"{chart.Id}.svg");
                File.WriteAllText(path, Standalone(chart, result.Machine.Caption()), _encoding);
            }
        }
    }

    /// <summary>A chart with its own style and caption, to be embedded anywhere.</summary>
    internal static string Standalone(Chart chart, string caption)
    {
        const double Margin = 8;
        const double CaptionSize = 8;
        const double LineHeight = 11;
        const int LineLength = 92;
        var svg = chart.Draw();
        var box = svg.Attribute("viewBox")!.Value.Split(' ');
        var height = double.Parse(box[3], System.Globalization.CultureInfo.InvariantCulture);
        foreach (var line in Wrap(caption, LineLength))
        {
            height += LineHeight;
            var text = Svg.Text(0, height - 2, line, "tick");
            text.Add(
                new XAttribute("font-size", Svg.Number(CaptionSize)),
                new XAttribute("style", $"font-size:{Svg.Number(CaptionSize)}px"));
            svg.Add(text);
        }

        height += LineHeight / 2;
        svg.SetAttributeValue("viewBox", Svg.Join(-Margin, -Margin, Chart.Width + (2 * Margin), height + (2 * Margin)));
        svg.SetAttributeValue("width", Svg.Number(Chart.Width + (2 * Margin)));
        svg.SetAttributeValue("height", Svg.Number(height + (2 * Margin)));
        svg.AddFirst(
            new XElement(Svg.Space + "style", Palette.Variables + Palette.ChartStyle),
            new XElement(
                Svg.Space + "rect",
                new XAttribute("x", Svg.Number(-Margin)),
                new XAttribute("y", Svg.Number(-Margin)),
                new XAttribute("width", "100%"),
                new XAttribute("height", "100%"),
                new XAttribute("style", "fill:var(--paper)")));
        return svg.ToString();
    }

    private static IEnumerable<string> Wrap(string text, int length)
    {
        var line = new StringBuilder();
        foreach (var word in text.Split(' '))
        {
            if (line.Length > 0 && line.Length + word.Length >= length)
            {
                yield return line.ToString();
                line.Clear();
            }

            line.Append(line.Length == 0 ? "" : " ").Append(word);
        }

        yield return line.ToString();
    }
}
