using System.Diagnostics;
using Microsoft.Extensions.ObjectPool;
using Poolhouse.Objects;

namespace Poolhouse.Benchmarks.Bars;

/// <summary>One thread rents, the other returns: where a pool of nothing but thread-local stacks would never hit.</summary>
internal static class HandOver
{
    private const int BeltLength = 64;
    private const int ItemsPerCall = Timing.PairsPerCall;

    /// <summary>Nanoseconds an item, over a belt that is the same for both pools.</summary>
    public static double NanosecondsPerItem(ObjectPool<Thing> pool, int calls)
    {
        var items = calls * ItemsPerCall;
        var belt = new Thing?[BeltLength];
        using var ready = new Barrier(2);
        var returner = new Thread(() =>
        {
            ready.SignalAndWait();
            for (var i = 0; i < items; i++)
            {
                pool.Return(TakeFrom(ref belt[i % BeltLength]));
            }
        });
        returner.Start();
        ready.SignalAndWait();
        var start = Stopwatch.GetTimestamp();
        for (var i = 0; i < items; i++)
        {
            PutInto(ref belt[i % BeltLength], pool.Get());
        }

        returner.Join();
        return Stopwatch.GetElapsedTime(start).TotalNanoseconds / items;
    }

    /// <summary>The share of misses after warm-up, against the 1 % that is allowed.</summary>
    public static Outcome Misses()
    {
        using var pool = new TieredObjectPool<Thing>(() => new Thing());
        NanosecondsPerItem(pool, 4);
        var warm = pool.GetStatistics();
        NanosecondsPerItem(pool, 40);
        var end = pool.GetStatistics();
        var misses = (double)(end.Misses - warm.Misses) / (end.Rented - warm.Rented);
        return new Outcome("rent here, return there: misses", misses, "allowed share", 0.01, misses / 0.01, 1, null);
    }

    private static void PutInto(ref Thing? place, Thing thing)
    {
        var spinner = default(SpinWait);
        while (Volatile.Read(ref place) is not null)
        {
            spinner.SpinOnce();
        }

        Volatile.Write(ref place, thing);
    }

    private static Thing TakeFrom(ref Thing? place)
    {
        var spinner = default(SpinWait);
        Thing? thing;
        while ((thing = Volatile.Read(ref place)) is null)
        {
            spinner.SpinOnce();
        }

        Volatile.Write(ref place, null);
        return thing;
    }
}
