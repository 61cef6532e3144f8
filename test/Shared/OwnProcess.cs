using System.Diagnostics;
using Xunit;

namespace Poolhouse.TestSupport;

/// <summary>Runs an explicit test of this program in a process of its own, whose settings differ from those of the run.</summary>
internal static class OwnProcess
{
    private const string Variable = "POOLHOUSE_OWN_PROCESS";

    /// <summary>Whether this process was started to run one explicit test.</summary>
    public static bool IsThis { get; } = System.Environment.GetEnvironmentVariable(Variable) is "1";

    /// <summary>Runs the test, and fails as it does.</summary>
    /// <param name="type">The class of the test.</param>
    /// <param name="method">Its name.</param>
    /// <param name="environment">Environment variables for the process.</param>
    public static async Task RunAsync(Type type, string method, params IReadOnlyList<(string Name, string Value)> environment)
    {
        var program = System.Environment.ProcessPath!;
        string[] host = Path.GetFileNameWithoutExtension(program) is "dotnet" ? [type.Assembly.Location] : [];
        var start = new ProcessStartInfo(
            program, [.. host, "-noLogo", "-noColor", "-explicit", "only", "-method", $"{type.FullName}.{method}"])
        {
            UseShellExecute = false,
            RedirectStandardOutput = true,
        };
        start.Environment[Variable] = "1";
        foreach (var (name, value) in environment)
        {
            start.Environment[name] = value;
        }

        var (exitCode, output) = await ChildProcess.RunToEndAsync(start);
        Assert.True(
            exitCode == 0 && output.Contains("Total: 1, Errors: 0, Failed: 0, Skipped: 0", StringComparison.Ordinal),
            output);
    }
}
