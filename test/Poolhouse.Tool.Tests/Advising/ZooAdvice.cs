using System.Diagnostics;
using System.Globalization;
using System.Text.Json;

namespace Poolhouse.Tool.Tests.Advising;

/// <summary>Advice on 24 small apps of which it is known whether they need a pool.</summary>
public sealed class ZooAdvice
{
    private const int AtOnce = 4;

    private static readonly Dictionary<string, string?> _truth = new(StringComparer.Ordinal)
    {
        ["exports"] = "large-arrays",
        ["frames"] = "arrays",
        ["documents"] = "memory-stream",
        ["mails"] = "builder",
        ["parsers"] = "objects",
        ["lists"] = "collection",
        ["api-client"] = "http-connections",
        ["orders-db"] = "postgresql-connections",
        ["directory"] = "ldap-connections",
        ["sessions-cache"] = "redis-connections",
        ["threads"] = "threads",
        ["lost-arrays"] = "array-pool-returns",
        ["idle"] = null,
        ["small-objects"] = null,
        ["strings"] = null,
        ["small-arrays"] = null,
        ["tasks"] = null,
        ["pooled-arrays"] = null,
        ["one-client"] = null,
        ["one-connection"] = null,
        ["start-up"] = null,
        ["filling-cache"] = null,
        ["pooled-documents"] = null,
        ["pooled-connections"] = null,
    };

    [Fact]
    public async Task Nine_of_ten_needs_are_found_and_at_most_one_of_twenty_findings_is_wrong()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "The apps use addresses that only Linux has by itself.");
        using var turns = new SemaphoreSlim(AtOnce);
        var answers = await Task.WhenAll(_truth.Keys.Select(name => AdviseAsync(name, turns)));

        var needs = answers.Where(each => _truth[each.App] is not null).ToList();
        var found = needs.Count(each => each.Rules.Contains(_truth[each.App]!));
        var findings = answers.Sum(each => each.Rules.Count);
        var right = answers.Sum(each => each.Rules.Count(rule => rule == _truth[each.App]));
        var story = string.Join('\n', answers.Where(each => !each.Rules.SequenceEqual(Expected(each.App)))
            .Select(each =>
                $"{each.App}: {string.Join(", ", each.Rules)}; expected {_truth[each.App] ?? "nothing"}\n  {each.Json}"));
        Assert.True(found >= needs.Count * 0.9, $"{found} of {needs.Count} found.\n{story}");
        Assert.True(right >= findings * 0.95, $"{right} of {findings} findings are right.\n{story}");
    }

    private static IEnumerable<string> Expected(string app) => _truth[app] is { } rule ? [rule] : [];

    private static async Task<Answer> AdviseAsync(string app, SemaphoreSlim turns)
    {
        await turns.WaitAsync(TestContext.Current.CancellationToken);
        try
        {
            var began = Stopwatch.GetTimestamp();
            await using var process = await ZooProcess.StartAsync(app);

            // On a busy machine, an app does less in a second, and its start takes longer, too.
            var seconds = Math.Clamp(4 * Stopwatch.GetElapsedTime(began).TotalSeconds, 5, 20);
            var run = await ToolRun.Of(
                "advise", process.Id, "--for", seconds.ToString("0.0", CultureInfo.InvariantCulture), "--json");
            Assert.True(run.ExitCode == 0, $"{app}: {run.Error}");
            using var json = JsonDocument.Parse(run.Output);
            return new Answer(
                app,
                [
                    .. json.RootElement.GetProperty("findings").EnumerateArray()
                        .Select(each => each.GetProperty("rule").GetString()!),
                ],
                run.Output);
        }
        finally
        {
            turns.Release();
        }
    }

    private sealed record Answer(string App, IReadOnlyList<string> Rules, string Json);
}
