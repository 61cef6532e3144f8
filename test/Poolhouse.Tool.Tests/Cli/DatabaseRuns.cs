using Poolhouse.Tool.Bench;
using Poolhouse.Tool.Bench.Databases;
using Poolhouse.Tool.Bench.Report;
using Poolhouse.Tool.Cli;
using Poolhouse.Tool.Cli.Studies;
using Poolhouse.Tool.Servers;
using Poolhouse.Tool.Servers.Tds;

namespace Poolhouse.Tool.Tests.Cli;

public sealed class DatabaseRuns
{
    [Fact]
    public async Task Every_rival_takes_part_on_a_temporary_server()
    {
        Assert.SkipUnless(TemporaryPostgres.TryFind(out var reason), reason);
        using var folder = new TemporaryFolder();
        var run = await ToolRun.Of("bench", "database", "--quick", "--threads", "1", "--report", folder.At("report"));

        Assert.Equal(ExitCode.Success, run.ExitCode);
        var document = JsonReport.Read(File.ReadAllText(folder.At("report", ReportWriter.Json)))!;
        Assert.Matches("^SQLite [0-9.]+, PostgreSQL [0-9.]+$", document.Machine.Databases);
        Assert.Equal(["database-select-sqlite", "database-select-postgresql"], document.Experiments.Select(each => each.Id));
        Assert.All(document.Experiments, experiment =>
        {
            Assert.True(experiment.IsComplete);
            string[] rivals =
            [
                RivalNames.Poolhouse, RivalNames.PoolhouseSameReset, RivalNames.ProviderPool, RivalNames.OneConnection,
                RivalNames.NoPool,
            ];
            Assert.Equal(rivals, experiment.Measurements.Select(each => each.Rival).Distinct());
        });
        Assert.Contains(document.Scenarios, scenario => scenario.Id == "database-outage-postgresql");
        Assert.All(document.Scenarios, scenario =>
        {
            Assert.True(scenario.IsComplete);
            Assert.Contains(scenario.Trials, trial => trial.Rival == RivalNames.Poolhouse);
            Assert.Contains(scenario.Trials, trial => trial.Rival == RivalNames.ProviderPool);
        });
    }

    [Fact]
    public async Task A_server_of_the_user_is_measured_but_not_stopped_or_named()
    {
        Assert.SkipUnless(TemporaryPostgres.TryFind(out var reason), reason);
        using var folder = new TemporaryFolder();
        await using var server = await TemporaryPostgres.StartAsync(
            new TemporaryPostgresOptions { Password = "hunter2" }, TestContext.Current.CancellationToken);
        var run = await ToolRun.Of(
            "bench", "database", "--quick", "--threads", "1", "--postgres", server.ConnectionString, "--report",
            folder.At("report"));

        Assert.Equal(ExitCode.Success, run.ExitCode);
        Assert.Contains("database-outage-postgresql is skipped", run.Output.ReplaceLineEndings(" "), StringComparison.Ordinal);
        var document = JsonReport.Read(File.ReadAllText(folder.At("report", ReportWriter.Json)))!;
        Assert.Contains(document.Experiments, experiment => experiment.Id == "database-select-postgresql");
        Assert.DoesNotContain(document.Scenarios, scenario => scenario.Id == "database-outage-postgresql");
        Assert.All(Directory.GetFiles(folder.At("report"), "*", SearchOption.AllDirectories), path =>
        {
            var text = File.ReadAllText(path);
            Assert.DoesNotContain("hunter2", text, StringComparison.Ordinal);
            Assert.DoesNotContain($"Port={server.Port}", text, StringComparison.Ordinal);
            Assert.DoesNotContain("127.0.0.1", text, StringComparison.Ordinal);
        });
    }

