
namespace Poolhouse.Samples.HelloPools;

internal static class Statistics
{
    public static void Show()
    {
        Console.WriteLine("== Statistics");
        Read();
        UnderPressure();
    }

    private static void Read()
    {
        // snippet: statistics
        using var pool = new TieredObjectPool<List<int>>(() => []);
        for (var i = 0; i < 100; i++)
        {
            pool.Return(pool.Get());
        }

        CachePoolStatistics statistics = pool.GetStatistics();
        Console.WriteLine($"{statistics.Rented} rents: {statistics.Hits} hits, {statistics.Misses} miss.");
        // end snippet
    }

    private static void UnderPressure()
    {
        // snippet: pressure
        var pressure = new MemoryPressureSource();
        using var pool = new TieredObjectPool<List<int>>(() => [], options: new ObjectPoolOptions { MemoryPressure = pressure });
        pool.Prefill(10);

        pressure.Report(MemoryPressure.High);
        Console.WriteLine($"Under pressure {pool.GetStatistics().Trimmed} of 10 were destroyed.");
        // end snippet
    }
}
