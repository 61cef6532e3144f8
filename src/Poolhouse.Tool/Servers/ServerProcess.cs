using System.Diagnostics;
using System.Globalization;

namespace Poolhouse.Tool.Servers;

/// <summary>The running program of a temporary server.</summary>
internal sealed class ServerProcess : IDisposable
{
    /// <summary>The name of the log in the folder.</summary>
    public const string LogName = "log";

    private static readonly TimeSpan _pollInterval = TimeSpan.FromMilliseconds(10);
    private static readonly TimeSpan _startTimeout = TimeSpan.FromMinutes(3);
    private static readonly TimeSpan _stopTimeout = TimeSpan.FromSeconds(30);

    private readonly ServerFolder _folder;
    private readonly Process _process;

    private ServerProcess(ServerFolder folder, Process process)
    {
        _folder = folder;
        _process = process;
    }

    /// <summary>
    /// The id of the process: of the server itself, since every program before it on the command line becomes it.
    /// </summary>
    public int Id => _process.Id;

    /// <summary>Starts a server.</summary>
    /// <param name="folder">Where it writes the id of its process, and appends its log.</param>
    /// <param name="command">The program and its arguments, among them something in the folder.</param>
    public static ServerProcess Start(ServerFolder folder, IReadOnlyList<string> command)
    {
        const string Script = "echo $$ > \"$1\"; log=$2; shift 2; exec \"$@\" < /dev/null >> \"$log\" 2>&1";
        var start = ServerCommand.StartInfo(
            folder.Path, ["/bin/sh", "-c", Script, "sh", folder.ProcessFile, folder.At(LogName), .. command]);
        return new ServerProcess(folder, Process.Start(start)!);
    }

    /// <summary>Waits until the server is ready.</summary>
    /// <exception cref="ServerFailedException">It ended instead, or takes longer than 3 minutes; the message has the end of
    /// its log.</exception>
    public async Task WaitUntilAsync(Func<bool> isReady, CancellationToken cancellationToken)
    {
        var started = Stopwatch.GetTimestamp();
        while (!isReady())
        {
            if (_process.HasExited)
            {
                throw new ServerFailedException(
                    $"The server ended with exit code {_process.ExitCode} while starting:\n{EndOfLog()}");
            }

            if (Stopwatch.GetElapsedTime(started) > _startTimeout)
            {
                throw new ServerFailedException(
                    $"The server is not ready after {_startTimeout.TotalSeconds} s:\n{EndOfLog()}");
            }

            await Task.Delay(_pollInterval, TimeProvider.System, cancellationToken).ConfigureAwait(false);
        }
    }

    /// <summary>Requests the server to end and waits for it; after 30 seconds it is killed.</summary>
    public async Task StopAsync(string signal)
    {
        RequestStop(signal);
        using var late = new CancellationTokenSource(_stopTimeout, TimeProvider.System);
        try
        {
            await _process.WaitForExitAsync(late.Token).ConfigureAwait(false);
        }
        catch (OperationCanceledException)
        {
            _process.Kill();
            await _process.WaitForExitAsync(CancellationToken.None).ConfigureAwait(false);
        }

        File.Delete(_folder.ProcessFile);
    }

    /// <summary>As <see cref="StopAsync"/>, blocking.</summary>
    public void Stop(string signal)
    {
        RequestStop(signal);
        if (!_process.WaitForExit(_stopTimeout))
        {
            _process.Kill();
            _process.WaitForExit();
        }

        File.Delete(_folder.ProcessFile);
    }

    /// <summary>Stops the server and all its children (SIGSTOP), and waits until they have stopped.</summary>
    /// <exception cref="ServerFailedException">One of them still runs after 30 seconds.</exception>
    public void Freeze()
    {
        // First the server, which then creates no more children while they are counted.
        Freeze([Id]);
        Freeze(Children());
    }

    /// <summary>Resumes the server and all its children (SIGCONT).</summary>
    public void Thaw() => ServerCommand.Signal("CONT", [Id, .. Children()]);

    public void Dispose() => _process.Dispose();

    // A stopped process reacts to no other signal.
    private void RequestStop(string signal)
    {
        if (!_process.HasExited)
        {
            Thaw();
            ServerCommand.Signal(signal, Id);
        }
    }

    // A thread stops when the system next schedules it: on a busy machine, a server that was sent the signal answers for some
    // milliseconds more.
    private static void Freeze(List<int> processes)
    {
        ServerCommand.Signal("STOP", processes);
        if (!SpinWait.SpinUntil(() => processes.TrueForAll(HasStopped), _stopTimeout))
        {
            throw new ServerFailedException(
                $"Not every process of the server has stopped {_stopTimeout.TotalSeconds} s after the signal.");
        }
    }

    private List<int> Children()
    {
        var children = new List<int>();
        foreach (var folder in Directory.Exists("/proc") ? Directory.GetDirectories("/proc") : [])
        {
            if (int.TryParse(Path.GetFileName(folder), NumberStyles.None, CultureInfo.InvariantCulture, out var process)
                && ParentOf(folder) == Id)
            {
                children.Add(process);
            }
        }

        return children;
    }

    // Without /proc, there is nothing to wait for.
    private static bool HasStopped(int process)
    {
        try
        {
            return Directory.GetDirectories($"/proc/{process}/task")
                .All(static thread => StatusOf(thread) is not [var state, ..] || state is "T" or "t" or "Z" or "X");
        }
        catch (DirectoryNotFoundException)
        {
            return true;
        }
    }

    private static int ParentOf(string folder) =>
        StatusOf(folder) is [_, var parent, ..] ? int.Parse(parent, CultureInfo.InvariantCulture) : 0;

    // "pid (name) state parent …"; the name may hold anything, so what follows its last parenthesis counts.
    private static string[] StatusOf(string folder)
    {
        try
        {
            var text = File.ReadAllText(Path.Combine(folder, "stat"));
            return text[(text.LastIndexOf(')') + 2)..].Split(' ');
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            return []; // It ended meanwhile.
        }
    }

    private string EndOfLog()
    {
        const int Lines = 15;
        return string.Join('\n', _folder.ReadShared(LogName).TrimEnd().Split('\n').TakeLast(Lines));
    }
}
