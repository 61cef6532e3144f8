using System.Diagnostics;

namespace Poolhouse.Repository.Tests;

/// <summary>Runs a program to its end.</summary>
internal static class CommandLine
{
    // Below the limit of the longest test.
    private static readonly TimeSpan _longest = TimeSpan.FromMinutes(9);

    public static Task<Outcome> DotnetAsync(params string[] arguments) =>
        RunAsync(Environment.GetEnvironmentVariable("DOTNET_HOST_PATH") ?? "dotnet", arguments);

    public static Task<Outcome> RunAsync(string program, params string[] arguments) => RunAsync(program, arguments, []);

    public static async Task<Outcome> RunAsync(
        string program, string[] arguments, (string Name, string Value)[] environment)
    {
        var start = new ProcessStartInfo(program, arguments)
        {
            WorkingDirectory = RepositoryFiles.Root,
            UseShellExecute = false,
            RedirectStandardOutput = true,
            RedirectStandardError = true,
        };
        foreach (var (name, value) in environment)
        {
            start.Environment[name] = value;
        }

        using var process = Process.Start(start)!;
        using var deadline = CancellationTokenSource.CreateLinkedTokenSource(TestContext.Current.CancellationToken);
        deadline.CancelAfter(_longest);
        var output = process.StandardOutput.ReadToEndAsync(deadline.Token);
        var errors = process.StandardError.ReadToEndAsync(deadline.Token);
        try
        {
            await process.WaitForExitAsync(deadline.Token);
            return new Outcome(process.ExitCode, await output + await errors);
        }
        finally
        {
            if (!process.HasExited)
            {
                process.Kill(entireProcessTree: true);
            }
        }
    }

    internal sealed record Outcome(int ExitCode, string Output);
}
