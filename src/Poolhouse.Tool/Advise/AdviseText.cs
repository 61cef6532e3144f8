using Poolhouse.Tool.Cli;
using Spectre.Console;

namespace Poolhouse.Tool.Advise;

/// <summary>Writes advice as text.</summary>
internal sealed class AdviseText(IAnsiConsole console)
{
    private const string Indent = "   ";

    private static readonly Style _title = new(decoration: Decoration.Bold);
    private static readonly Style _good = new(Color.Green);
    private static readonly Style _quiet = new(Color.Grey);

    private string Arrow => console.Profile.Capabilities.Unicode ? "→" : "->";

    public void Write(Advice advice)
    {
        Paragraph("", $"{advice.Process}: {advice.Summary}", Style.Plain);
        console.WriteLine();
        Paragraph("", advice.Headline, advice.Findings.Count == 0 ? _good : _title);
        for (var i = 0; i < advice.Findings.Count; i++)
        {
            console.WriteLine();
            Write(i + 1, advice.Findings[i]);
        }

        if (advice.Remarks.Count > 0)
        {
            console.WriteLine();
            Paragraph("", "Do not pool:", _title);
            foreach (var remark in advice.Remarks)
            {
                Paragraph(" - ", $"{remark.Subject}. {remark.Reason}", Style.Plain);
            }
        }
    }

    private void Write(int number, Finding finding)
    {
        Paragraph($"{Units.Count(number)}. ", $"{finding.Title}  [{finding.Rule}]", _title);
        if (finding.Where.Length > 0)
        {
            Paragraph(Indent, $"in {finding.Where}", Style.Plain);
        }

        Paragraph(Indent, finding.Figures, Style.Plain);
        if (finding.Estimate is { } estimate)
        {
            Paragraph(Indent, $"{Arrow} {estimate.ToString().Replace("→", Arrow, StringComparison.Ordinal)}", _good);
        }

        if (finding.Caveat.Length > 0)
        {
            Paragraph(Indent, finding.Caveat, Style.Plain);
        }

        foreach (var line in Printable.Of(finding.Code).Split('\n'))
        {
            Line(line.Length == 0 ? "" : $"{Indent}  {line}", Style.Plain);
        }

        Paragraph(Indent, $"The rule: {finding.Threshold}", _quiet);
        Line(Indent + finding.Url, _quiet);
    }

    private void Paragraph(string indent, string text, Style style)
    {
        var first = true;
        var width = Math.Max(40, console.Profile.Width) - indent.Length;
        foreach (var line in Wrapping.Wrap(Printable.Of(text).ReplaceLineEndings(" "), width))
        {
            Line((first ? indent : new string(' ', indent.Length)) + line, style);
            first = false;
        }
    }

    private void Line(string text, Style style)
    {
        console.Write(new Text(text, style));
        console.WriteLine();
    }
}