    [Fact]
    public async Task A_wrong_password_is_reported_by_the_server_and_not_repeated()
    {
        Assert.SkipUnless(TemporaryPostgres.TryFind(out var reason), reason);
        using var folder = new TemporaryFolder();
        await using var server = await TemporaryPostgres.StartAsync(
            new TemporaryPostgresOptions { Password = "hunter2" }, TestContext.Current.CancellationToken);
        var run = await ToolRun.Of(
            "bench", "database", "--postgres", server.ConnectionString.Replace("hunter2", "hunter3", StringComparison.Ordinal),
            "--report", folder.At("report"));

        Assert.Equal(ExitCode.Usage, run.ExitCode);
        Assert.Contains("28P01", run.Error, StringComparison.Ordinal);
        Assert.DoesNotContain("hunter", run.Error, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("arrays", "'arrays' uses no PostgreSQL server.")]
    [InlineData("database-select-sqlite", "'database-select-sqlite' uses no PostgreSQL server.")]
    [InlineData("web", "it creates tables, so it uses only a server of its own.")]
    [InlineData("database-outage-postgresql", "was not started by this run and is not stopped.")]
    public async Task A_server_for_an_experiment_that_does_not_use_it_is_rejected_with_the_reason(string choice, string reason)
    {
        var run = await ToolRun.Of("bench", choice, "--postgres", "Host=localhost");

        Assert.Equal(ExitCode.Usage, run.ExitCode);
        Assert.EndsWith(reason, run.Error.TrimEnd(), StringComparison.Ordinal);
    }

    [Fact]
    public async Task SQL_Server_is_measured_on_a_model_unless_a_server_is_named()
    {
        using var folder = new TemporaryFolder();
        var run = await ToolRun.Of(
            "bench", "database", "--provider", "sqlserver", "--quick", "--report", folder.At("report"));

        Assert.Equal(ExitCode.Success, run.ExitCode);
        var document = JsonReport.Read(File.ReadAllText(folder.At("report", ReportWriter.Json)))!;
        Assert.Equal("embedded TDS server, 1 ms a request", document.Machine.Databases);
        var experiment = Assert.Single(document.Experiments);
        Assert.Equal(("database-select-sqlserver", true), (experiment.Id, experiment.IsComplete));
        string[] rivals =
            [RivalNames.Poolhouse, RivalNames.ProviderPool, RivalNames.OneConnection, RivalNames.NoPool];
        Assert.Equal(rivals, experiment.Measurements.Select(each => each.Rival).Distinct());
        Assert.Empty(document.Scenarios);
    }

    [Fact]
    public async Task A_SQL_Server_that_refuses_the_login_is_reported_without_its_connection_string()
    {
        using var folder = new TemporaryFolder();
        await using var server = TdsServer.Start();
        var run = await ToolRun.Of(
            "bench", "database", "--provider", "sqlserver", "--sqlserver", server.ConnectionString + ";Password=hunter2",
            "--report", folder.At("report"));

        Assert.Equal(ExitCode.Usage, run.ExitCode);
        Assert.Contains("--sqlserver: no connection could be opened (18,456: Login failed", run.Error, StringComparison.Ordinal);
        Assert.DoesNotContain("hunter2", run.Error, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("--provider is for 'database'; 'arrays' has nothing for it.", "arrays", "--provider", "sqlserver")]
    [InlineData("--sqlserver is for 'database' with --provider sqlserver.", "database-select-sqlite", "--sqlserver", "Server=x")]
    [InlineData(
        "--connection is for --provider mysql, odbc, duckdb or firebird. Other servers have --postgres and --sqlserver.", "database",
        "--provider", "npgsql", "--connection", "Host=x")]
    [InlineData(
        "MySQL needs --provider mysql and --connection, such as 'Server=localhost;User ID=me;Database=mine'.", "database",
        "--provider", "mysql")]
    public async Task Options_that_do_not_fit_are_rejected_with_the_reason(string reason, params string[] arguments)
    {
        var run = await ToolRun.Of(["bench", .. arguments]);

        Assert.Equal(ExitCode.Usage, run.ExitCode);
        Assert.EndsWith(reason, run.Error.TrimEnd(), StringComparison.Ordinal);
    }

    [Fact]
    public void All_means_experiments_without_a_server_unless_one_is_named()
    {
        Assert.Equal([DatabaseKind.Sqlite], StudySelection.Of([Catalog.Everything], hasServer: false).Databases);
        Assert.Equal(
            [DatabaseKind.Sqlite, DatabaseKind.PostgreSql], StudySelection.Of([Catalog.Everything], hasServer: true).Databases);
        Assert.Empty(StudySelection.Of(["resources"], hasServer: true).Databases);
        Assert.Equal(
            [DatabaseKind.SqlServer],
            StudySelection.Of([Catalog.DatabaseGroup], hasServer: false, provider: DatabaseKind.SqlServer).Databases);
    }
}
