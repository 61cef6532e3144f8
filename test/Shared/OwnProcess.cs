using System.Diagnostics;
using Xunit;

namespace Poolhouse.TestSupport;

/// <summary>Runs an explicit test of this program in a process of its own, whose settings differ from those of the run.</summary>
internal static class OwnProcess
{
    private const string Variable = "POOLHOUSE_OWN_PROCESS";
    private static readonly TimeSpan _longest = TimeSpan.FromMinutes(2);

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

        var (exitCode, output) = await RunToEndAsync(start);
        Assert.True(
            exitCode == 0 && output.Contains("Total: 1, Errors: 0, Failed: 0, Skipped: 0", StringComparison.Ordinal),
            output);
    }

    /// <summary>Runs a process, whose output is redirected, to its end. It ends with the test in any case.</summary>
    public static async Task<(int ExitCode, string Output)> RunToEndAsync(ProcessStartInfo start)
    {
        using var process = Process.Start(start)!;
        using var deadline = CancellationTokenSource.CreateLinkedTokenSource(TestContext.Current.CancellationToken);
        deadline.CancelAfter(_longest);
        try
        {
            var output = await process.StandardOutput.ReadToEndAsync(deadline.Token);
            await process.WaitForExitAsync(deadline.Token);
            return (process.ExitCode, output);
        }
        finally
        {
            process.Kill(entireProcessTree: true);
        }
    }
}
