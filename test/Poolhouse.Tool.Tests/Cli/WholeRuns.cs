using System.Xml.Linq;
using Poolhouse.Tool.Bench;
using Poolhouse.Tool.Bench.Report;
using Poolhouse.Tool.Bench.Resources;
using Poolhouse.Tool.Bench.Streams.Pdf;
using Poolhouse.Tool.Cli;
using Poolhouse.Tool.Cli.Studies;
using Poolhouse.Tool.Tests.Report;

namespace Poolhouse.Tool.Tests.Cli;

public sealed class WholeRuns(WholeReport report)
{
    [Fact]
    public async Task A_run_prints_verdicts_within_80_columns_and_writes_page_charts_csv_and_json()
    {
        var run = await report.GetRunAsync();

        Assert.Equal(ExitCode.Success, run.ExitCode);
        Assert.Empty(run.Error);
        var lines = run.Output.Split('\n').Where(line => !line.Contains(report.At(), StringComparison.Ordinal));
        Assert.All(lines, line => Assert.True(line.TrimEnd().Length <= 80, line));
        Assert.DoesNotContain('\e', run.Output);
        var studies = StudySelection.Of([Catalog.Everything], hasServer: false).Studies;
        Assert.All(studies, study => Assert.Contains($"- {study.Id}: ", run.Output, StringComparison.Ordinal));
        Assert.Contains($" of {studies.Count} experiments", run.Output, StringComparison.Ordinal);
        Assert.All(studies, study => Assert.True(File.Exists(report.At("report", $"{study.Id}.csv"))));

        var page = XDocument.Load(report.At("report", ReportWriter.Page));
        var figures = page.Descendants("figure").ToList();
        Assert.True(figures.Count >= 20);
        Assert.All(figures, figure => Assert.NotEmpty(figure.Descendants("td")));
        Assert.Equal(figures.Count, Directory.GetFiles(report.At("report", ReportWriter.ChartFolder), "*.svg").Length);
        Assert.Equal(File.ReadAllText(report.At("report", ReportWriter.Json)), File.ReadAllText(report.At("x.json")));
    }

    [Fact]
    public async Task Resources_can_be_measured_alone_with_every_pool_in_every_scenario()
    {
        using var folder = new TemporaryFolder();
        var run = await ToolRun.Of("bench", "resources", "--report", folder.At("report"));

        Assert.Equal(ExitCode.Success, run.ExitCode);
        var document = JsonReport.Read(File.ReadAllText(folder.At("report", ReportWriter.Json)))!;
        Assert.Empty(document.Experiments);
        var page = File.ReadAllText(folder.At("report", ReportWriter.Page));
        Assert.Contains("the pools run one after another", page, StringComparison.Ordinal);
        Assert.DoesNotContain("rounds or fewer", page, StringComparison.Ordinal);
        Assert.Equal(Catalog.Select("resources").Select(scenario => scenario.Id), document.Scenarios.Select(each => each.Id));
        Assert.All(document.Scenarios, scenario =>
        {
            Assert.True(scenario.IsComplete);
            Assert.Contains(scenario.Trials, trial => trial.Rival == RivalNames.Poolhouse);
            Assert.Contains(scenario.Trials, trial => trial.Rival == RivalNames.ChannelPool);
            Assert.Contains(scenario.Trials, trial => trial.Rival == RivalNames.HomeMadePool);
            Assert.All(scenario.Trials, trial => Assert.NotEmpty(trial.Curves));
        });
    }

    [Fact]
    public async Task Streams_can_be_measured_alone_with_every_rival_and_a_user_supplied_pdf()
    {
        using var folder = new TemporaryFolder();
        File.WriteAllBytes(folder.At("mine.pdf"), PdfSample.Bytes);
        var run = await ToolRun.Of(
            "bench", "streams", "--quick", "--threads", "1", "--pdf", folder.At("mine.pdf"), "--report", folder.At("report"));

        Assert.Equal(ExitCode.Success, run.ExitCode);
        var document = JsonReport.Read(File.ReadAllText(folder.At("report", ReportWriter.Json)))!;
        Assert.Equal(
            Catalog.Select("streams").Select(study => study.Id).Order(),
            document.Experiments.Select(each => each.Id).Concat(document.Scenarios.Select(each => each.Id)).Order());
        string[] rivals = [RivalNames.NoPool, RivalNames.Poolhouse, RivalNames.Recyclable];
        Assert.All(document.Experiments, experiment =>
        {
            Assert.True(experiment.IsComplete);
            Assert.Superset(
                rivals.ToHashSet(), experiment.Measurements.Select(each => each.Rival).ToHashSet());
        });
        Assert.Equal(
            PdfSample.Bytes.Length, document.Experiments.Single(each => each.Id == "streams-pdf").Measurements[0].Parameters[0]);
        Assert.Equal(
            [.. rivals, RivalNames.ToolkitWriter], Assert.Single(document.Scenarios).Trials.Select(trial => trial.Rival));
    }

