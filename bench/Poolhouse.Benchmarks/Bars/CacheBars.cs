namespace Poolhouse.Benchmarks.Bars;

/// <summary>What the pools of objects and of arrays promise.</summary>
internal static class CacheBars
{
    public static IReadOnlyList<Bar> All { get; } =
    [
        Bar.Of<TieredPair, DefaultPair>("object get+return, 1 thread", "DefaultObjectPool", 0.45),
        Bar.Of<TieredPair, DefaultPair>("object get+return, 2 threads", "DefaultObjectPool", 0.08, threads: 2),
        Bar.Of<TieredDrain<Depth8>, DefaultDrain<Depth8>>("objects nested 8", "DefaultObjectPool", 0.45),
        Bar.Of<TieredDrain<Depth64>, DefaultDrain<Depth64>>("drain+refill 64", "DefaultObjectPool", 0.45),
        Bar.Of<TieredDrain<Depth256>, DefaultDrain<Depth256>>("drain+refill 256", "DefaultObjectPool", 0.45),
        Bar.Of<TieredDrain<Depth1024>, DefaultDrain<Depth1024>>("drain+refill 1,024", "DefaultObjectPool", 0.45),
        Bar.Of<TieredDrain<Depth2048>, DefaultDrain<Depth2048>>("drain+refill 2,048", "DefaultObjectPool", 0.45),
        Bar.Of<TieredOverflow, DefaultOverflow>("objects, pool too small", "DefaultObjectPool", 1.0) with
        {
            BytesAllowed = Timing.BytesPerPair<DefaultOverflow>,
        },
        Bar.Of<GuardedPair, DefaultPair>("guarded rent+dispose", "DefaultObjectPool", 0.7),
        new(
            "rent here, return there: time",
            "DefaultObjectPool",
            1,
            calls => HandOver.NanosecondsPerItem(Pools.Tiered, calls),
            calls => HandOver.NanosecondsPerItem(Pools.Default, calls),
            null),
        Bar.Of<TieredArray, SharedArray>("array rent+return", "ArrayPool.Shared", 1.0),
        Bar.Of<TieredArrays<Depth2>, SharedArrays<Depth2>>("arrays nested 2", "ArrayPool.Shared", 0.35),
        Bar.Of<TieredArrays<Depth4>, SharedArrays<Depth4>>("arrays nested 4", "ArrayPool.Shared", 0.35),
        Bar.Of<TieredArrays<Depth8>, SharedArrays<Depth8>>("arrays nested 8", "ArrayPool.Shared", 0.35),
        Bar.Of<PrivateTieredArray, CreatedArray>("private array pool, 1 thread", "ArrayPool.Create", 0.3),
        Bar.Of<PrivateTieredArray, CreatedArray>("private array pool, 2 threads", "ArrayPool.Create", 0.08, threads: 2),
    ];
}
