using System.Globalization;
using Microsoft.Diagnostics.NETCore.Client;
using Poolhouse.Tool.Cli;
using Poolhouse.Tool.Watch.Screens;
using Spectre.Console;

namespace Poolhouse.Tool.Watch;

/// <summary>One run of <c>watch</c>: finds the process, reads its pools, and shows them until it is stopped.</summary>
internal sealed class WatchRun(WatchRequest request, IAnsiConsole console)
{
    private const int PicturesOfOnce = 2;

    private static readonly TimeSpan _patience = TimeSpan.FromSeconds(5);
    private static readonly TimeSpan _searchInterval = TimeSpan.FromMilliseconds(500);

    // Of the times of events and of starts: those of Linux are in steps of 10 ms.
    private static readonly TimeSpan _clockError = TimeSpan.FromMilliseconds(100);

    private readonly WatchOutput _output = new(console, request);

    /// <exception cref="UsageException">There is nothing to watch.</exception>
    public async Task<int> RunAsync(CancellationToken cancellation)
    {
        if (request.Trace is { } trace)
        {
            await new PostMortem(trace).ShowAsync(_output, cancellation).ConfigureAwait(false);
            return ExitCode.Success;
        }

        try
        {
            await WatchAsync(cancellation).ConfigureAwait(false);
            return ExitCode.Success;
        }
        catch (OperationCanceledException) when (cancellation.IsCancellationRequested)
        {
            return request.Once ? ExitCode.Interrupted : ExitCode.Success;
        }
    }

    private async Task WatchAsync(CancellationToken cancellation)
    {
        if (request.DiagnosticPort is { } port)
        {
            var connector = await ConnectAsync(port, cancellation).ConfigureAwait(false);
            await using (connector.ConfigureAwait(false))
            {
                await WatchOneAsync(connector.Instance, pid: null, port, request.Wait, cancellation).ConfigureAwait(false);
            }

            return;
        }

        var pid = request.Pid ?? await FindAsync(cancellation).ConfigureAwait(false);
        for (var waits = request.Wait; ; waits = true)
        {
            var identity = Targets.IdentityOf(pid);
            var title = Targets.TitleOf(pid);
            if (await WatchOneAsync(new DiagnosticsClient(pid), pid, title, waits, cancellation).ConfigureAwait(false)
                is not { } lastSeen)
            {
                return;
            }

            _output.Say($"{title} has ended.{(MayFollow ? " Waiting until it is started again." : "")}");
            if (!MayFollow)
            {
                return;
            }

            pid = await FindSuccessorAsync(lastSeen, identity, cancellation).ConfigureAwait(false);
        }
    }

    // A screen stays; what a script reads ends with the process.
    private bool MayFollow => request.Wait || _output.IsInteractive;

    /// <param name="client">The process.</param>
    /// <param name="pid">Its number, if it is known.</param>
    /// <param name="title">What it is called.</param>
    /// <param name="waits">Whether to wait until it has pools.</param>
    /// <param name="cancellation">Ends the watch.</param>
    /// <returns>If the process has ended, when it was last seen to run, in UTC; else null.</returns>
    private async Task<DateTime?> WatchOneAsync(
        DiagnosticsClient client, int? pid, string title, bool waits, CancellationToken cancellation)
    {
        var began = TimeProvider.System.GetUtcNow().UtcDateTime;
        var model = new WatchModel();
        var changed = model.WhenChangedAsync();
        EventSession? session = null;
        try
        {
            session = await StartAsync(client, model, cancellation).ConfigureAwait(false);

            // A process that has just started may have no pool yet.
            var patience = waits ? Timeout.InfiniteTimeSpan : _patience;
            await Task.WhenAny(changed, session.Ended).WaitAsync(patience, TimeProvider.System, cancellation)
                .ConfigureAwait(false);
        }
        catch (Exception failure) when (!cancellation.IsCancellationRequested && IsOfConnection(failure))
        {
            session?.Dispose();
            if (waits && pid is { } ended && !Targets.Exists(ended))
            {
                // It is started again and again.
                return began;
            }

            throw new UsageException(
                session is null && failure is TimeoutException ? Targets.NoAnswer(title)
                : pid is { } id ? Targets.Explain(id, failure)
                : $"The process behind '{title}' cannot be watched: {failure.Message}",
                failure);
        }
        catch (OperationCanceledException)
        {
            session?.Dispose();
            throw;
        }

        try
        {
            int? detail = null;
            while (true)
            {
                if (await ShowAsync(title, model, session, detail, cancellation).ConfigureAwait(false) is { } isDone)
                {
                    return isDone ? null : Later(began, model.Time.ToUniversalTime());
                }

                detail = _output.DetailOf(model);
                session = await RestartAsync(session, client, model, detail, cancellation).ConfigureAwait(false);
            }
        }
        finally
        {
            session.Dispose();
            _output.Leave();
        }
    }

