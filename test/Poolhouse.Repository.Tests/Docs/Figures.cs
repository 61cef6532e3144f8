using System.Globalization;
using System.Text.RegularExpressions;

namespace Poolhouse.Repository.Tests.Docs;

/// <summary>The tables of docs/performance.md that eng/figures.sh writes.</summary>
public sealed partial class Figures
{
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
            Assert.Matches(@"^Measured on \d{1,2} \w+ \d{4}: \.NET 10\.[^|]+\.$", lines[0]);
            Assert.Equal("| What | Poolhouse | Rival | Rival's time | Poolhouse takes |", lines[1]);
            Assert.True(lines.Length > 3, $"The figures '{name}' have no row.");
            foreach (var line in lines[3..])
            {
                var row = Row().Match(line);
                Assert.True(row.Success, $"Not as eng/figures.sh writes it: {line}");

                // What the rival is ahead in is bold, and nothing else is.
                var ratio = double.Parse(row.Groups["ratio"].Value, CultureInfo.InvariantCulture);
                Assert.True(ratio is > 1.045 and < 1.055 || ratio > 1.05 == row.Groups["bold"].Success, line);
            }
        }
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
        | RegexOptions.Singleline | RegexOptions.ExplicitCapture, 1000)]
    private static partial Regex Block();

    [GeneratedRegex(
        @"^\| [^|]+ \| [0-9.]+ (ns|µs|ms) \| [^|]+ \| [0-9.]+ (ns|µs|ms) \| (?<bold>\*\*)?(?<ratio>[0-9.]+)×(\*\*)? \|$",
        RegexOptions.ExplicitCapture, 1000)]
    private static partial Regex Row();
}
