using System.Diagnostics;
using Poolhouse.Tool.Servers;

namespace Poolhouse.Tests.Servers;

/// <summary>Another account of the machine. It can reach every port on loopback.</summary>
internal static class OtherAccount
{
    private const int Id = 54_321;

    /// <summary>Skips the test if this program cannot switch to another account.</summary>
    public static void SkipUnlessPossible()
    {
        Assert.SkipUnless(Environment.IsPrivilegedProcess, "only root can run a program as another account");
        Assert.SkipUnless(ServerPrograms.Find("setpriv") is not null, "setpriv (of util-linux) is not installed");
    }

    /// <summary>Runs a program as the other account, and returns its exit code.</summary>
    public static Task<int> RunAsync(params string[] command) => RunWithAsync([], command);

    /// <summary>
    /// Does the same with variables in the program's environment, which no other account can read, unlike its command line.
    /// </summary>
    public static async Task<int> RunWithAsync(Dictionary<string, string> environment, params string[] command)
    {
        var start = ServerCommand.StartInfo(
            Path.GetTempPath(),
            [ServerPrograms.Find("setpriv")!, $"--reuid={Id}", $"--regid={Id}", "--clear-groups", "--", .. command]);
        (start.RedirectStandardOutput, start.RedirectStandardError) = (true, true);
        foreach (var (name, value) in environment)
        {
            start.Environment[name] = value;
        }

        using var process = Process.Start(start)!;
        var output = process.StandardOutput.ReadToEndAsync(TestContext.Current.CancellationToken);
        var errors = process.StandardError.ReadToEndAsync(TestContext.Current.CancellationToken);
        await process.WaitForExitAsync(TestContext.Current.CancellationToken);
        await Task.WhenAll(output, errors);
        return process.ExitCode;
    }

    /// <summary>Checks that the other account can neither list a folder nor read a file in it.</summary>
    public static async Task AssertCannotReadAsync(string folder, string file)
    {
        Assert.True(File.Exists(Path.Combine(folder, file)));
        Assert.NotEqual(0, await RunAsync("/bin/ls", folder));
        Assert.NotEqual(0, await RunAsync("/bin/cat", Path.Combine(folder, file)));
    }

    /// <summary>Checks that the command line of a process, which every account can read, does not hold a secret.</summary>
    public static void AssertDoesNotShow(int process, string secret) =>
        Assert.DoesNotContain(secret, File.ReadAllText($"/proc/{process}/cmdline"), StringComparison.Ordinal);
}
