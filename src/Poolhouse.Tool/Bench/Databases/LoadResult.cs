namespace Poolhouse.Tool.Bench.Databases;

/// <summary>The result of a load.</summary>
/// <param name="Seconds">The duration of the measurement.</param>
/// <param name="Latencies">From the request for a connection until its return, in seconds, ascending: one for each query that
/// ended during the measurement.</param>
internal sealed record LoadResult(double Seconds, IReadOnlyList<double> Latencies)
{
    public double PerSecond => Seconds > 0 ? Latencies.Count / Seconds : 0;

    /// <summary>A quantile of the latencies; 0 if there were none.</summary>
    public double Percentile(double share) =>
        Latencies.Count == 0 ? 0 : Latencies[Math.Clamp((int)Math.Ceiling(share * Latencies.Count) - 1, 0, Latencies.Count - 1)];
}
