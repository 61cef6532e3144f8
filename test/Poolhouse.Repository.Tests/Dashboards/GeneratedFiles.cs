namespace Poolhouse.Repository.Tests.Dashboards;

/// <summary>
/// The files in docs/dashboards are those that the instruments on the metrics page result in, and Prometheus accepts them.
/// </summary>
public sealed class GeneratedFiles
{
    private const string AcceptVariable = "POOLHOUSE_ACCEPT_DASHBOARDS";
    private const string Promtool = "/usr/bin/promtool";

    [Fact]
    public void The_alert_rules_match_the_instruments() => AssertMatches("alerts.yml", Alert.WriteFile());

    [Fact]
    public void The_dashboard_matches_the_instruments() => AssertMatches("grafana.json", Dashboard.Write());

    [Fact]
    public async Task The_rules_fire_when_a_pool_is_exhausted_and_clear_afterwards() =>
        await AssertAcceptsAsync("test", "rules", RepositoryFiles.PathOf("docs", "dashboards", "alerts.test.yml"));

    [Fact]
    public async Task Prometheus_can_parse_every_query_of_the_dashboard()
    {
        var queries = new GrafanaFile().Queries.Select((query, index) =>
            $"      - {{record: 'query:{index}', expr: '{query.Replace("$__rate_interval", "1m", StringComparison.Ordinal)}'}}\n");
        using var folder = new TemporaryFolder();
        var file = Path.Combine(folder.Path, "rules.yml");
        await File.WriteAllTextAsync(
            file, "groups:\n  - name: dashboard\n    rules:\n" + string.Concat(queries), TestContext.Current.CancellationToken);

        await AssertAcceptsAsync("check", "rules", file);
    }

    private static void AssertMatches(string name, string generated)
    {
        var path = RepositoryFiles.PathOf("docs", "dashboards", name);
        if (string.Equals(Environment.GetEnvironmentVariable(AcceptVariable), "1", StringComparison.Ordinal))
        {
            File.WriteAllText(path, generated);
        }

        Assert.True(
            string.Equals(
                generated, File.Exists(path) ? File.ReadAllText(path).ReplaceLineEndings("\n") : "", StringComparison.Ordinal),
            $"docs/dashboards/{name} does not match the instruments. Run the tests once with {AcceptVariable}=1 and commit it.");
    }

    private static async Task AssertAcceptsAsync(params string[] arguments)
    {
        Assert.SkipUnless(File.Exists(Promtool), "promtool is not installed (Debian: prometheus).");
        var outcome = await CommandLine.RunAsync(Promtool, arguments);

        Assert.True(outcome.ExitCode == 0, outcome.Output);
    }
}
