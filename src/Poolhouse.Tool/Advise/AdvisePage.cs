using System.Xml.Linq;
using Poolhouse.Tool.Advise.Rules;
using Poolhouse.Tool.Advise.Sampling;
using Poolhouse.Tool.Bench.Charts;
using Poolhouse.Tool.Bench.Report;
using Poolhouse.Tool.Cli;

namespace Poolhouse.Tool.Advise;

/// <summary>Advice as a page, which looks like the report of <c>bench</c>. It is well-formed XML, too.</summary>
internal static class AdvisePage
{
    private const int MostSites = 20;

    private static readonly string[] _columns = ["Type", "Bytes a second", "Size", "How", "Where"];

    private const string Style = """
        pre { background: var(--panel); padding: .7rem .9rem; border-radius: 8px; overflow-x: auto; font-size: .85rem; }

        """;

    public static string Write(Advice advice)
    {
        var page = new XElement(
            "html",
            new XAttribute("lang", "en"),
            new XElement(
                "head",
                new XElement("meta", new XAttribute("charset", "utf-8")),
                new XElement(
                    "meta", new XAttribute("name", "viewport"), new XAttribute("content", "width=device-width, initial-scale=1")),
                new XElement("title", Shown($"What to pool in {advice.Process} — poolhouse")),
                new XElement("style", Palette.Variables + PageStyle.Text + Style)),
            new XElement(
                "body",
                new XElement(
                    "header",
                    new XElement("h1", advice.Headline),
                    new XElement("p", new XAttribute("class", "caption"), Shown($"{advice.Process}: {advice.Summary}"))),
                new XElement(
                    "main",
                    Section("Pool", advice.Findings.Select(Of)),
                    Section("Do not pool", [Remarks(advice.Remarks)]),
                    Section("What was allocated", [Sites(advice.Sample)])),
                new XElement("footer", new XElement("p", "Written by poolhouse advise. The process was only read."))));
        return "<!DOCTYPE html>\n" + page.ToString(SaveOptions.DisableFormatting) + "\n";
    }

    private static XElement? Section(string title, IEnumerable<XElement?> content) =>
        content.OfType<XElement>().ToList() is { Count: > 0 } shown
            ? new XElement("section", new XAttribute("class", "group"), new XElement("h2", title), shown)
            : null;

    private static XElement Of(Finding finding) => new(
        "details",
        new XAttribute("class", "study"),
        new XAttribute("open", "open"),
        new XElement(
            "summary",
            new XAttribute("class", "what"),
            new XElement("h3", Shown(finding.Title)),
            " ",
            new XElement("span", new XAttribute("class", "badge yes"), finding.Rule),
            new XElement("p", Shown(finding.Where.Length > 0 ? $"in {finding.Where}" : ""))),
        new XElement("p", Shown(finding.Figures)),
        finding.Estimate is { } estimate ? new XElement("p", new XElement("strong", estimate.ToString())) : null,
        finding.Caveat.Length > 0 ? new XElement("p", finding.Caveat) : null,
        finding.Code.Length > 0 ? new XElement("pre", new XElement("code", Shown(finding.Code))) : null,
        new XElement("p", new XAttribute("class", "method"), $"The rule: {finding.Threshold}"),
        new XElement(
            "p",
            new XAttribute("class", "method"),
            new XElement("a", new XAttribute("href", finding.Url), finding.Url)));

    private static XElement? Remarks(IReadOnlyList<Remark> remarks) => remarks.Count == 0 ? null : new XElement(
        "dl",
        remarks.Select(each => new[] { new XElement("dt", Shown(each.Subject)), new XElement("dd", Shown(each.Reason)) }));

    private static XElement? Sites(Sample sample) => sample.Sites.Count == 0 ? null : new XElement(
        "div",
        new XAttribute("class", "scroll"),
        new XElement(
            "table",
            new XElement("thead", new XElement("tr", _columns.Select(
                title => new XElement("th", new XAttribute("scope", "col"), title)))),
            new XElement("tbody", sample.Sites.Take(MostSites).Select(site => new XElement(
                "tr",
                new XElement("td", Shown(TypeName.Of(site.Type))),
                new XElement("td", Units.Bytes(site.Bytes)),
                new XElement("td", Units.Bytes(site.Size)),
                new XElement("td", site.Way.ToString()),
                new XElement("td", Shown(site.Method)))))));

    private static string Shown(string text) => Printable.Of(text);
}
