using Poolhouse.Tool.Bench;
using Poolhouse.Tool.Bench.Report;
using Poolhouse.Tool.Bench.Web;
using Poolhouse.Tool.Cli;
using Poolhouse.Tool.Servers;

namespace Poolhouse.Tool.Tests.Web;

/// <summary><c>bench web</c>: an application on Kestrel and PostgreSQL under the load of wrk.</summary>
public sealed class WebRuns
{
    [Fact]
    public void The_line_of_the_script_is_read_in_seconds()
    {
        var load = Wrk.Read("Running 2s test\nRequests/sec: 500.00\npoolhouse 1000 2000000 1500 20000 30000 3\n");

        Assert.Equal(new WebLoad(1000, 500, 0.0015, 0.02, 0.03, 3), load);
    }

    [Fact]
    public void Other_output_is_an_error_that_shows_it() =>
        Assert.Contains(
            "unable to connect", Assert.Throws<ServerFailedException>(() => Wrk.Read("unable to connect")).Message,
            StringComparison.Ordinal);

    [Fact]
    public async Task All_ways_to_a_connection_answer_under_load()
    {
        Assert.SkipUnless(TemporaryPostgres.TryFind(out var reason), reason);
        Assert.SkipWhen(Wrk.Missing is not null, Wrk.Missing ?? "");
        using var folder = new TemporaryFolder();

        var run = await ToolRun.Of("bench", "web-single", "--report", folder.At("report"));

        Assert.Equal(ExitCode.Success, run.ExitCode);
        var document = JsonReport.Read(
            await File.ReadAllTextAsync(folder.At("report", ReportWriter.Json), TestContext.Current.CancellationToken))!;
        var trials = Assert.Single(document.Scenarios).Trials;
        Assert.Equal(
            [RivalNames.Poolhouse, RivalNames.ProviderPool, RivalNames.PoolhouseLease, RivalNames.EfPoolhouse,
                RivalNames.EfProviderPool],
            trials.Select(trial => trial.Rival));
        Assert.All(trials, trial =>
        {
            Assert.Equal(0, trial.FindingOf("Failed")!.Value);
            Assert.InRange(trial.FindingOf("On the server")!.Value, 1, 32);
            Assert.All(trial.Curves, curve => Assert.All(curve.Points, point => Assert.True(point.Y > 0, curve.Name)));
        });
    }

    [Fact]
    public async Task A_server_of_the_users_is_left_alone()
    {
        using var folder = new TemporaryFolder();
        var run = await ToolRun.Of(
            "bench", "web-single", "--postgres", "Host=127.0.0.1;Port=1;Username=me", "--report", folder.At("report"));

        Assert.Equal(ExitCode.Usage, run.ExitCode);
        Assert.DoesNotContain(Catalog.Select(Catalog.Everything), study => study.Group == Catalog.WebGroup);
    }
}
