using System.Text.RegularExpressions;
using System.Xml.Linq;

namespace Poolhouse.Repository.Tests.Layout;

/// <summary>
/// There are five words for an item that is not handed on. The drawing in docs/architecture.md has them; others are found here.
/// </summary>
public sealed partial class ItemWords
{
    private static readonly string[] _words = ["abandoned", "broken", "expired", "stale", "tainted"];

    private static readonly string[] _pages =
    [
        "architecture.md", "concepts.md", "troubleshooting.md", "guides/databases.md", "guides/keyed.md", "guides/ldap.md",
        "guides/metrics.md", "guides/nested.md", "guides/own-pool.md", "guides/resources.md", "guides/shared.md",
    ];

    [Fact]
    public void The_drawing_shows_the_five_words()
    {
        var texts = XDocument.Load(RepositoryFiles.PathOf("docs", "images", "unfit-items.svg")).Descendants()
            .Where(element => element.Attribute("class")?.Value is "word");
        Assert.Equal(_words, texts.Select(text => text.Value).Distinct().Order(StringComparer.Ordinal));
    }

    [Fact]
    public void Sources_and_pages_use_no_other_word()
    {
        var sources = new[] { "Poolhouse/Resources", "Poolhouse.Data", "Poolhouse.Ldap" }
            .SelectMany(folder => RepositoryFiles.Files("*.cs", ["src", .. folder.Split('/')]));
        var pages = _pages.Select(page => RepositoryFiles.PathOf(["docs", .. page.Split('/')])).Where(File.Exists);
        var others =
            from file in sources.Concat(pages)
            from Match word in OtherWord().Matches(File.ReadAllText(file))
            select $"{RepositoryFiles.Relative(file)}: {word.Value}";
        Assert.Empty(others);
    }

    // Not "in doubt", a state of a distributed transaction and an idiom.
    [GeneratedRegex(
        @"\b\w*(retire|retiring|revoked|(?<!in )(?<!In)doubt|overdue|outdated|supersede|istouched|pristine|orphan)\w*",
        RegexOptions.IgnoreCase | RegexOptions.ExplicitCapture, matchTimeoutMilliseconds: 10_000)]
    private static partial Regex OtherWord();
}
