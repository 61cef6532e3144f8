using System.Globalization;
using System.Text.RegularExpressions;

namespace Poolhouse.Repository.Tests.Docs;

/// <summary>What eng/figures.sh writes from docs/figures.json into the pages.</summary>
public sealed partial class Figures
{
    // In the column of an earlier run.
    private const string NotMeasured = "–";

    private static readonly string[] _names =
    [
        "arrays", "databases", "http", "ldap", "objects", "paranoid", "recyclable", "resets", "resources", "streams", "workers",
    ];

    [Fact]
    public void Each_kind_of_pool_has_figures() =>
        Assert.Equal(_names, Blocks().Select(block => block.Name).Order(StringComparer.Ordinal));

    [Fact]
    public void Figures_say_when_and_where_they_were_taken_and_what_they_compare()
    {
        foreach (var (name, lines) in Blocks())
        {
            Assert.Matches(@"^Measured on \d{1,2} \w+ \d{4}(: \.NET 10\.[^|]+)?\.$", lines[0]);
            Assert.Matches(@"^\| What \| Poolhouse \| Rival \| Rival's time \| Poolhouse takes \|( × of the limit \|)?( On \d{1,2} \w+ \|)?$", lines[1]);
            Assert.True(lines.Length > 3, $"The figures '{name}' have no row.");
            foreach (var line in lines[3..])
            {
                var row = Row().Match(line);
                Assert.True(row.Success, $"Not as eng/figures.sh writes it: {line}");

                Assert.Equal(lines[1].Count(static sign => sign == '|'), line.Count(static sign => sign == '|'));

                // What the rival is ahead in is bold, and nothing else is.
                foreach (var cell in row.Groups["ratio"].Captures.Select(static capture => capture.Value).Where(static cell => cell is not NotMeasured))
                {
                    var ratio = double.Parse(cell.Trim('*', '×'), CultureInfo.InvariantCulture);
                    Assert.True(ratio is > 1.045 and < 1.055 || ratio > 1.05 == cell.StartsWith('*'), line);
                }
            }
        }
    }

    [Fact]
    public async Task Pages_and_chart_show_the_figures_of_the_file()
    {
        var check = await CommandLine.RunAsync("bash", RepositoryFiles.PathOf("eng", "figures.sh"), "--check");

        Assert.True(check.ExitCode == 0, check.Output);
    }

    [Fact]
    public void A_measured_figure_on_a_page_comes_from_the_file()
    {
        var pages = MarkdownFile.All.Where(page => page.Name is "README.md" or "docs/performance.md"
            || page.Name.StartsWith("docs/guides/", StringComparison.Ordinal));
        var stray =
            from page in pages
            let text = File.ReadAllText(page.Path).ReplaceLineEndings("\n")
            from Match figure in Measured().Matches(Written().Replace(text, ""))
            select $"{page.Name}: '{figure.Value}' is not marked <!-- figure: … -->, so docs/figures.json does not have it.";

        Problems.AssertNone(stray);
    }

    private static IEnumerable<(string Name, string[] Lines)> Blocks()
    {
        var page = File.ReadAllText(RepositoryFiles.PathOf("docs", "performance.md")).ReplaceLineEndings("\n");
        foreach (Match block in Block().Matches(page))
        {
            yield return (block.Groups["name"].Value,
                block.Groups["text"].Value.Split('\n', StringSplitOptions.RemoveEmptyEntries));
        }
    }

    [GeneratedRegex("^<!-- figures: (?<name>[a-z]+) -->\n(?<text>.*?)^<!-- end figures -->$", RegexOptions.Multiline
        | RegexOptions.Singleline | RegexOptions.ExplicitCapture, 10_000)]
    private static partial Regex Block();

    // Times of nanoseconds and microseconds, ratios, and rates are measured; other times may be settings.
    [GeneratedRegex(@"[0-9][0-9.,]* (ns|µs|requests per second)\b|[0-9]×|\b[0-9]+\.[0-9]+ times\b", RegexOptions.ExplicitCapture, 10_000)]
    private static partial Regex Measured();

    // What the program writes, code, and texts of pictures, which show a run of their own.
    [GeneratedRegex(
        "<!-- figures: .*?<!-- end figures -->|<!-- figure: .*?<!-- end -->|^```.*?^```|`[^`\n]+`",
        RegexOptions.Singleline | RegexOptions.Multiline | RegexOptions.ExplicitCapture, 10_000)]
    private static partial Regex Written();

    [GeneratedRegex(
        @"^\| [^|]+ \| [0-9.]+ (ns|µs|ms) \| [^|]+ \| [0-9.]+ (ns|µs|ms) \| (?<ratio>[0-9.]+×|\*\*[0-9.]+×\*\*) \|" +
        @"( (–|[0-9.]+) \|)?( (?<ratio>–|[0-9.]+×|\*\*[0-9.]+×\*\*) \|)?$",
        RegexOptions.ExplicitCapture, 10_000)]
    private static partial Regex Row();
}
