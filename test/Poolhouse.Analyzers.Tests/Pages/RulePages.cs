using System.Text.RegularExpressions;
using Poolhouse.Analyzers.Tests.Fixes;
using Poolhouse.Analyzers.Tests.Harness;
using Poolhouse.Analyzers.Tests.Seeded;
using Poolhouse.TestSupport;

namespace Poolhouse.Analyzers.Tests.Pages;

/// <summary>docs/rules has a section for each rule: its bad code breaks the rule, and its good code does not.</summary>
public sealed partial class RulePages
{
    private static readonly string[] _pages = ["leases", "dotnet", "streams", "policies"];

    public static TheoryData<string> Ids => [.. Rules.All.Select(rule => rule.Id)];

    [Fact]
    public void Every_section_belongs_to_a_rule() =>
        Assert.Equal(Rules.All.Select(rule => rule.Id), Sections().Keys.Order(StringComparer.Ordinal));

    [Theory]
    [MemberData(nameof(Ids))]
    public void The_help_link_of_a_rule_leads_to_its_section(string id)
    {
        var rule = Rules.All.Single(rule => string.Equals(rule.Id, id, StringComparison.Ordinal));
        var (page, section) = Sections()[id];

        Assert.Equal(
            $"https://poolhouse.example/repository/docs/rules/{page}.md#{id.ToUpperInvariant().Replace("PH", "ph", StringComparison.Ordinal)}",
            rule.HelpLinkUri);
        Assert.StartsWith($"**{rule.Title}.**", section.TrimStart(), StringComparison.Ordinal);
        Assert.Contains(
            rule.DefaultSeverity switch
            {
                Microsoft.CodeAnalysis.DiagnosticSeverity.Warning => ".** Warning.",
                Microsoft.CodeAnalysis.DiagnosticSeverity.Info => ".** Suggestion.",
                _ => ".** Hidden;",
            },
            section,
            StringComparison.Ordinal);
        Assert.Equal(Fixing.Ids.Contains(id, StringComparer.Ordinal), section.Contains(" Fix", StringComparison.Ordinal));
    }

    [Theory]
    [MemberData(nameof(Ids))]
    public async Task The_bad_code_of_a_section_breaks_the_rule_and_the_good_code_does_not(string id)
    {
        var blocks = CodeBlock().Matches(Sections()[id].Text).Select(match => match.Groups["code"].Value).ToList();
        Assert.Equal(2, blocks.Count);

        Assert.Equal(!PendingRules.Ids.Contains(id), (await IdsAsync(blocks[0])).Contains(id, StringComparer.Ordinal));
        Assert.DoesNotContain(id, await IdsAsync(blocks[1]));
    }

    [Fact]
    public void The_index_and_the_troubleshooting_page_name_every_rule()
    {
        foreach (var page in new[]
        {
            Checkout.PathOf("docs", "rules", "README.md"),
            Checkout.PathOf("docs", "troubleshooting.md"),
        })
        {
            var named = RuleId().Matches(File.ReadAllText(page)).Select(match => match.Value).ToHashSet(StringComparer.Ordinal);
            Assert.Empty(Rules.All.Select(rule => rule.Id).Except(named, StringComparer.Ordinal));
        }
    }

    private static async Task<IEnumerable<string>> IdsAsync(string code)
    {
        var compilation = Compiler.Compile(Expect.Whole(code));
        Assert.Empty(Compiler.ErrorsOf(compilation));
        return (await Analysis.FindAsync(compilation)).Select(finding => finding.Id);
    }

    private static Dictionary<string, (string Page, string Text)> Sections() => (
        from page in _pages
        from section in File.ReadAllText(Checkout.PathOf("docs", "rules", page + ".md")).ReplaceLineEndings("\n").Split("\n## ")
            .Skip(1)
        select (Id: section[..6], Page: page, Text: section[6..]))
        .ToDictionary(section => section.Id, section => (section.Page, section.Text), StringComparer.Ordinal);

    [GeneratedRegex(
        @"```csharp\n(?<code>.*?)```", RegexOptions.Singleline | RegexOptions.ExplicitCapture, matchTimeoutMilliseconds: 10_000)]
    private static partial Regex CodeBlock();

    [GeneratedRegex(@"PH\d{4}", RegexOptions.None, matchTimeoutMilliseconds: 10_000)]
    private static partial Regex RuleId();
}
