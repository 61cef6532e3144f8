namespace Poolhouse.Tool.Databases;

/// <summary>What a pool of one size did under a load.</summary>
/// <param name="Size">How many connections.</param>
/// <param name="PerSecond">Queries a second.</param>
/// <param name="Median">Half of the queries took at most so many seconds, waiting for a connection included.</param>
/// <param name="Slow">99 of 100 did.</param>
internal readonly record struct SizePoint(int Size, double PerSecond, double Median, double Slow)
{
    public static SizePoint Of(int size, LoadResult load) => new(size, load.PerSecond, load.Percentile(0.5), load.Percentile(0.99));
}
