using Poolhouse.Resources;
using static Poolhouse.Benchmarks.Bars.Queueing;

namespace Poolhouse.Benchmarks.Bars;

/// <summary>What the pool of resources promises.</summary>
internal static class ResourceBars
{
    private const double ShareOfBytes = 0.1;

    // Enough for the queue to be what it is; the warm-up has run long before.
    private const int CallsForBytes = 20;

    public static IReadOnlyList<Bar> All { get; } =
    [
        Bar.Of<ResourcePair, SemaphorePair>("resource rent+return", "SemaphoreSlim Wait+Release", 2.5),
        Bar.Of<ResourcePairAsync, SemaphorePairAsync>("resource rent+return, async", "SemaphoreSlim WaitAsync+Release", 2.5),
        Bar.Of<ResourcePair, ChannelPair>("resource rent+return", "channel pool", null),
        Bar.Of<ResourcePairAsync, ChannelPairAsync>("resource rent+return, async", "channel pool", null),
        new(
            "resource, 2 threads on one pool",
            "itself with 1 thread",
            3,
            calls => Timing.NanosecondsPerPair<ResourcePair>(threads: 2, calls),
            calls => Timing.NanosecondsPerPair<ResourcePair>(threads: 1, calls),
            null),
        Queue<Channel>("resource, 8 async callers over 2", "channel pool", 0.5) with
        {
            BytesAllowed = () => ShareOfBytes * Run<Channel, Thing>(CallsForBytes).Bytes,
        },
        Queue<HomeMade>("resource, 8 async callers over 2", "SemaphoreSlim + bag, no time limit", 0.7),
        Queue<HomeMadeWithLimit>("resource, 8 async callers over 2", "SemaphoreSlim + bag, time limit", 0.7),
        new(
            "resource, 4 of 5 waiters gave up",
            "nobody gave up",
            1.5,
            calls => CancelledPeers.NanosecondsPerSurvivor(CancelledPeers.PeersPerSurvivor, calls),
            calls => CancelledPeers.NanosecondsPerSurvivor(0, calls),
            null),
        new(
            "resource, the same, uncollected",
            "nobody gave up",
            null,
            calls => CancelledPeers.NanosecondsPerSurvivor(CancelledPeers.PeersPerSurvivor, calls, collect: false),
            calls => CancelledPeers.NanosecondsPerSurvivor(0, calls, collect: false),
            null),
    ];

    private static Bar Queue<TRival>(string name, string rival, double limit)
        where TRival : struct, IQueuedPool<Thing> => new(
            name,
            rival,
            limit,
            NanosecondsPerRent<Queueing.Poolhouse, Lease<Thing>>,
            NanosecondsPerRent<TRival, Thing>,
            () => Run<Queueing.Poolhouse, Lease<Thing>>(CallsForBytes).Bytes)
        {
            Waits = () => (
                Run<Queueing.Poolhouse, Lease<Thing>>(CallsForBytes).Waits,
                Run<TRival, Thing>(CallsForBytes).Waits),
        };
}
