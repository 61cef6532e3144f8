using System.Globalization;
using System.Text;
using System.Text.Encodings.Web;
using Microsoft.Extensions.Diagnostics.HealthChecks;

namespace Poolhouse.AspNetCore;

/// <summary>Writes the figures of the pools as a page that reads itself again every five seconds, without scripts.</summary>
internal static class PoolPage
{
    /// <summary>Nothing is loaded but the page itself.</summary>
    public const string ContentSecurityPolicy =
        "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors " +
        "'none'";

    private static readonly Lazy<string> _style = new(ReadStyle);

    public static byte[] Write(IReadOnlyCollection<PoolReport> pools, DateTimeOffset now)
    {
        var page = new StringBuilder();
        page.Append(
            CultureInfo.InvariantCulture,
            $"""
            <!DOCTYPE html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta http-equiv="refresh" content="5">
            <title>Pools</title>
            <link rel="icon" href="data:,">
            <style>
            {_style.Value}</style>
            </head>
            <body>
            <main>
            <h1>Pools</h1>
            <p>{now:HH:mm:ss} UTC, updated every 5 seconds. <a href="?format=json">JSON</a></p>
            <table>
            <thead><tr><th class="text">Pool</th><th class="text">State</th><th>Leased</th><th>Idle</th><th>Waiting</th><th>Oldest wait</th><th>Oldest lease</th><th>Timeouts</th><th>Shed</th><th>Failed creations</th></tr></thead>
            <tbody>

            """);
        foreach (var pool in pools)
        {
            AppendRow(page, pool);
        }

        page.Append("</tbody>\n</table>\n</main>\n</body>\n</html>\n");
        return Encoding.UTF8.GetBytes(page.ToString());
    }

    private static void AppendRow(StringBuilder page, PoolReport pool)
    {
        var figures = pool.Figures;
        page.Append(
            CultureInfo.InvariantCulture,
            $"<tr><th scope=\"row\">{Encoded(pool.Name)}<small>{Encoded(pool.Kind)} of {Encoded(pool.ItemType)}</small></th>");
        page.Append(
            CultureInfo.InvariantCulture,
            $"<td class=\"text\" data-label=\"State\"><span class=\"{pool.Grade}\">{Encoded(pool.State)}</span>" +
            $"{ExplanationOf(pool)}</td>");
        page.Append("<td class=\"wide\" data-label=\"Leased\">").Append(Show(figures.Leased));
        if (figures.MaxLeased > 0)
        {
            page.Append(
                CultureInfo.InvariantCulture,
                $" of {Show(figures.MaxLeased)}<meter max=\"{figures.MaxLeased}\" " +
                $"value=\"{Math.Min(figures.Leased, figures.MaxLeased)}\"></meter>");
        }

        page.Append("</td>");
        AppendCell(page, "Idle", figures is { MaxLeased: 0, Idle: 0 } ? "–" : Show(figures.Idle));
        AppendCell(page, "Waiting", Show(figures.Waiting));
        AppendCell(page, "Oldest wait", Show(figures.OldestWait));
        AppendCell(page, "Oldest lease", Show(figures.OldestLease) + LabelOf(pool));
        AppendCell(page, "Timeouts", Show(figures.Timeouts));
        AppendCell(page, "Shed", Show(figures.Shed));
        AppendCell(page, "Failed creations", Show(figures.CreateFailures));
        page.Append("</tr>\n");
    }

    private static void AppendCell(StringBuilder page, string label, string value) =>
        page.Append(CultureInfo.InvariantCulture, $"<td data-label=\"{label}\">{value}</td>");

    private static string LabelOf(PoolReport pool) =>
        pool.OldestLeases is [{ Label: { } label }, ..] ? $"<small>{Encoded(label)}</small>" : "";

    private static string ExplanationOf(PoolReport pool) =>
        pool.Health is { Status: not HealthStatus.Healthy, Description: { } text } ? $"<small>{Encoded(text)}</small>" : "";

    private static string Encoded(string text) => HtmlEncoder.Default.Encode(text);

    private static string Show(long number) => number.ToString("N0", CultureInfo.InvariantCulture);

    private static string Show(TimeSpan time) =>
        time == TimeSpan.Zero ? "–" : string.Create(CultureInfo.InvariantCulture, $"{time.TotalSeconds:N1} s");

    private static string ReadStyle()
    {
        using var reader = new StreamReader(typeof(PoolPage).Assembly.GetManifestResourceStream("pools.css")!);
        return reader.ReadToEnd();
    }
}
