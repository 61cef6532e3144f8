using System.Reflection;
using System.Runtime.InteropServices;
using Poolhouse.TestSupport;
using Poolhouse.Tool.Bench;
using Poolhouse.Tool.Bench.Report;
using Poolhouse.Tool.Cli;

namespace Poolhouse.Tool.Tests.Cli;

/// <summary>DuckDB, whose native library the user installs.</summary>
public sealed class DuckDbRuns
{
    [Fact]
    public async Task Without_the_native_library_the_message_names_it_and_where_it_is_looked_for()
    {
        using var folder = new TemporaryFolder();
        var start = ToolProcess.With(
            "size", "--provider", "duckdb", "--connection", $"Data Source={folder.At("x.duckdb")}", "--query", "SELECT 1",
            "--allow-writes", "--report", folder.At("report"));
        start.RedirectStandardError = true;
        using var tool = System.Diagnostics.Process.Start(start)!;
        var output = tool.StandardOutput.ReadToEndAsync(TestContext.Current.CancellationToken);
        var errors = await tool.StandardError.ReadToEndAsync(TestContext.Current.CancellationToken);
        await output;
        await tool.WaitForExitAsync(TestContext.Current.CancellationToken);

        Assert.Contains(
            "DuckDB needs libduckdb, a native library that was not found. Install it, or name its folder in LD_LIBRARY_PATH",
            errors.ReplaceLineEndings(" "), StringComparison.Ordinal);
        Assert.Equal(ExitCode.Usage, tool.ExitCode);
    }

    [Fact]
    public async Task A_query_of_the_user_is_measured()
    {
        LoadLibrary();
        using var folder = new TemporaryFolder();
        using var output = new StringWriter();
        var run = await ToolRun.Of(
            output, new TickingClock(TimeSpan.FromMilliseconds(1)), TestContext.Current.CancellationToken,
            "size", "--provider", "duckdb", "--connection", $"Data Source={folder.At("x.duckdb")}", "--query",
            "SELECT 42", "--allow-writes", "--seconds", "1", "--callers", "2", "--report",
            folder.At("report"), "--json", folder.At("x.json"));

        Assert.Equal((ExitCode.Success, ""), (run.ExitCode, run.Error));
        var document = JsonReport.Read(File.ReadAllText(folder.At("x.json")))!;
        Assert.StartsWith("DuckDB v", document.Machine.Databases, StringComparison.Ordinal);
        Assert.True(Assert.Single(document.Scenarios).IsComplete);
    }

    [Fact]
    public async Task Its_experiment_compares_a_pool_with_one_connection_and_with_none()
    {
        LoadLibrary();
        using var folder = new TemporaryFolder();
        var run = await ToolRun.Of(
            "bench", "database", "--provider", "duckdb", "--connection", $"Data Source={folder.At("x.duckdb")}", "--quick",
            "--report", folder.At("report"));

        Assert.Equal((ExitCode.Success, ""), (run.ExitCode, run.Error));
        var experiment = Assert.Single(JsonReport.Read(File.ReadAllText(folder.At("report", ReportWriter.Json)))!.Experiments);
        Assert.Equal(("database-select-duckdb", true), (experiment.Id, experiment.IsComplete));
        string[] rivals = [RivalNames.Poolhouse, RivalNames.OneConnection, RivalNames.NoPool];
        Assert.Equal(rivals, experiment.Measurements.Select(each => each.Rival).Distinct());
    }

    [Theory]
    [InlineData("missing/x.duckdb", "no connection could be opened (IO Error).")]
    [InlineData("x.duckdb;threads=hunter2", "no connection could be opened (DuckDBException).")]
    [InlineData("x.duckdb;hunter2=hunter2", "--connection is not a connection string that the provider understands.")]
    public async Task A_database_that_cannot_be_opened_is_reported_without_its_connection_string(string file, string reason)
    {
        LoadLibrary();
        using var folder = new TemporaryFolder();
        var run = await ToolRun.Of(
            "size", "--provider", "duckdb", "--connection", $"Data Source={folder.At(file)}", "--query", "SELECT 1",
            "--allow-writes", "--report", folder.At("report"));

        Assert.Equal(ExitCode.Usage, run.ExitCode);
        Assert.Contains(reason, run.Error, StringComparison.Ordinal);
        Assert.DoesNotContain("hunter2", run.Error, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_query_that_fails_is_reported_with_the_message()
    {
        LoadLibrary();
        using var folder = new TemporaryFolder();
        var run = await ToolRun.Of(
            "size", "--provider", "duckdb", "--connection", $"Data Source={folder.At("x.duckdb")}", "--query", "SELECT cup",
            "--allow-writes", "--report", folder.At("report"));

        Assert.Equal(ExitCode.Usage, run.ExitCode);
        Assert.Contains("--query failed (Binder Error: Referenced column \"cup\" was not found", run.Error, StringComparison.Ordinal);
    }

    // In the process, it is found by its name from then on.
    private static void LoadLibrary()
    {
        var folder = typeof(DuckDbRuns).Assembly.GetCustomAttributes<AssemblyMetadataAttribute>()
            .Single(each => each.Key == "DuckDbLibraries").Value!;
        var processor = RuntimeInformation.ProcessArchitecture == Architecture.Arm64 ? "arm64" : "x64";
        var library = OperatingSystem.IsWindows() ? $"win-{processor}/native/duckdb.dll"
            : OperatingSystem.IsMacOS() ? "osx/native/libduckdb.dylib"
            : $"linux-{processor}/native/libduckdb.so";
        NativeLibrary.Load(Path.Combine(folder, library));
    }
}
