using Poolhouse.Caching;

namespace Poolhouse.Tests.Caching;

public sealed class GarbageCollectorPressure
{
    [Theory]
    [InlineData(0, 100, MemoryPressure.Low)]
    [InlineData(69, 100, MemoryPressure.Low)]
    [InlineData(70, 100, MemoryPressure.Medium)]
    [InlineData(89, 100, MemoryPressure.Medium)]
    [InlineData(90, 100, MemoryPressure.High)]
    [InlineData(5, 0, MemoryPressure.Low)]
    public void The_memory_load_is_compared_with_the_collectors_threshold(long load, long threshold, MemoryPressure expected) =>
        Assert.Equal(expected, GarbageCollectorPressureSource.ToPressure(load, threshold));

    /// <summary>The one test that waits for the notification of a real collection.</summary>
    [Fact]
    public void A_real_collection_triggers_the_source()
    {
        var source = new GarbageCollectorPressureSource();
        var pool = new TieredObjectPool<Item>(
            () => new Item(), null, new ObjectPoolOptions { MemoryPressure = source, IdleTimeout = Timeout.InfiniteTimeSpan });
        pool.Prefill(1);
        var looked = SpinWait.SpinUntil(
            () =>
            {
                GC.Collect();
                GC.WaitForPendingFinalizers();
                return source.Checks > 1;
            },
            TimeSpan.FromSeconds(30));

        Assert.True(looked);
        GC.KeepAlive(pool);
    }
}
