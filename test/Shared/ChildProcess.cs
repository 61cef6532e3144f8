using System.Diagnostics;
using Xunit;

namespace Poolhouse.TestSupport;

/// <summary>Processes that a test starts.</summary>
internal static class ChildProcess
{
    private static readonly TimeSpan _longest = TimeSpan.FromMinutes(2);

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
