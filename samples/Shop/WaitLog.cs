using System.Diagnostics;

namespace Poolhouse.Samples.Shop;

/// <summary>
/// Writes each wait for a connection that took long to the log, with the trace of its request. An exporter of traces shows the
/// same.
/// </summary>
internal sealed partial class WaitLog : IDisposable
{
    private readonly ActivityListener _listener;

    public WaitLog(ILogger<WaitLog> logger)
    {
        _listener = new ActivityListener
        {
            ShouldListenTo = static source => source.Name is "Poolhouse.Data",
            Sample = static (ref ActivityCreationOptions<ActivityContext> _) => ActivitySamplingResult.AllData,
            ActivityStopped = activity =>
            {
                if (activity.Duration > TimeSpan.FromMilliseconds(100))
                {
                    Waited(logger, activity.TraceId, activity.Duration.TotalMilliseconds);
                }
            },
        };
        ActivitySource.AddActivityListener(_listener);
    }

    public void Dispose() => _listener.Dispose();

    [LoggerMessage(
        Level = LogLevel.Information, Message = "A request waited {Milliseconds:0} ms for a connection (trace {TraceId})")]
    private static partial void Waited(ILogger logger, ActivityTraceId traceId, double milliseconds);
}
