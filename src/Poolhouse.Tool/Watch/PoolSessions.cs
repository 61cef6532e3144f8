using System.Diagnostics.Tracing;
using System.Globalization;
using Microsoft.Diagnostics.NETCore.Client;

namespace Poolhouse.Tool.Watch;

/// <summary>Sessions with Poolhouse's event source in a process: the events go to a model until the session ends.</summary>
internal static class PoolSessions
{
    private const long AllKeywords = 3;

    /// <summary>Starts a session.</summary>
    /// <param name="client">The process.</param>
    /// <param name="model">Receives the events.</param>
    /// <param name="interval">The time between two pictures.</param>
    /// <param name="detail">The number of the pool to show in detail; null for none.</param>
    /// <param name="cancellation">Cancels the start.</param>
    /// <exception cref="TimeoutException">The process does not answer.</exception>
    public static Task<EventSession> StartAsync(
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
        return EventSession.StartAsync(
            client, [provider], stacks: false, stream => TraceReader.Read(stream, model), cancellation);
    }
}
