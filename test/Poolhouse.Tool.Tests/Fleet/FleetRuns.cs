using Poolhouse.Tool.Bench;
using Poolhouse.Tool.Bench.Report;
using Poolhouse.Tool.Cli;
using Poolhouse.Tool.Servers;

namespace Poolhouse.Tool.Tests.Fleet;

/// <summary><c>bench fleet</c>: processes that share a role of PostgreSQL.</summary>
public sealed class FleetRuns
{
    [Fact]
    public async Task Processes_share_a_role_while_all_goes_wrong()
    {
        Assert.SkipUnless(TemporaryPostgres.TryFind(out var reason), reason);
        using var folder = new TemporaryFolder();

        var run = await ToolRun.Of("bench", "fleet", "--report", folder.At("report"));

        Assert.Equal((ExitCode.Success, ""), (run.ExitCode, run.Error));
        var document = JsonReport.Read(
            await File.ReadAllTextAsync(folder.At("report", ReportWriter.Json), TestContext.Current.CancellationToken))!;
        Assert.Equal(["fleet-faults", "fleet-beats"], document.Scenarios.Select(each => each.Id));
        var trials = document.Scenarios[0].Trials;
        Assert.Equal([RivalNames.Poolhouse, RivalNames.ProviderPool], trials.Select(trial => trial.Rival));
        Assert.All(trials, trial =>
        {
            Assert.InRange(trial.FindingOf("Sessions, at most")!.Value, 1, 12);
            Assert.True(trial.FindingOf("Callers served")!.Value > 0);
            Assert.InRange(trial.FindingOf("Opened")!.Value, 3, double.MaxValue);
            Assert.Equal(
                ["kill -9", "a newcomer", "stopped", "continued", "cut off", "connected", "restarted"],
                trial.Events!.Select(each => each.Label));
        });
        Assert.Equal(0, trials[0].FindingOf("Callers that were refused")!.Value);
        var beats = Assert.Single(document.Scenarios[1].Trials);
        Assert.InRange(beats.FindingOf("beats a second")!.Value, 1, 10);
        Assert.InRange(beats.FindingOf("time of a beat")!.Value, 1e-6, 1);
        var chart = await File.ReadAllTextAsync(
            folder.At("report", ReportWriter.ChartFolder, "fleet-faults-poolhouse.svg"), TestContext.Current.CancellationToken);
        Assert.Contains("1 kill -9, 2 a newcomer", chart, StringComparison.Ordinal);
    }

    [Fact]
    public void Only_its_name_selects_it() =>
        Assert.DoesNotContain(Catalog.Select(Catalog.Everything), study => study.Group == Catalog.FleetGroup);
}
