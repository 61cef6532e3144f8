using System.Xml.Linq;
using Npgsql;
using Poolhouse.Tool.Bench.Databases;
using Poolhouse.Tool.Bench.Report;
using Poolhouse.Tool.Bench.Resources;
using Poolhouse.Tool.Cli;
using Poolhouse.Tool.Servers;
using Poolhouse.Tool.Tests.Databases;

namespace Poolhouse.Tool.Tests.Cli;

public sealed class SizeRuns
{
    [Fact]
    public async Task A_sweep_recommends_a_size_and_writes_charts_csv_and_json()
    {
        using var folder = new TemporaryFolder();
        using var file = new TemporarySqlite();
        using var output = new StringWriter();
        var run = await ToolRun.Of(
            output, new TickingClock(TimeSpan.FromMilliseconds(1)), TestContext.Current.CancellationToken,
            "size", "--provider", "sqlite", "--connection", file.ConnectionString, "--query", "SELECT sum(n) FROM number",
            "--seconds", "60", "--callers", "4", "--report", folder.At("report"), "--json", folder.At("x.json"));

        Assert.Equal(ExitCode.Success, run.ExitCode);
        Assert.Empty(run.Error);
        var lines = run.Output.Split('\n').Where(line => !line.Contains(folder.At(), StringComparison.Ordinal));
        Assert.All(lines, line => Assert.True(line.TrimEnd().Length <= 80, line));
        Assert.DoesNotContain("Where Poolhouse loses", run.Output, StringComparison.Ordinal);
        var study = Assert.Single(JsonReport.Read(File.ReadAllText(folder.At("x.json")))!.Scenarios);
        Assert.True(study.Outcome is "Recommended" or "Inconclusive", study.Outcome); // as quiet as the machine is
        Assert.True(study.IsComplete);
        var trial = Assert.Single(study.Trials);
        var throughput = trial.CurveOf(SizeCurves.Throughput)!.Points;
        Assert.Equal([1, 2, 3, 4], throughput.Select(point => point.X));
        Assert.All(throughput, point => Assert.True(point.Y > 0));
        Assert.Contains(trial.FindingOf("Recommended size")!.Value, throughput.Select(point => point.X));
        Assert.True(File.Exists(folder.At("report", "size.csv")));
        Assert.Equal(2, Directory.GetFiles(folder.At("report", ReportWriter.ChartFolder), "*.svg").Length);
        Assert.Contains(
            "How many connections for this query?",
            XDocument.Load(folder.At("report", ReportWriter.Page)).Descendants("h1").Single().Value,
            StringComparison.Ordinal);
    }

    [Fact]
    public async Task SQL_Server_is_a_model_unless_a_server_is_named()
    {
        using var folder = new TemporaryFolder();
        using var output = new StringWriter();
        var run = await ToolRun.Of(
            output, new TickingClock(TimeSpan.FromMilliseconds(1)), TestContext.Current.CancellationToken,
            "size", "--provider", "sqlserver", "--query", "SELECT 1", "--seconds", "1", "--callers", "2", "--report",
            folder.At("report"), "--json", folder.At("x.json"));

        Assert.Equal(ExitCode.Success, run.ExitCode);
        var document = JsonReport.Read(File.ReadAllText(folder.At("x.json")))!;
        Assert.Equal("embedded TDS server, 1 ms a request", document.Machine.Databases);
        Assert.True(Assert.Single(document.Scenarios).IsComplete);
    }

    [Fact]
    public async Task Written_files_never_contain_the_connection_string()
    {
        using var folder = new TemporaryFolder();
        using var file = new TemporarySqlite();
        using var output = new StringWriter();
        await ToolRun.Of(
            output, new TickingClock(TimeSpan.FromMilliseconds(1)), TestContext.Current.CancellationToken,
            "size", "--provider", "sqlite", $"--connection={file.ConnectionString}", "--query", "SELECT 1",
            "--seconds", "1", "--callers", "1", "--report", folder.At("report"));

        var files = Directory.GetFiles(folder.At("report"), "*", SearchOption.AllDirectories);
        Assert.True(files.Length >= 5);
        Assert.All(files, path => Assert.DoesNotContain(file.File, File.ReadAllText(path), StringComparison.Ordinal));
    }

