using System.Diagnostics;
using Poolhouse.Data.Tests.Servers;

namespace Poolhouse.EntityFrameworkCore.Tests;

public sealed class SampleRuns(PostgresServer server)
{
    [Fact]
    public async Task EfCoreApp_rents_at_most_four_connections_for_forty_callers()
    {
        var output = await RunAsync(await server.GetConnectionStringAsync());

        var lines = output.Split(Environment.NewLine, StringSplitOptions.RemoveEmptyEntries);

        // Four is the limit. Fewer are enough on a machine that takes longer to open a connection than to save the notes of those
        // who wait.
        Assert.Matches("^40 notes over [1-4] connections[.]$", lines[0]);
        Assert.Equal(["11 notes after a transaction.", "12 notes after a copy.", "0 leased."], lines[1..]);
    }

    [Fact]
    public async Task EfCoreApp_without_a_server_reports_it() =>
        Assert.StartsWith("Skipped: ", await RunAsync(), StringComparison.Ordinal);

    private static async Task<string> RunAsync(params string[] arguments)
    {
        var program = Path.Combine(
            AppContext.BaseDirectory, "..", "..", "EfCoreApp", new DirectoryInfo(AppContext.BaseDirectory).Name, "EfCoreApp.dll");
        var start =
            new ProcessStartInfo("dotnet", [program, .. arguments]) { RedirectStandardOutput = true, UseShellExecute = false };
        using var process = Process.Start(start)!;
        var output = await process.StandardOutput.ReadToEndAsync();
        await process.WaitForExitAsync();
        Assert.Equal(0, process.ExitCode);
        return output;
    }
}
