namespace Poolhouse.Tool.Bench.Databases;

/// <summary>What came out of a load for a while.</summary>
/// <param name="Seconds">How long it was watched.</param>
/// <param name="Latencies">From asking for a connection until it was returned, in seconds, ascending: one for each query that
/// ended while it was watched.</param>
internal sealed record LoadResult(double Seconds, IReadOnlyList<double> Latencies)
{
    public double PerSecond => Seconds > 0 ? Latencies.Count / Seconds : 0;

    /// <summary>So large a share of the queries were at least so fast; 0 when there were none.</summary>
    public double Percentile(double share) =>
        Latencies.Count == 0 ? 0 : Latencies[Math.Clamp((int)Math.Ceiling(share * Latencies.Count) - 1, 0, Latencies.Count - 1)];
}
