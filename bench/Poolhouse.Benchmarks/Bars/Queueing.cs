using System.Diagnostics;
using Poolhouse.Tool.Bench.Rivals;

namespace Poolhouse.Benchmarks.Bars;

/// <summary>Eight asynchronous callers share two items: what handing an item to the next in the queue costs.</summary>
// Started one after another with nothing to do inside the lease, some callers make all their rents before the next one starts,
// they never contend, and a run measures hand-overs or hits by chance. A yield inside the lease makes them contend, but two
// yields cost as much as a hand-over and would hide it. So the queue is primed: both items are held until all eight wait, then
// released together. Each pool here hands a returned item straight to the longest waiter, so a caller that returns one and rents
// again stands behind the others, and all wait for all their rents. The first to be done stops the others, because a last one
// alone would never wait. All this is counted, not assumed.
internal static class Queueing
{
    private const int Callers = 8;
    private const int Items = 2;

    private static volatile bool _enough;

    /// <param name="Nanoseconds">Wall time over the rents of all callers.</param>
    /// <param name="Bytes">Bytes that a rent allocated, on whatever thread.</param>
    /// <param name="Waits">The share of rents that were not served at once.</param>
    internal readonly record struct Result(double Nanoseconds, double Bytes, double Waits);

    public static double NanosecondsPerRent<TPool, THeld>(int calls)
        where TPool : struct, IQueuedPool<THeld> => Run<TPool, THeld>(calls).Nanoseconds;

    public static Result Run<TPool, THeld>(int calls)
        where TPool : struct, IQueuedPool<THeld>
    {
        var each = Math.Max(1, calls * Timing.PairsPerCall / Callers);
        var held = Enumerable.Range(0, Items).Select(_ => TPool.RentAsync().AsTask().Result).ToList();
        var callers = Enumerable.Range(0, Callers).Select(_ => CallAsync<TPool, THeld>(each)).ToList();
        _enough = false;
        var bytes = GC.GetTotalAllocatedBytes(precise: true);
        var started = Stopwatch.GetTimestamp();
        held.ForEach(TPool.Return);
        var counts = Task.WhenAll(callers).Result;
        var nanoseconds = Stopwatch.GetElapsedTime(started).TotalNanoseconds;
        bytes = GC.GetTotalAllocatedBytes(precise: true) - bytes;
        var rents = (double)counts.Sum(count => count.Rents);
        return new Result(nanoseconds / rents, bytes / rents, counts.Sum(count => count.Waits) / rents);
    }

    private static async Task<(int Rents, int Waits)> CallAsync<TPool, THeld>(int most)
        where TPool : struct, IQueuedPool<THeld>
    {
        var rents = 0;
        var waits = 0;
        for (; rents < most && (rents == 0 || !_enough); rents++)
        {
#pragma warning disable CA2012 // Looked at once and awaited once.
            var rent = TPool.RentAsync();
            waits += rent.IsCompleted ? 0 : 1;
            TPool.Return(await rent);
#pragma warning restore CA2012
        }

        _enough = true;
        return (rents, waits);
    }

    /// <summary>A pool of two. A struct for each, so that the loop is compiled for it alone.</summary>
    internal interface IQueuedPool<THeld>
    {
        static abstract ValueTask<THeld> RentAsync();

        static abstract void Return(THeld held);
    }

    internal readonly struct Poolhouse : IQueuedPool<Lease<Thing>>
    {
        private static readonly ResourcePool<Thing> _pool = ResourcePools.Make(Items);

        public static ValueTask<Lease<Thing>> RentAsync() => _pool.RentAsync();

        public static void Return(Lease<Thing> held) => held.Dispose();
    }

    /// <summary>With the time limit that its originals and Poolhouse always have; ours is 30 s.</summary>
    internal readonly struct Channel : IQueuedPool<Thing>
    {
        private static readonly ChannelPool<Thing> _pool = new(Items, ResourcePools.RivalThings());

        public static ValueTask<Thing> RentAsync() => _pool.RentAsync(TimeSpan.FromSeconds(30), CancellationToken.None);

        public static void Return(Thing held) => _pool.Return(held);
    }

    /// <summary>At its best: without any time limit, although the others have one.</summary>
    internal readonly struct HomeMade : IQueuedPool<Thing>
    {
        private static readonly HomeMadePool<Thing> _pool = new(Items, ResourcePools.RivalThings());

        public static ValueTask<Thing> RentAsync() => _pool.RentAsync(Timeout.InfiniteTimeSpan, CancellationToken.None);

        public static void Return(Thing held) => _pool.Return(held);
    }

    /// <summary>With the same time limit as the others.</summary>
    internal readonly struct HomeMadeWithLimit : IQueuedPool<Thing>
    {
        private static readonly HomeMadePool<Thing> _pool = new(Items, ResourcePools.RivalThings());

        public static ValueTask<Thing> RentAsync() => _pool.RentAsync(TimeSpan.FromSeconds(30), CancellationToken.None);

        public static void Return(Thing held) => _pool.Return(held);
    }
}
