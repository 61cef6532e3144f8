using System.Diagnostics;
using Poolhouse.Data.Tests.Servers;

namespace Poolhouse.EntityFrameworkCore.Tests;

public sealed class SampleRuns(PostgresServer server)
{
    [Fact]
    public async Task EfCoreApp_rents_four_connections_for_forty_callers()
    {
        var output = await RunAsync(await server.GetConnectionStringAsync());

        Assert.Equal(
            ["40 notes over 4 connections.", "11 notes after a transaction.", "12 notes after a copy.", "0 leased."],
            output.Split(Environment.NewLine, StringSplitOptions.RemoveEmptyEntries));
    }

    [Fact]
    public async Task EfCoreApp_without_a_server_reports_it() =>
        Assert.StartsWith("Skipped: ", await RunAsync(), StringComparison.Ordinal);

    private static async Task<string> RunAsync(params string[] arguments)
    {
        var program = Path.Combine(AppContext.BaseDirectory, "..", "..", "EfCoreApp", new DirectoryInfo(AppContext.BaseDirectory).Name, "EfCoreApp.dll");
        var start = new ProcessStartInfo("dotnet", [program, .. arguments]) { RedirectStandardOutput = true, UseShellExecute = false };
        using var process = Process.Start(start)!;
        var output = await process.StandardOutput.ReadToEndAsync();
        await process.WaitForExitAsync();
        Assert.Equal(0, process.ExitCode);
        return output;
    }
}