    [Fact]
    public async Task Http_is_measured_only_on_request()
    {
        using var folder = new TemporaryFolder();
        var run = await ToolRun.Of("bench", Catalog.HttpGroup, "--report", folder.At("report"));

        Assert.Equal(ExitCode.Success, run.ExitCode);
        var document = JsonReport.Read(File.ReadAllText(folder.At("report", ReportWriter.Json)))!;
        Assert.Equal(["http-sockets", "http-overload", "http-move"], document.Scenarios.Select(each => each.Id));
        Assert.All(document.Scenarios, scenario =>
        {
            Assert.True(scenario.IsComplete);
            Assert.Equal(RivalNames.Poolhouse, scenario.Trials[0].Rival);
            Assert.All(scenario.Trials, trial => Assert.NotEmpty(trial.Curves));
        });
        Assert.DoesNotContain(Catalog.Select(Catalog.Everything), study => study.Group == Catalog.HttpGroup);
    }

    [Fact]
    public async Task Workers_are_measured_only_on_request()
    {
        using var folder = new TemporaryFolder();
        var run = await ToolRun.Of("bench", Catalog.WorkerGroup, "--quick", "--report", folder.At("report"));

        Assert.Equal(ExitCode.Success, run.ExitCode);
        var document = JsonReport.Read(File.ReadAllText(folder.At("report", ReportWriter.Json)))!;
        var lines = run.Output.Split('\n').Where(line => !line.Contains(folder.At(), StringComparison.Ordinal));
        Assert.All(lines, line => Assert.True(line.TrimEnd().Length <= 80, line));
        Assert.Equal(["workers-threads", "workers-tiny", "workers-state"], document.Experiments.Select(each => each.Id));
        Assert.All(document.Experiments, experiment =>
        {
            Assert.True(experiment.IsComplete);
            Assert.All(experiment.Measurements, measurement => Assert.InRange(measurement.ItemThreads ?? 0, 1, int.MaxValue));
        });
        Assert.Equal(["workers-neighbour-busy", "workers-neighbour-blocked"], document.Scenarios.Select(each => each.Id));
        Assert.All(document.Scenarios, scenario =>
        {
            Assert.True(scenario.IsComplete);
            Assert.Equal([RivalNames.ThreadPool, RivalNames.Poolhouse], scenario.Trials.Select(trial => trial.Rival));
            Assert.All(scenario.Trials, trial => Assert.NotEmpty(trial.Curves));
        });
        Assert.DoesNotContain(Catalog.Select(Catalog.Everything), study => study.Group == Catalog.WorkerGroup);
    }

    [Fact]
    public async Task Ctrl_C_during_the_scenarios_keeps_the_completed_ones()
    {
        using var folder = new TemporaryFolder();
        using var stop = new CancellationTokenSource();
        using var output = new StoppingWriter("resources-spike:", stop);
        var run = await ToolRun.Of(output, stop.Token, "bench", "resources", "--report", folder.At("report"));

        Assert.Equal(ExitCode.Interrupted, run.ExitCode);
        var document = JsonReport.Read(File.ReadAllText(folder.At("report", ReportWriter.Json)))!;
        Assert.True(Assert.Single(document.Scenarios).IsComplete);
    }

    [Fact]
    public async Task A_second_report_is_written_next_to_the_first()
    {
        using var folder = new TemporaryFolder();
        await ToolRun.Of("bench", "arrays", "--quick", "--threads", "1", "--report", folder.At("report"));
        var first = File.ReadAllText(folder.At("report", ReportWriter.Json));
        var run = await ToolRun.Of("bench", "arrays", "--quick", "--threads", "1", "--report", folder.At("report"));

        Assert.Matches(@"earlier\s+report", run.Output);
        Assert.True(File.Exists(folder.At("report-2", ReportWriter.Page)));
        Assert.Equal(first, File.ReadAllText(folder.At("report", ReportWriter.Json)));
    }

