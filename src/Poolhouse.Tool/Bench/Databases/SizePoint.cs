namespace Poolhouse.Tool.Bench.Databases;

/// <summary>The results of a pool of one size under a load.</summary>
/// <param name="Size">How many connections.</param>
/// <param name="PerSecond">Queries a second.</param>
/// <param name="Median">The median time of a query in seconds, including the wait for a connection.</param>
/// <param name="Slow">The 99th percentile of the same time.</param>
internal readonly record struct SizePoint(int Size, double PerSecond, double Median, double Slow)
{
    /// <summary>
    /// How much the rounds differ: the queries a second of the fastest over those of the slowest; not a number with one round.
    /// </summary>
    public double Spread { get; init; } = 1;

    public int Rounds { get; init; } = 1;

    /// <summary>All rounds of one size together.</summary>
    public static SizePoint Of(int size, params IReadOnlyList<LoadResult> rounds)
    {
        var all = new LoadResult(rounds.Sum(round => round.Seconds), [.. rounds.SelectMany(round => round.Latencies).Order()]);
        return new SizePoint(size, all.PerSecond, all.Percentile(0.5), all.Percentile(0.99))
        {
            Spread = rounds.Count == 1
                ? double.NaN
                : rounds.Max(round => round.PerSecond) / rounds.Min(round => round.PerSecond),
            Rounds = rounds.Count,
        };
    }
}
