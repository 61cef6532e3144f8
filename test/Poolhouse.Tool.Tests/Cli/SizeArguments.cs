using Poolhouse.Tool.Cli;
using Poolhouse.Tool.Servers;
using Poolhouse.Tool.Tests.Databases;

namespace Poolhouse.Tool.Tests.Cli;

public sealed class SizeArguments
{
    private const string Query = "SELECT sum(n) FROM number";

    [Theory]
    [InlineData]
    [InlineData("--provider", "oracle", "--connection", "x", "--query", "SELECT 1")]
    [InlineData("--provider", "sqlite", "--query", "SELECT 1")]
    [InlineData("--provider", "sqlite", "--connection", "x")]
    [InlineData("--provider", "sqlite", "--connection", "x", "--query", "SELECT 1", "--callers", "many")]
    public async Task Missing_and_unknown_options_are_explained(params string[] args)
    {
        var run = await ToolRun.Of(["size", .. args]);

        Assert.Equal(ExitCode.Usage, run.ExitCode);
        Assert.Contains("poolhouse size --help", run.Error, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(
        "--provider 'oracle' is not supported; allowed: sqlite, npgsql, sqlserver, mysql, odbc, duckdb, firebird.", "--provider", "oracle",
        "--connection", "x")]
    [InlineData("--callers 'many' is not a number; allowed: 1 to 1,000.", "--provider", "sqlite", "--connection", "x", "--callers", "many")]
    [InlineData("--seconds 'few' is not a number; allowed: 1 to 3,600.", "--provider", "sqlite", "--connection", "x", "--seconds", "few")]
    public async Task A_value_that_is_not_understood_is_named_with_what_is_allowed(string message, params string[] args)
    {
        var run = await ToolRun.Of(["size", "--query", "SELECT 1", .. args]);

        Assert.Equal(ExitCode.Usage, run.ExitCode);
        Assert.StartsWith(message, run.Error, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("--callers", "0", "--callers 0 is outside 1 to 1,000")]
    [InlineData("--callers", "1001", "--callers 1,001 is outside 1 to 1,000")]
    [InlineData("--seconds", "0.5", "--seconds 0.5 is outside 1 to 3,600")]
    [InlineData("--seconds", "3601", "--seconds 3,601 is outside 1 to 3,600")]
    [InlineData("--seconds", "NaN", "--seconds NaN is outside 1 to 3,600")]
    public async Task A_value_out_of_range_is_named_with_the_range(string option, string value, string message)
    {
        using var folder = new TemporaryFolder();
        using var file = new TemporarySqlite();
        var run = await ToolRun.Of(
            "size", "--provider", "sqlite", "--connection", file.ConnectionString, "--query", Query,
            option, value, "--report", folder.At("report"));

        Assert.Equal(ExitCode.Usage, run.ExitCode);
        Assert.Contains(message, run.Error, StringComparison.Ordinal);
        Assert.False(Directory.Exists(folder.At("report")));
    }

    [Theory]
    [InlineData("--connection is missing; only --provider sqlserver has a server of its own.", "--provider", "npgsql")]
    [InlineData(
        "On SQL Server, no session can be kept read-only. Add --allow-writes", "--provider", "sqlserver", "--connection",
        "Server=nowhere")]
    [InlineData("--connection is missing", "--provider", "mysql")]
    [InlineData(
        "On Firebird, no session can be kept read-only. Add --allow-writes", "--provider", "firebird", "--connection", "x")]
    public async Task A_server_without_which_nothing_can_be_measured_is_asked_for(string message, params string[] args)
    {
        var run = await ToolRun.Of(["size", "--query", Query, .. args]);

        Assert.Equal(ExitCode.Usage, run.ExitCode);
        Assert.Contains(message, run.Error, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_blank_query_is_rejected()
    {
        using var file = new TemporarySqlite();
        var run = await ToolRun.Of(
            "size", "--provider", "sqlite", "--connection", file.ConnectionString, "--query", "  ");

        Assert.Equal(ExitCode.Usage, run.ExitCode);
        Assert.Contains("--query is blank", run.Error, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("npgsql", "Host=localhost;Pass word=hunter2;x=hunter2")]
    [InlineData("npgsql", "Host=localhost;Port=hunter2")]
    [InlineData("sqlite", "hunter2")]
    [InlineData("mysql", "Pass word=hunter2", "--allow-writes")]
    [InlineData("odbc", "Pwd={hunter2", "--allow-writes")]
    [InlineData("firebird", "hunter2", "--allow-writes")]
    public async Task An_invalid_connection_string_is_not_repeated(string provider, string connection, params string[] more)
    {
        using var folder = new TemporaryFolder();
        var run = await ToolRun.Of(
            [
                "size", "--provider", provider, "--connection", connection, "--query", Query, "--report", folder.At("report"),
                .. more,
            ]);

        Assert.Equal(ExitCode.Usage, run.ExitCode);
        Assert.Contains("--connection is not a connection string", run.Error, StringComparison.Ordinal);
        Assert.DoesNotContain("hunter2", run.Error + run.Output, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("Host=hunter2;Multiplexing=true")]
    [InlineData("Username=hunter2;Password=hunter2")]
    public async Task Settings_that_the_provider_refuses_are_reported_and_not_repeated(string connection)
    {
        using var folder = new TemporaryFolder();
        var run = await ToolRun.Of(
            "size", "--provider", "npgsql", "--connection", connection, "--query", Query, "--report", folder.At("report"));

        Assert.Equal(ExitCode.Usage, run.ExitCode);
        Assert.Contains("--connection: the provider refuses these settings (Argument", run.Error, StringComparison.Ordinal);
        Assert.DoesNotContain("hunter2", run.Error + run.Output, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("npgsql", "Host=127.0.0.1;Port=1;Username=me;Password=hunter2", "ConnectionRefused")]
    [InlineData("mysql", "Server=127.0.0.1;Port=1;User ID=me;Password=hunter2", "1,042: Unable to connect")]
    [InlineData("odbc", "Driver={hunter2};Pwd=hunter2", "SQLSTATE ")]
    [InlineData("firebird", "DataSource=127.0.0.1;Port=1;User=me;Password=hunter2;Database=x", "335,544,721: ")]
    public async Task An_unreachable_server_is_reported(string provider, string connection, string reason)
    {
        using var folder = new TemporaryFolder();
        var run = await ToolRun.Of(
            "size", "--provider", provider, "--connection", connection, "--query", Query, "--report", folder.At("report"),
            "--allow-writes");

        Assert.Equal(ExitCode.Usage, run.ExitCode);
        Assert.Contains($"no connection could be opened ({reason}", run.Error, StringComparison.Ordinal);
        Assert.DoesNotContain("hunter2", run.Error, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_missing_file_is_not_created(bool allowWrites)
    {
        using var folder = new TemporaryFolder();
        string[] writes = allowWrites ? ["--allow-writes"] : [];
        var run = await ToolRun.Of(
            [
                "size", "--provider", "sqlite", "--connection", $"Data Source={folder.At("missing.db")}", "--query", Query,
                "--report", folder.At("report"), .. writes,
            ]);

        Assert.Equal(ExitCode.Usage, run.ExitCode);
        Assert.Contains("no connection could be opened", run.Error, StringComparison.Ordinal);
        Assert.False(File.Exists(folder.At("missing.db")));
    }

    [Theory]
    [InlineData("Data Source=:memory:")]
    [InlineData("Data Source=shared;Mode=Memory;Cache=Shared")]
    [InlineData("")]
    public async Task A_database_in_memory_cannot_be_sized(string connection)
    {
        using var folder = new TemporaryFolder();
        var run = await ToolRun.Of(
            "size", "--provider", "sqlite", "--connection", connection, "--query", Query, "--report", folder.At("report"));

        Assert.Equal(ExitCode.Usage, run.ExitCode);
        Assert.Contains("names no file", run.Error, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("SELECT * FROM nowhere", "--query failed", "no such table: nowhere")]
    [InlineData(
        "SELECT * FROM number WHERE n = @n", "--query cannot be run (Must add values for the following param",
        "Parameters and COPY are not supported.")]
    public async Task A_query_that_cannot_be_run_shows_the_message_of_the_database_or_provider(
        string query, string problem, string message)
    {
        using var folder = new TemporaryFolder();
        using var file = new TemporarySqlite();
        var run = await ToolRun.Of(
            "size", "--provider", "sqlite", "--connection", file.ConnectionString, "--query", query,
            "--report", folder.At("report"));

        Assert.Equal(ExitCode.Usage, run.ExitCode);
        Assert.StartsWith(problem, run.Error, StringComparison.Ordinal);
        Assert.Contains(message, run.Error, StringComparison.Ordinal);
        Assert.False(Directory.Exists(folder.At("report")));
    }

    [Fact]
    public async Task A_copy_to_the_client_is_no_query()
    {
        Assert.SkipUnless(TemporaryPostgres.TryFind(out var reason), reason);
        using var folder = new TemporaryFolder();
        await using var server = await TemporaryPostgres.StartAsync(cancellationToken: TestContext.Current.CancellationToken);
        var run = await ToolRun.Of(
            "size", "--provider", "npgsql", "--connection", server.ConnectionString, "--query", "COPY (SELECT 1) TO STDOUT",
            "--report", folder.At("report"));

        Assert.Equal(ExitCode.Usage, run.ExitCode);
        Assert.StartsWith("--query cannot be run (COPY isn't supported", run.Error, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("--report")]
    [InlineData("--json")]
    public async Task A_blank_report_folder_or_json_file_is_named(string option)
    {
        using var file = new TemporarySqlite();
        var run = await ToolRun.Of(
            "size", "--provider", "sqlite", "--connection", file.ConnectionString, "--query", Query, option, "");

        Assert.Equal(ExitCode.Usage, run.ExitCode);
        Assert.StartsWith(option + " is blank. ", run.Error, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_query_too_slow_for_the_given_time_reports_the_time_it_needs()
    {
        using var folder = new TemporaryFolder();
        using var file = new TemporarySqlite();
        var run = await ToolRun.Of(
            "size", "--provider", "sqlite", "--connection", file.ConnectionString, "--seconds", "1", "--callers", "1000",
            "--query", "WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r WHERE i < 1000000) SELECT sum(i) FROM r",
            "--report", folder.At("report"));

        Assert.Equal(ExitCode.Usage, run.ExitCode);
        Assert.Contains("--seconds 1 is too short", run.Error, StringComparison.Ordinal);
    }

    [Fact]
    public async Task An_existing_json_file_is_rejected_before_anything_is_queried()
    {
        using var folder = new TemporaryFolder();
        var json = folder.Write("results.json", "mine");
        var run = await ToolRun.Of(
            "size", "--provider", "sqlite", "--connection", "Data Source=nowhere.db", "--query", Query, "--json", json);

        Assert.Equal(ExitCode.Usage, run.ExitCode);
        Assert.Contains("nothing is overwritten", run.Error, StringComparison.Ordinal);
    }
}
