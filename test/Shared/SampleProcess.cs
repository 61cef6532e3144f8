using System.Diagnostics;
using Xunit;

namespace Poolhouse.TestSupport;

/// <summary>The samples, run as their readers run them.</summary>
internal static class SampleProcess
{
    private static readonly TimeSpan _longest = TimeSpan.FromMinutes(2);

    /// <summary>Runs a sample that must succeed, and returns the lines of its output.</summary>
    public static async Task<IReadOnlyList<string>> RunAsync(string sample, params IReadOnlyList<string> arguments)
    {
        var configuration = new DirectoryInfo(AppContext.BaseDirectory).Name;
        var program = Path.Combine(AppContext.BaseDirectory, "..", "..", sample, configuration, sample + ".dll");
        var start =
            new ProcessStartInfo("dotnet", [program, .. arguments]) { RedirectStandardOutput = true, UseShellExecute = false };
        using var process = Process.Start(start)!;
        using var deadline = CancellationTokenSource.CreateLinkedTokenSource(TestContext.Current.CancellationToken);
        deadline.CancelAfter(_longest);
        try
        {
            var output = await process.StandardOutput.ReadToEndAsync(deadline.Token);
            await process.WaitForExitAsync(deadline.Token);
            Assert.Equal(0, process.ExitCode);
            return output.Split(System.Environment.NewLine, StringSplitOptions.RemoveEmptyEntries);
        }
        finally
        {
            process.Kill(entireProcessTree: true);
        }
    }
}
