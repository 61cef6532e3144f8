namespace Poolhouse.Tool.Bench.Web;

/// <summary>The results of a load generator.</summary>
/// <param name="Requests">How many were answered.</param>
/// <param name="PerSecond">Answers a second.</param>
/// <param name="Median">In seconds, as are the next two.</param>
/// <param name="Slow">The 99th percentile.</param>
/// <param name="Slowest">The 99.9th percentile.</param>
/// <param name="Errors">Connections, answers and statuses that failed.</param>
internal sealed record WebLoad(long Requests, double PerSecond, double Median, double Slow, double Slowest, long Errors);
