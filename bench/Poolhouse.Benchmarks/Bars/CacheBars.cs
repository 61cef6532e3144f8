namespace Poolhouse.Benchmarks.Bars;

/// <summary>What the pools of objects and of arrays promise.</summary>
internal static class CacheBars
{
    public static IReadOnlyList<Bar> All { get; } =
    [
        Bar.Of<TieredPair, DefaultPair, BareThing>("object get+return, 1 thread", "DefaultObjectPool", 0.45),
        Bar.Of<TieredPair, DefaultPair, BareThing>("object get+return, 2 threads", "DefaultObjectPool", 0.08, threads: 2),
        Drain<Depth8>("objects nested 8"),
        Drain<Depth64>("drain+refill 64"),
        Drain<Depth256>("drain+refill 256"),
        Drain<Depth1024>("drain+refill 1,024"),
        Drain<Depth2048>("drain+refill 2,048"),
        Bar.Of<TieredOverflow, DefaultOverflow, BareOverflow>("objects, pool too small", "DefaultObjectPool", 1.0) with
        {
            BytesAllowed = Timing.BytesPerPair<DefaultOverflow>,
        },
        Bar.Of<GuardedPair, DefaultPair, BareLease>("guarded rent+dispose", "DefaultObjectPool", 0.7),
        new(
            "rent here, return there: time",
            "DefaultObjectPool",
            1,
            calls => HandOver.NanosecondsPerItem(Pools.Tiered, calls),
            calls => HandOver.NanosecondsPerItem(Pools.Default, calls),
            null),
        Bar.Of<TieredArray, SharedArray, BareArray>("array rent+return", "ArrayPool.Shared", 1.0),
        Nested<Depth2>("arrays nested 2"),
        Nested<Depth4>("arrays nested 4"),
        Nested<Depth8>("arrays nested 8"),
        Bar.Of<PrivateTieredArray, CreatedArray, BareArray>("private array pool, 1 thread", "ArrayPool.Create", 0.3),
        Bar.Of<PrivateTieredArray, CreatedArray, BareArray>("private array pool, 2 threads", "ArrayPool.Create", 0.08, threads: 2),
    ];

    private static Bar Drain<TDepth>(string name)
        where TDepth : struct, IDepth =>
        Bar.Of<TieredDrain<TDepth>, DefaultDrain<TDepth>, BareThings<TDepth>>(name, "DefaultObjectPool", 0.45);

    private static Bar Nested<TDepth>(string name)
        where TDepth : struct, IDepth =>
        Bar.Of<TieredArrays<TDepth>, SharedArrays<TDepth>, BareArrays<TDepth>>(name, "ArrayPool.Shared", 0.35);
}