    [Fact]
    public async Task Ctrl_C_during_an_experiment_keeps_the_completed_cells()
    {
        using var folder = new TemporaryFolder();
        using var stop = new CancellationTokenSource();

        // The first cell has one thread, and the second one two.
        var run = await ToolRun.Of(
            new StringWriter(),
            new StoppingClock("bench 2", stop),
            stop.Token,
            "bench", "objects", "--threads", "1,2,3,4", "--report", folder.At("report"));

        Assert.Equal(ExitCode.Interrupted, run.ExitCode);
        var experiment = Assert.Single(JsonReport.Read(File.ReadAllText(folder.At("report", ReportWriter.Json)))!.Experiments);
        Assert.False(experiment.IsComplete);
        Assert.NotEmpty(experiment.Measurements);
        var page = File.ReadAllText(folder.At("report", ReportWriter.Page));
        Assert.Contains("This part was not measured completely", page, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Ctrl_C_keeps_completed_measurements()
    {
        using var folder = new TemporaryFolder();
        using var stop = new CancellationTokenSource();
        using var output = new StoppingWriter("objects-threads:", stop);
        var run = await ToolRun.Of(
            output, stop.Token, "bench", "objects", "--quick", "--threads", "1", "--report", folder.At("report"));

        Assert.Equal(ExitCode.Interrupted, run.ExitCode);
        Assert.Contains("Stopped early", run.Output, StringComparison.Ordinal);
        var document = JsonReport.Read(File.ReadAllText(folder.At("report", ReportWriter.Json)))!;
        Assert.True(document.WasStopped);
        Assert.True(Assert.Single(document.Experiments).IsComplete);
        Assert.Contains("Stopped early", File.ReadAllText(folder.At("report", ReportWriter.Page)), StringComparison.Ordinal);
    }

    [Fact]
    public async Task Ctrl_C_before_the_first_measurement_leaves_no_files()
    {
        using var folder = new TemporaryFolder();
        using var stop = new CancellationTokenSource();
        using var output = new StoppingWriter("cores", stop);
        var run = await ToolRun.Of(output, stop.Token, "bench", "objects", "--quick", "--report", folder.At("report"));

        Assert.Equal(ExitCode.Interrupted, run.ExitCode);
        Assert.Matches(@"nothing\s+was\s+written", run.Output);
        Assert.False(Directory.Exists(folder.At("report")));
    }

    [Fact]
    public async Task Files_of_an_empty_folder_are_not_judged()
    {
        using var folder = new TemporaryFolder();
        Directory.CreateDirectory(folder.At("empty"));
        var run = await ToolRun.Of("bench", "files", "--quick", "--input", folder.At("empty"), "--report", folder.At("report"));

        Assert.Equal(ExitCode.Success, run.ExitCode);
        Assert.Contains("Nothing was measured", run.Output, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_path_with_unprintable_characters_is_measured_and_shown_escaped()
    {
        using var folder = new TemporaryFolder();
        folder.Write("in\u0001\e[31m\uFFFE/a.txt", "a few words");

        var run = await ToolRun.Of(
            "bench", "files", "--quick", "--input", folder.At("in\u0001\e[31m\uFFFE"), "--report", folder.At("report"), "--json",
            folder.At("x.json"));

        Assert.Equal(ExitCode.Success, run.ExitCode);
        Assert.DoesNotContain('\e', run.Output + run.Error);
        Assert.Contains(
            @"in\u0001\u001B[31m\uFFFE", XDocument.Load(folder.At("report", ReportWriter.Page)).ToString(),
            StringComparison.Ordinal);
        Assert.True(File.Exists(folder.At("x.json")));
    }

    [Theory]
    [InlineData("--input")]
    [InlineData("--pdf")]
    public async Task A_missing_path_is_rejected_without_printing_control_characters(string option)
    {
        var run = await ToolRun.Of("bench", option == "--pdf" ? "streams" : "files", "--quick", option, "/no\e[31m/such");

        Assert.Equal(ExitCode.Usage, run.ExitCode);
        Assert.DoesNotContain('\e', run.Output + run.Error);
    }

    /// <summary>Presses Ctrl-C when a certain thread reads the time.</summary>
    private sealed class StoppingClock(string thread, CancellationTokenSource stop) : TimeProvider
    {
        public override long GetTimestamp()
        {
            if (Thread.CurrentThread.Name == thread)
            {
                stop.Cancel();
            }

            return base.GetTimestamp();
        }
    }
}
