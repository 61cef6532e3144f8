using System.Diagnostics;

namespace Poolhouse.Tool.Tests.Ldap.InProcess;

/// <summary>
/// The programs of Debian's ldap-utils against a server. If they are not installed, the test is skipped.
/// </summary>
// Every account of the machine can read the command line of a process, so a password (-w) is passed in a file of this account
// (-y).
internal static class LdapTool
{
    /// <summary>How a program ended; its exit code is the result code of the operation.</summary>
    internal sealed record Outcome(int ExitCode, string Output, string Errors);

    /// <summary>Runs a program, with its simple authentication and without version lines and folds in its output.</summary>
    /// <param name="port">The port on 127.0.0.1.</param>
    /// <param name="command">The program and its arguments.</param>
    public static Task<Outcome> RunAsync(int port, params IReadOnlyList<string> command) => RunAsync(port, "", [], command);

    /// <summary>The same, with variables of its environment.</summary>
    public static Task<Outcome> RunAsync(
        int port, Dictionary<string, string> environment, params IReadOnlyList<string> command) =>
        RunAsync(port, "", environment, command);

    /// <summary>The same, with something to read.</summary>
    public static Task<Outcome> RunWithInputAsync(int port, string input, params IReadOnlyList<string> command) =>
        RunAsync(port, input, [], command);

    /// <summary>Searches, and gives what was found as LDIF.</summary>
    public static Task<Outcome> SearchAsync(int port, params IReadOnlyList<string> arguments) =>
        RunAsync(port, ["ldapsearch", "-LLL", "-o", "ldif-wrap=no", .. arguments]);

    private static async Task<Outcome> RunAsync(
        int port, string input, Dictionary<string, string> environment, IReadOnlyList<string> command)
    {
        var start = new ProcessStartInfo(Find(command[0]))
        {
            UseShellExecute = false,
            RedirectStandardInput = true,
            RedirectStandardOutput = true,
            RedirectStandardError = true,
        };
        foreach (var (name, value) in environment)
        {
            start.Environment[name] = value;
        }

        string[] server = command.Contains("-H", StringComparer.Ordinal)
            ? [] : ["-H", FormattableString.Invariant($"ldap://127.0.0.1:{port}")];
        using var secrets = new SecretFile();
        string[] arguments = ["-x", .. server, .. secrets.Hide(command.Skip(1))];
        foreach (var argument in arguments)
        {
            start.ArgumentList.Add(argument);
        }

        using var process = Process.Start(start)!;
        await process.StandardInput.WriteAsync(input);
        process.StandardInput.Close();
        var (output, errors) = (process.StandardOutput.ReadToEndAsync(), process.StandardError.ReadToEndAsync());
        using var late = new CancellationTokenSource(TimeSpan.FromMinutes(1));
        try
        {
            await process.WaitForExitAsync(late.Token);
        }
        catch (OperationCanceledException)
        {
            process.Kill();
            throw;
        }

        return new Outcome(process.ExitCode, await output, await errors);
    }

    private static string Find(string program)
    {
        var path = (
            Environment.GetEnvironmentVariable("PATH") ?? "").Split(Path.PathSeparator, StringSplitOptions.RemoveEmptyEntries)
            .Select(folder => Path.Combine(folder, program))
            .FirstOrDefault(File.Exists);
        Assert.SkipWhen(path is null, $"{program} (Debian: ldap-utils) is not installed");
        return path!;
    }

    /// <summary>A password that only this account can read.</summary>
    private sealed class SecretFile : IDisposable
    {
        private readonly string _path = Path.Combine(Path.GetTempPath(), Path.GetRandomFileName());

        /// <summary>Replaces a password among the arguments of a program.</summary>
        public IEnumerable<string> Hide(IEnumerable<string> arguments)
        {
            var isSecret = false;
            foreach (var argument in arguments)
            {
                yield return isSecret ? Write(argument) : argument is "-w" ? "-y" : argument;
                isSecret = argument is "-w";
            }
        }

        public void Dispose() => File.Delete(_path);

        private string Write(string secret)
        {
            var options = new FileStreamOptions { Mode = FileMode.CreateNew, Access = FileAccess.Write };
            if (!OperatingSystem.IsWindows())
            {
                options.UnixCreateMode = UnixFileMode.UserRead | UnixFileMode.UserWrite;
            }

            using var writer = new StreamWriter(_path, options);
            writer.Write(secret);
            return _path;
        }
    }
}