    [Fact]
    public async Task A_long_query_with_any_characters_is_shown_in_the_report()
    {
        using var folder = new TemporaryFolder();
        using var file = new TemporarySqlite();
        using var output = new StringWriter();
        var start = "SELECT 'a\u0001b', '";
        var query = start + new string('x', 119 - start.Length - @"\u000".Length) + "\U0001F600'";
        var run = await ToolRun.Of(
            output, new TickingClock(TimeSpan.FromMilliseconds(1)), TestContext.Current.CancellationToken,
            "size", "--provider", "sqlite", $"--connection={file.ConnectionString}", "--query", query,
            "--seconds", "1", "--callers", "1", "--report", folder.At("report"));

        Assert.True(run.ExitCode == ExitCode.Success, run.Error);
        var page = XDocument.Load(folder.At("report", ReportWriter.Page)).Root!.Value;
        Assert.Contains(@"Query: SELECT 'a\u0001b', 'xxx", page, StringComparison.Ordinal);
        Assert.Contains("xxx…", page, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_query_that_writes_is_rejected_and_changes_nothing()
    {
        using var folder = new TemporaryFolder();
        using var file = new TemporarySqlite();
        var run = await ToolRun.Of(
            "size", "--provider", "sqlite", "--connection", $"{file.ConnectionString};Mode=ReadWrite",
            "--query", "INSERT INTO number VALUES (4)", "--report", folder.At("report"));

        Assert.Equal(ExitCode.Usage, run.ExitCode);
        Assert.Contains("--allow-writes", run.Error, StringComparison.Ordinal);
        Assert.Equal(3, file.CountRows());
    }

    [Fact]
    public async Task A_query_allowed_to_write_writes()
    {
        using var folder = new TemporaryFolder();
        using var file = new TemporarySqlite();
        using var output = new StringWriter();
        var run = await ToolRun.Of(
            output, new TickingClock(TimeSpan.FromMilliseconds(1)), TestContext.Current.CancellationToken,
            "size", "--provider", "sqlite", "--connection", file.ConnectionString, "--allow-writes", "--seconds", "1",
            "--callers", "1", "--query", "INSERT INTO number VALUES (4)", "--report", folder.At("report"));

        Assert.True(run.ExitCode == ExitCode.Success, run.Error);
        Assert.True(file.CountRows() > 3);
    }

    [Fact]
    public async Task A_fast_query_is_tried_three_times_to_estimate_its_time()
    {
        using var folder = new TemporaryFolder();
        using var file = new TemporarySqlite();
        using var output = new StringWriter();

        // Too little time for all sizes, so nothing runs after the estimate.
        var run = await ToolRun.Of(
            output, new TickingClock(TimeSpan.FromMilliseconds(3)), TestContext.Current.CancellationToken,
            "size", "--provider", "sqlite", "--connection", file.ConnectionString, "--allow-writes", "--seconds", "1",
            "--callers", "1000", "--query", "INSERT INTO number VALUES (4)", "--report", folder.At("report"));

        Assert.Equal(ExitCode.Usage, run.ExitCode);
        Assert.Contains("the query takes 3 ms", run.Error, StringComparison.Ordinal);
        Assert.Equal(3 + 3, file.CountRows());
    }

    [Fact]
    public async Task Ctrl_C_during_the_estimate_of_a_slow_query_ends_it()
    {
        Assert.SkipUnless(TemporaryPostgres.TryFind(out var reason), reason);
        using var folder = new TemporaryFolder();
        await using var server = await TemporaryPostgres.StartAsync(cancellationToken: TestContext.Current.CancellationToken);
        using var stop = new CancellationTokenSource();
        var run = ToolRun.Of(
            new StringWriter(), stop.Token,
            "size", "--provider", "npgsql", "--connection", server.ConnectionString, "--query", "SELECT pg_sleep(3600)",
            "--report", folder.At("report"));
        await using var watch = NpgsqlDataSource.Create(server.ConnectionString);
        await using var sleeping = watch.CreateCommand(
            "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep'");
        while (!run.IsCompleted && await sleeping.ExecuteScalarAsync(TestContext.Current.CancellationToken) is 0L)
        {
        }

        await stop.CancelAsync();

        var ended = await run;
        Assert.True(ended.ExitCode == ExitCode.Interrupted, ended.Error);
        Assert.False(Directory.Exists(folder.At("report")));
    }

    [Fact]
    public async Task Ctrl_C_before_the_first_round_leaves_no_files()
    {
        using var folder = new TemporaryFolder();
        using var file = new TemporarySqlite();
        using var stop = new CancellationTokenSource();
        using var output = new StoppingWriter("cores", stop);
        var run = await ToolRun.Of(
            output, stop.Token,
            "size", "--provider", "sqlite", "--connection", file.ConnectionString, "--query", "SELECT 1",
            "--report", folder.At("report"));

        Assert.Equal(ExitCode.Interrupted, run.ExitCode);
        Assert.Matches(@"nothing\s+was\s+written", run.Output);
        Assert.False(Directory.Exists(folder.At("report")));
    }
}
