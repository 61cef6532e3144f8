using System.Diagnostics.CodeAnalysis;
using Microsoft.Diagnostics.NETCore.Client;

namespace Poolhouse.Tool.Watch;

/// <summary>A session with a process, whose stream is read on a thread of its own until it is stopped.</summary>
// Every wait for the process has a limit: it may be frozen, or end at any moment.
internal sealed class EventSession : IDisposable
{
    private const int BufferMegabytes = 16;

    private static readonly TimeSpan _longestStart = TimeSpan.FromSeconds(10);
    private static readonly TimeSpan _longestStop = TimeSpan.FromSeconds(20);
    private static readonly TimeSpan _longestDispose = TimeSpan.FromSeconds(2);

    private readonly EventPipeSession _session;

    private EventSession(EventPipeSession session, Action<Stream> read)
    {
        _session = session;

        // A thread, because the reader blocks on the pipe.
        Ended = Task.Factory.StartNew(
            () => ReadToEnd(session.EventStream, read), CancellationToken.None, TaskCreationOptions.LongRunning,
            TaskScheduler.Default);
    }

    /// <summary>Completes when the process has ended, the session was stopped, or what it sends cannot be read.</summary>
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
        using var limit = CancellationTokenSource.CreateLinkedTokenSource(cancellation);
        limit.CancelAfter(_longestStart);
        try
        {
            var session = await client.StartEventPipeSessionAsync(configuration, limit.Token).ConfigureAwait(false);
            return new EventSession(session, read);
        }
        catch (OperationCanceledException canceled) when (!cancellation.IsCancellationRequested)
        {
            throw new TimeoutException("The process does not answer.", canceled);
        }
    }

    /// <summary>Stops the session; what it still has is read.</summary>
    public Task StopAsync() => StopAsync(_longestStop);

    public void Dispose()
    {
        // Stopped here if it was not before: the session itself would wait for the process without a limit.
#pragma warning disable VSTHRD002 // It needs no thread that waits here, and has a limit.
        _ = StopAsync(_longestDispose).Wait(_longestDispose, CancellationToken.None);
#pragma warning restore VSTHRD002
        Try(_session.Dispose);
    }

    private async Task StopAsync(TimeSpan longest)
    {
        using var limit = new CancellationTokenSource(longest);
        await TryAsync(() => _session.StopAsync(limit.Token)).ConfigureAwait(false);
        await TryAsync(() => Ended.WaitAsync(limit.Token)).ConfigureAwait(false);
    }

    // Closed even if the reader fails: a process whose stream is neither read nor closed cannot end the session.
    private static void ReadToEnd(Stream stream, Action<Stream> read)
    {
        Try(() => read(stream));
        Try(stream.Dispose);
    }

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
