using System.Diagnostics;
using Xunit;

namespace Poolhouse.TestSupport;

/// <summary>The samples, run as their readers run them.</summary>
internal static class SampleProcess
{
    /// <summary>Runs a sample that must succeed, and returns the lines of its output.</summary>
    public static async Task<IReadOnlyList<string>> RunAsync(string sample, params IReadOnlyList<string> arguments)
    {
        var configuration = new DirectoryInfo(AppContext.BaseDirectory).Name;
        var program = Path.Combine(AppContext.BaseDirectory, "..", "..", sample, configuration, sample + ".dll");
        var start =
            new ProcessStartInfo("dotnet", [program, .. arguments]) { RedirectStandardOutput = true, UseShellExecute = false };
        var (exitCode, output) = await ChildProcess.RunToEndAsync(start);
        Assert.Equal(0, exitCode);
        return output.Split(System.Environment.NewLine, StringSplitOptions.RemoveEmptyEntries);
    }
}
