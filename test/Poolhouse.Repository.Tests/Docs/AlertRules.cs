using System.Diagnostics;
using System.Text.RegularExpressions;

namespace Poolhouse.Repository.Tests.Docs;

/// <summary>The alert rules for Prometheus ask for instruments that exist, and fire and clear.</summary>
public sealed partial class AlertRules
{
    [Fact]
    public void The_rules_use_only_instruments_and_tags_that_the_page_lists()
    {
        var known = MarkdownFile.Read("docs", "guides", "metrics.md").Table("instruments")
            .SelectMany(static row => new[] { Exported(row[0], row[1], row[2]) }.Concat(row[3].StartsWith('`') ? [Exported(row[3].Split(':')[0], "", "")] : []))
            .Append("poolhouse_pool_name")
            .ToHashSet(StringComparer.Ordinal);
        var used = Name().Matches(File.ReadAllText(RepositoryFiles.PathOf("docs", "dashboards", "alerts.yml"))).Select(static match => match.Value).ToList();

        Assert.NotEmpty(used);
        Assert.All(used, name => Assert.Contains(name, known));
    }

    [Fact]
    public async Task The_rules_fire_when_a_pool_is_exhausted_and_clear_afterwards()
    {
        Assert.SkipUnless(File.Exists("/usr/bin/promtool"), "promtool is not installed (Debian: prometheus).");
        var start = new ProcessStartInfo("/usr/bin/promtool", ["test", "rules", RepositoryFiles.PathOf("docs", "dashboards", "alerts.test.yml")])
        {
            UseShellExecute = false,
            RedirectStandardOutput = true,
            RedirectStandardError = true,
        };
        using var process = Process.Start(start)!;
        var errors = process.StandardError.ReadToEndAsync(TestContext.Current.CancellationToken);
        var output = await process.StandardOutput.ReadToEndAsync(TestContext.Current.CancellationToken);
        await process.WaitForExitAsync(TestContext.Current.CancellationToken);

        Assert.True(process.ExitCode == 0, output + await errors);
    }

    private static string Exported(string name, string kind, string unit) =>
        name.Trim('`').Replace('.', '_') + unit.Trim('`') switch { "s" => "_seconds", "By" => "_bytes", _ => "" } + (kind is "counter" ? "_total" : "");

    [GeneratedRegex("poolhouse_[a-z_]+", RegexOptions.ExplicitCapture, 1000)]
    private static partial Regex Name();
}