    /// <summary>Starts a session with the details of a pool before the other ends: the process goes on writing.</summary>
    /// <returns>The one before if the process is about to end or does not answer: then it shows what there is.</returns>
    private async Task<EventSession> RestartAsync(
        EventSession before, DiagnosticsClient client, WatchModel model, int? detail, CancellationToken cancellation)
    {
        try
        {
            var next = await StartAsync(client, model, cancellation, detail).ConfigureAwait(false);
            before.Dispose();
            return next;
        }
        catch (Exception failure) when (IsOfConnection(failure))
        {
            return before;
        }
    }

    /// <summary>Shows the pictures of a session.</summary>
    /// <returns>True if all is done, false if the process has ended, and null if another pool is to be shown in detail.</returns>
    /// <exception cref="UsageException">The version of Poolhouse in the process is too old.</exception>
    private async Task<bool?> ShowAsync(
        string title, WatchModel model, EventSession session, int? detail, CancellationToken cancellation)
    {
        if (model.IsTooOld)
        {
            throw new UsageException(Targets.TooOld($"Process {title}", model.Version));
        }

        var shown = 0;
        while (!session.Ended.IsCompleted || model.Pictures > shown)
        {
            if (model.Pictures > shown)
            {
                shown = model.Pictures;
                if (!request.Once || shown >= PicturesOfOnce || session.Ended.IsCompleted)
                {
                    _output.Show(title, model);
                    if (request.Once)
                    {
                        return true;
                    }
                }
            }

            if (!await _output.WaitAsync(title, model, shown, session.Ended, cancellation).ConfigureAwait(false))
            {
                return true;
            }

            if (_output.DetailOf(model) != detail)
            {
                return null;
            }
        }

        return false;
    }

    private static DateTime Later(DateTime one, DateTime other) => one > other ? one : other;

    private Task<EventSession> StartAsync(
        DiagnosticsClient client, WatchModel model, CancellationToken cancellation, int? detail = null) =>
        PoolSessions.StartAsync(client, model, request.Interval, detail, cancellation);

    private static bool IsOfConnection(Exception failure) => failure is DiagnosticsClientException or IOException
        or UnauthorizedAccessException or System.Net.Sockets.SocketException or TimeoutException;

    private static async Task<DiagnosticsClientConnector> ConnectAsync(string port, CancellationToken cancellation)
    {
        try
        {
            return await DiagnosticsClientConnector.FromDiagnosticPort(port, cancellation).ConfigureAwait(false);
        }
        catch (Exception failure) when (failure is FormatException or ArgumentException or IOException
            or System.Net.Sockets.SocketException or DiagnosticsClientException)
        {
            throw new UsageException($"--diagnostic-port '{port}' cannot be used: {failure.Message}", failure);
        }
    }

    /// <summary>The one process that has pools.</summary>
    /// <exception cref="UsageException">There is none, or several.</exception>
    private async Task<int> FindAsync(CancellationToken cancellation)
    {
        while (true)
        {
            var found = await PsCommand.FindAsync(cancellation).ConfigureAwait(false);
            switch (found)
            {
                case [var (pid, _)]:
                    return pid;
                case []:
                    if (!request.Wait)
                    {
                        throw new UsageException(
                            "No .NET process that this user may inspect has pools of Poolhouse. Start one, or use --wait.");
                    }

                    await Task.Delay(_searchInterval, TimeProvider.System, cancellation).ConfigureAwait(false);
                    break;
                default:
                    var list = string.Join(", ", found.Select(each => Targets.TitleOf(each.Pid)));
                    throw new UsageException($"Several processes have pools: {list}. Specify one.");
            }
        }
    }

    // Another process with the same command line, which ran beside the one that has ended, is not its successor.
    private async Task<int> FindSuccessorAsync(DateTime lastSeen, string identity, CancellationToken cancellation)
    {
        while (true)
        {
            switch (Targets.StartedSince(lastSeen - _clockError, identity))
            {
                case [var only]:
                    return only;
                case [var first, ..] several:
                    var list = string.Join(", ", several.Select(Targets.TitleOf));
                    _output.Say($"Several processes were started since then: {list}. Watching the first one.");
                    return first;
            }

            await Task.Delay(_searchInterval, TimeProvider.System, cancellation).ConfigureAwait(false);
        }
    }
}
