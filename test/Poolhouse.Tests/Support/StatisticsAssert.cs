
namespace Poolhouse.Tests;

internal static class StatisticsAssert
{
    /// <summary>While no operation is under way, every created item is leased, retained, destroyed or detached (I3).</summary>
    public static void Balanced(CachePoolStatistics statistics)
    {
        Assert.Equal(statistics.Rented, statistics.Hits + statistics.Misses);
        Assert.Equal(
            statistics.Created, statistics.Leased + statistics.Retained + statistics.Destroyed + statistics.Detached);
    }

    public static ObjectPoolOptions Retaining(int count) => new()
    {
        MaxRetained = count,
        IdleTimeout = Timeout.InfiniteTimeSpan,
        MemoryPressure = new MemoryPressureSource(),
    };
}
