using System.Text.Json;
using Poolhouse.Data.Tests.Servers;
using Poolhouse.TestSupport;

namespace Poolhouse.Data.Tests.Providers;

/// <summary><c>poolhouse bench database</c> and <c>size</c> with the drivers for servers that the tool does not start.</summary>
public sealed class ToolRuns(MariaDbServer mariaDb, FirebirdServer firebird) : IDisposable
{
    private readonly DirectoryInfo _folder = Directory.CreateTempSubdirectory("poolhouse-tool-");

    public void Dispose() => _folder.Delete(recursive: true);

    [Theory]
    [InlineData("mysql", "^MySQL [0-9.]+", true)]
    [InlineData("odbc", "^ODBC [0-9.]+", false)]
    public async Task Every_way_to_a_connection_is_measured(string provider, string name, bool hasPool)
    {
        var report = await RunAsync(
            "bench", "database", "--provider", provider, "--connection", await ConnectAsync(provider), "--quick");

        Assert.Matches(name, report.GetProperty("machine").GetProperty("databases").GetString());
        var rivals = Assert.Single(report.GetProperty("experiments").EnumerateArray()).GetProperty("measurements")
            .EnumerateArray().Select(each => each.GetProperty("rival").GetString()).Distinct();
        Assert.Equal(
            hasPool
                ? ["Poolhouse", "provider's pool", "one connection", "no pool"]
                : ["Poolhouse", "one connection", "no pool"],
            rivals);
    }

    [Fact]
    public async Task A_size_is_recommended_with_a_timeout_in_the_connection_string()
    {
        var report = await RunAsync(
            "size", "--provider", "firebird", "--connection", await ConnectAsync("firebird") + ";Connection Timeout=60",
            "--query", "SELECT 1 FROM RDB$DATABASE", "--allow-writes", "--seconds", "4", "--callers", "2");

        Assert.Matches("^Firebird LI-V[0-9.]+$", report.GetProperty("machine").GetProperty("databases").GetString());
        Assert.Equal("size", Assert.Single(report.GetProperty("scenarios").EnumerateArray()).GetProperty("id").GetString());
    }

    private async Task<string> ConnectAsync(string provider)
    {
        switch (provider)
        {
            case "mysql":
                return await mariaDb.CreateDatabaseAsync();
            case "firebird":
                return await firebird.CreateDatabaseAsync();
            default:
                OdbcDrivers.SkipWithout("SQLite3");
                return $"Driver={{SQLite3}};Database={Path.Combine(_folder.FullName, "test.db")}";
        }
    }

    /// <summary>The results of a run, and that no file of its report contains the connection string.</summary>
    private async Task<JsonElement> RunAsync(params string[] arguments)
    {
        var report = Path.Combine(_folder.FullName, "report");
        var (exitCode, output) = await ChildProcess.RunToEndAsync(ToolProcess.With([.. arguments, "--report", report]));
        Assert.True(exitCode == 0, output);
        foreach (var file in Directory.EnumerateFiles(report, "*", SearchOption.AllDirectories))
        {
            var text = await File.ReadAllTextAsync(file, TestContext.Current.CancellationToken);
            Assert.DoesNotContain("Password", text, StringComparison.OrdinalIgnoreCase);
            Assert.DoesNotContain("127.0.0.1", text, StringComparison.Ordinal);
        }

        using var results = JsonDocument.Parse(
            await File.ReadAllTextAsync(Path.Combine(report, "results.json"), TestContext.Current.CancellationToken));
        return results.RootElement.Clone();
    }
}
