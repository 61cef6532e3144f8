using System.Diagnostics;
using System.Globalization;
using System.Reflection;
using Poolhouse.Tool.Servers;

namespace Poolhouse.Ldap.Tests.Servers;

/// <summary>
/// Runs tests in a process with mounts and a network of its own, in which it may change what belongs to the machine.
/// </summary>
// The program is this one: explicit tests of it, which nothing else runs.
internal static class OwnNamespaces
{
    private static readonly TimeSpan _limit = TimeSpan.FromMinutes(2);

    /// <summary>Skips the test where there are no namespaces.</summary>
    /// <param name="setup">Commands that change them, for a shell.</param>
    /// <param name="arguments">Of the commands: <c>$1</c> and so on.</param>
    public static async Task SkipWithoutAsync(string setup, params IReadOnlyList<string> arguments)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "namespaces are Linux's");
        Assert.SkipUnless(ServerPrograms.Find("unshare") is not null, "unshare (of util-linux) is not installed");
        try
        {
            await ServerCommand.RunAsync(
                Path.GetTempPath(), CommandFor(setup, arguments, ["true"]), TestContext.Current.CancellationToken);
        }
        catch (InvalidOperationException e)
        {
            Assert.Skip($"this account cannot have namespaces of its own: {e.Message}");
        }
    }

    /// <summary>Runs the explicit tests of a class there, or one of them, and fails as they do.</summary>
    /// <param name="type">The class.</param>
    /// <param name="method">The name of the test; null for all.</param>
    /// <param name="setup">As for <see cref="SkipWithoutAsync"/>.</param>
    /// <param name="arguments">As for <see cref="SkipWithoutAsync"/>.</param>
    public static async Task RunAsync(Type type, string? method, string setup, params IReadOnlyList<string> arguments)
    {
        var tests = method is null
            ? type.GetMethods().Count(each => each.GetCustomAttribute<FactAttribute>() is { Explicit: true })
            : 1;
        IReadOnlyList<string> choice = method is null ? ["-class", type.FullName!] : ["-method", $"{type.FullName}.{method}"];
        IReadOnlyList<string> program = [Environment.ProcessPath!, "-noLogo", "-noColor", "-explicit", "only", .. choice];
        var start = ServerCommand.StartInfo(Path.GetTempPath(), CommandFor(setup, arguments, program));
        (start.RedirectStandardOutput, start.RedirectStandardError) = (true, true);
        using var process = Process.Start(start)!;
        var output = process.StandardOutput.ReadToEndAsync(CancellationToken.None);
        var errors = process.StandardError.ReadToEndAsync(CancellationToken.None);
        try
        {
            await process.WaitForExitAsync(TestContext.Current.CancellationToken)
                .WaitAsync(_limit, TestContext.Current.CancellationToken);
        }
        catch (TimeoutException)
        {
            // Its output so far explains more.
        }
        finally
        {
            process.Kill(entireProcessTree: true);
            await process.WaitForExitAsync(CancellationToken.None);
        }

        var text = await output + await errors;
        Assert.True(
            process.ExitCode == 0 && text.Contains(
                string.Create(CultureInfo.InvariantCulture, $"Total: {tests}, Errors: 0, Failed: 0, Skipped: 0"),
                StringComparison.Ordinal),
            text);
    }

    // Who is not root becomes it in a namespace of accounts. The shell becomes the program, so that killing our child kills it.
    private static IReadOnlyList<string> CommandFor(string setup, IReadOnlyList<string> arguments, IReadOnlyList<string> program)
    {
        IReadOnlyList<string> account = Environment.IsPrivilegedProcess ? [] : ["--map-root-user"];
        var script = string.Create(CultureInfo.InvariantCulture, $"set -e\n{setup}\nshift {arguments.Count}\nexec \"$@\"");
        return [ServerPrograms.Find("unshare")!, .. account, "--mount", "--net", "/bin/sh", "-c", script, "sh", .. arguments,
            .. program];
    }
}
