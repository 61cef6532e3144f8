using System.Runtime.CompilerServices;

namespace Poolhouse.Tests.Buffers;

/// <summary>Pools that are used by one test only: no clock, and no memory pressure except from the test.</summary>
internal static class Pools
{
    public static TieredArrayPool<T> Make<T>(
        ClearPolicy clear = ClearPolicy.References, long budget = ArrayPoolOptions.DefaultMaxRetainedBytes) =>
        new(Options(clear, budget));

    public static ArrayPoolOptions Options(
        ClearPolicy clear = ClearPolicy.References, long budget = ArrayPoolOptions.DefaultMaxRetainedBytes) => new()
        {
            Clear = clear,
            MaxRetainedBytes = budget,
            IdleTimeout = Timeout.InfiniteTimeSpan,
            MemoryPressure = new MemoryPressureSource(),
        };

    public static T[][] RentMany<T>(this TieredArrayPool<T> pool, int count, int length) =>
        [.. Enumerable.Range(0, count).Select(_ => pool.Rent(length))];

    public static void ReturnAll<T>(this TieredArrayPool<T> pool, IEnumerable<T[]> arrays)
    {
        foreach (var array in arrays)
        {
            pool.Return(array);
        }
    }

    /// <summary>Every byte of the budget can still be used. For a pool that is no longer rented from.</summary>
    public static void AssertBudgetIsWhole<T>(this TieredArrayPool<T> pool)
    {
        pool.Trim();
        var array = new T[16];
        var bytes = 16L * Unsafe.SizeOf<T>();
        var places = pool.MaxRetainedBytes / bytes;
        for (var i = 0L; i < places; i++)
        {
            pool.Return((T[])array.Clone());
        }

        Assert.Equal(places * bytes, pool.GetStatistics().RetainedBytes);
    }

    /// <summary>The counters balance. For a pool that is not in use and to which only its own arrays were returned.</summary>
    public static CachePoolStatistics AssertBalanced(this IPool pool)
    {
        var statistics = (CachePoolStatistics)pool.GetStatistics();
        Assert.Equal(statistics.Created, statistics.Leased + statistics.Retained + statistics.Destroyed + statistics.Detached);
        Assert.Equal(statistics.Rented, statistics.Hits + statistics.Misses);
        Assert.Equal(statistics.Rented, statistics.Leased + statistics.Returned + statistics.Discarded + statistics.Detached);
        Assert.Equal(statistics.Destroyed, statistics.Surplus + statistics.Refused + statistics.Trimmed + statistics.Discarded);
        Assert.Equal(statistics.Retained == 0, statistics.RetainedBytes == 0);
        return statistics;
    }
}
