using System.Diagnostics.CodeAnalysis;
using System.Diagnostics.Tracing;
using System.Globalization;
using Microsoft.Diagnostics.NETCore.Client;

namespace Poolhouse.Tool.Watch;

/// <summary>A session with the event source of a process: its events go to a model until it ends or is disposed.</summary>
internal sealed class PoolSession : IDisposable
{
    private const long AllKeywords = 3;
    private const int BufferMegabytes = 16;

    private readonly EventPipeSession _session;

    private PoolSession(EventPipeSession session, WatchModel model)
    {
        _session = session;

        // A thread, because the reader blocks on the pipe.
        Ended = Task.Factory.StartNew(
            () => Read(session.EventStream, model), CancellationToken.None, TaskCreationOptions.LongRunning,
            TaskScheduler.Default);
    }

    /// <summary>Completes when the process has ended, or the session was disposed of.</summary>
    public Task Ended { get; }

    /// <summary>Starts a session.</summary>
    /// <param name="client">The process.</param>
    /// <param name="model">Receives the events.</param>
    /// <param name="interval">The time between two pictures.</param>
    /// <param name="detail">The number of the pool to show in detail; null for none.</param>
    /// <param name="cancellation">Cancels the start.</param>
    public static async Task<PoolSession> StartAsync(
        DiagnosticsClient client, WatchModel model, TimeSpan interval, int? detail, CancellationToken cancellation)
    {
        var arguments = new Dictionary<string, string>(StringComparer.Ordinal)
        {
            ["Interval"] = interval.TotalSeconds.ToString(CultureInfo.InvariantCulture),
        };
        if (detail is { } id)
        {
            arguments["Detail"] = id.ToString(CultureInfo.InvariantCulture);
        }

        var provider = new EventPipeProvider(TraceReader.Provider, EventLevel.Informational, AllKeywords, arguments);
        var session = await client.StartEventPipeSessionAsync([provider], requestRundown: false, BufferMegabytes, cancellation)
            .ConfigureAwait(false);
        return new PoolSession(session, model);
    }

    public void Dispose()
    {
        // Stopped first, so that the process sends what it still has and closes the stream.
        Try(_session.Stop);
#pragma warning disable VSTHRD002 // It runs on a thread of its own, which waits for nothing else.
        _ = Ended.Wait(TimeSpan.FromSeconds(2), CancellationToken.None);
#pragma warning restore VSTHRD002
        Try(_session.Dispose);
    }

    [SuppressMessage("Design", "CA1031", Justification = "The process may end at any moment, which ends the session.")]
    private static void Read(Stream stream, WatchModel model)
    {
        try
        {
            TraceReader.Read(stream, model);
        }
        catch (Exception)
        {
            // The stream was cut off.
        }
    }

    [SuppressMessage("Design", "CA1031", Justification = "As in Read.")]
    private static void Try(Action action)
    {
        try
        {
            action();
        }
        catch (Exception)
        {
            // Nothing is left to stop.
        }
    }
}
