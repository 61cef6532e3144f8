using System.Runtime.CompilerServices;

namespace Poolhouse.Tests.Buffers;

/// <summary>Pools that only their test touches: no clock, and no pressure but the test's own.</summary>
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

    /// <summary>Every byte of the budget can still be used. For a pool from which nobody rents any more.</summary>
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

    /// <summary>Nothing is made or lost outside the books. For a pool at rest that got back only what it rented out.</summary>
    public static PoolStatistics AssertBooksAddUp(this IPool pool)
    {
        var books = pool.GetStatistics();
        Assert.Equal(books.Created, books.Leased + books.Retained + books.Destroyed + books.Detached);
        Assert.Equal(books.Rented, books.Hits + books.Misses);
        Assert.Equal(books.Rented, books.Leased + books.Returned + books.Discarded + books.Detached);
        Assert.Equal(books.Destroyed, books.Surplus + books.Refused + books.Trimmed + books.Discarded);
        Assert.Equal(books.Retained == 0, books.RetainedBytes == 0);
        return books;
    }
}
