using System.Diagnostics;

namespace Poolhouse.Tool.Servers;

/// <summary>Runs short programs to their end, and sends signals.</summary>
internal static class ServerCommand
{
    /// <summary>Runs a program and gives what it wrote.</summary>
    /// <exception cref="ServerFailedException">It ended with another exit code than 0; the message has what it
    /// wrote.</exception>
    public static async Task<string> RunAsync(string folder, IReadOnlyList<string> command, CancellationToken cancellationToken)
    {
        var start = StartInfo(folder, command);
        start.RedirectStandardOutput = true;
        start.RedirectStandardError = true;
        using var process = Process.Start(start)!;
        var output = process.StandardOutput.ReadToEndAsync(cancellationToken);
        var errors = process.StandardError.ReadToEndAsync(cancellationToken);
        try
        {
            await process.WaitForExitAsync(cancellationToken).ConfigureAwait(false);
        }
        catch (OperationCanceledException)
        {
            process.Kill(entireProcessTree: true);
            throw;
        }

        var text = (await output.ConfigureAwait(false)) + (await errors.ConfigureAwait(false));
        return process.ExitCode == 0
            ? text
            : throw new ServerFailedException($"{command[0]} ended with exit code {process.ExitCode}:\n{text.Trim()}");
    }

    /// <summary>Sends a signal to processes; those that are gone are passed over.</summary>
    /// <param name="signal">Its name without SIG: <c>INT</c>, <c>STOP</c>.</param>
    /// <param name="processes">The ids of the processes.</param>
    public static void Signal(string signal, params IEnumerable<int> processes)
    {
        // By the shell: .NET sends no signal but SIGKILL, and not every machine has a program named kill.
        var start = StartInfo(
            Path.GetTempPath(),
            ["/bin/sh", "-c", "signal=$1; shift; for each in \"$@\"; do kill -s \"$signal\" \"$each\"; done 2> /dev/null", "sh",
                signal]);
        foreach (var process in processes)
        {
            start.ArgumentList.Add(FormattableString.Invariant($"{process}"));
        }

        using var shell = Process.Start(start)!;
        shell.WaitForExit();
    }

    /// <param name="folder">The current folder of the program: one that it can read even after it has dropped its root
    /// rights.</param>
    /// <param name="command">The program and its arguments.</param>
    public static ProcessStartInfo StartInfo(string folder, IReadOnlyList<string> command)
    {
        var start = new ProcessStartInfo(command[0]) { WorkingDirectory = folder, UseShellExecute = false };
        foreach (var argument in command.Skip(1))
        {
            start.ArgumentList.Add(argument);
        }

        start.Environment["LC_ALL"] = "C";
        return start;
    }
}
