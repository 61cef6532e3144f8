using System.Diagnostics.Tracing;
using System.Globalization;
using Microsoft.Diagnostics.NETCore.Client;
using Poolhouse.Tool.Advise.Sampling;

namespace Poolhouse.Tool.Watch;

/// <summary>A session with the event source of a process: its events go to a model until it ends or is disposed.</summary>
internal sealed class PoolSession : IDisposable
{
    private const long AllKeywords = 3;

    private readonly EventSession _session;

    private PoolSession(EventSession session) => _session = session;

    /// <inheritdoc cref="EventSession.Ended"/>
    public Task Ended => _session.Ended;

    /// <summary>Starts a session.</summary>
    /// <param name="client">The process.</param>
    /// <param name="model">Receives the events.</param>
    /// <param name="interval">The time between two pictures.</param>
    /// <param name="detail">The number of the pool to show in detail; null for none.</param>
    /// <param name="cancellation">Cancels the start.</param>
    /// <exception cref="TimeoutException">The process does not answer.</exception>
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
        return new PoolSession(await EventSession
            .StartAsync(client, [provider], stacks: false, stream => TraceReader.Read(stream, model), cancellation)
            .ConfigureAwait(false));
    }

    public void Dispose() => _session.Dispose();
}
