using System.Diagnostics.CodeAnalysis;
using Microsoft.Diagnostics.NETCore.Client;

namespace Poolhouse.Tool.Advise.Sampling;

/// <summary>A session with a process, whose stream is read on a thread of its own until it is stopped.</summary>
internal sealed class EventSession : IDisposable
{
    private const int BufferMegabytes = 16;

    private static readonly TimeSpan _longestStart = TimeSpan.FromSeconds(10);
    private static readonly TimeSpan _longestStop = TimeSpan.FromSeconds(20);

    private readonly EventPipeSession _session;

    private EventSession(EventPipeSession session, Action<Stream> read)
    {
        _session = session;

        // A thread, because the reader blocks on the pipe.
        Ended = Task.Factory.StartNew(
            () => Try(() => read(session.EventStream)), CancellationToken.None, TaskCreationOptions.LongRunning,
            TaskScheduler.Default);
    }

    /// <summary>Completes when the process has ended, or the session was stopped.</summary>
    public Task Ended { get; }

    /// <summary>Starts a session.</summary>
    /// <param name="client">The process.</param>
    /// <param name="providers">What it reports.</param>
    /// <param name="stacks">Whether each event has its stack, and the methods are reported at the end.</param>
    /// <param name="read">Reads the stream to its end.</param>
    /// <param name="cancellation">Cancels the start.</param>
    /// <exception cref="TimeoutException">The process does not answer.</exception>
    public static async Task<EventSession> StartAsync(
        DiagnosticsClient client, IEnumerable<EventPipeProvider> providers, bool stacks, Action<Stream> read,
        CancellationToken cancellation)
    {
        var configuration = new EventPipeSessionConfiguration(
            providers, BufferMegabytes, requestRundown: stacks, requestStackwalk: stacks);
        var session = await client.StartEventPipeSessionAsync(configuration, cancellation)
            .WaitAsync(_longestStart, TimeProvider.System, cancellation).ConfigureAwait(false);
        return new EventSession(session, read);
    }

    /// <summary>Stops the session; what it still has is read.</summary>
    public async Task StopAsync()
    {
        using var limit = new CancellationTokenSource(_longestStop);
        await TryAsync(() => _session.StopAsync(limit.Token)).ConfigureAwait(false);
        await TryAsync(() => Ended.WaitAsync(limit.Token)).ConfigureAwait(false);
    }

    public void Dispose() => Try(_session.Dispose);

    [SuppressMessage("Design", "CA1031", Justification = "The process may end at any moment, which cuts off the stream.")]
    private static void Try(Action action)
    {
        try
        {
            action();
        }
        catch (Exception)
        {
            // What was read until then counts.
        }
    }

    [SuppressMessage("Design", "CA1031", Justification = "As in Try.")]
    private static async Task TryAsync(Func<Task> action)
    {
        try
        {
            await action().ConfigureAwait(false);
        }
        catch (Exception)
        {
            // Nothing is left to stop.
        }
    }
}
