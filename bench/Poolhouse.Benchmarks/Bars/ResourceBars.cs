using static Poolhouse.Benchmarks.Bars.Queueing;

namespace Poolhouse.Benchmarks.Bars;

/// <summary>What the pool of resources promises.</summary>
internal static class ResourceBars
{
    private const double ShareOfBytes = 0.1;

    // Enough to fill the queue; the warm-up has ended long before.
    private const int CallsForBytes = 20;

    public static IReadOnlyList<Bar> All { get; } =
    [
        Bar.Of<ResourcePair, SemaphorePair>("resource rent+return", "SemaphoreSlim Wait+Release", 2.5),
        Bar.Of<ResourcePairAsync, SemaphorePairAsync>("resource rent+return, async", "SemaphoreSlim WaitAsync+Release", 2.5),
        Bar.Of<ResourcePair, ChannelPair>("resource rent+return", "channel pool", null),
        Bar.Of<ResourcePairAsync, ChannelPairAsync>("resource rent+return, async", "channel pool", null),
        Bar.Of<ResourceTen, ResourcePair>("resource, 10 held at once", "one held", 2.5),
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
        Queue<HomeMadeWithLimit>("resource, 8 async callers over 2", "SemaphoreSlim + bag, time limit", 0.5),
        Cancelled("as many in another queue", 1.5, CancelledPeers.Peers.InAnotherQueue),
        Cancelled("no waiter gave up", null, CancelledPeers.Peers.None),
    ];

    private static Bar Cancelled(string rival, double? limit, CancelledPeers.Peers peers) => new(
        "resource, 4 of 5 waiters gave up",
        rival,
        limit,
        calls => CancelledPeers.NanosecondsPerSurvivor(CancelledPeers.Peers.InTheSameQueue, calls),
        calls => CancelledPeers.NanosecondsPerSurvivor(peers, calls),
        null);

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
