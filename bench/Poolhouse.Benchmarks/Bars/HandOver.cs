using System.Diagnostics;
using Microsoft.Extensions.ObjectPool;

namespace Poolhouse.Benchmarks.Bars;

/// <summary>One thread rents, the other returns: where a pool of nothing but thread-local stacks would never hit.</summary>
internal static class HandOver
{
    // Handed over by the crate, because a hand-over of single items costs more than any pool and would be all that is measured.
    private const int CrateSize = 32;
    private const int Crates = 8;
    public const string NameOfMisses = "rent here, return there: misses";
    private const int ItemsPerCall = Timing.PairsPerCall;

    /// <summary>Nanoseconds an item, over a belt that is the same for both pools.</summary>
    public static double NanosecondsPerItem(ObjectPool<Thing> pool, int calls)
    {
        var rounds = calls * ItemsPerCall / CrateSize;
        var belt = Enumerable.Range(0, Crates).Select(_ => new Crate()).ToArray();
        using var ready = new Barrier(2);
        var returner = new Thread(() =>
        {
            ready.SignalAndWait();
            for (var round = 0; round < rounds; round++)
            {
                var crate = belt[round % Crates];
                crate.Await(full: true);
                foreach (var thing in crate.Things)
                {
                    pool.Return(thing);
                }

                crate.Set(full: false);
            }
        });
        returner.Start();
        ready.SignalAndWait();
        var start = Stopwatch.GetTimestamp();
        for (var round = 0; round < rounds; round++)
        {
            var crate = belt[round % Crates];
            crate.Await(full: false);
            for (var i = 0; i < crate.Things.Length; i++)
            {
                crate.Things[i] = pool.Get();
            }

            crate.Set(full: true);
        }

        returner.Join();
        return Stopwatch.GetElapsedTime(start).TotalNanoseconds / (rounds * (double)CrateSize);
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
        return new Outcome(NameOfMisses, misses, "allowed share", 0.01, misses / 0.01, 1, null);
    }

    private sealed class Crate
    {
        private bool _full;

        public Thing[] Things { get; } = new Thing[CrateSize];

        public void Set(bool full) => Volatile.Write(ref _full, full);

        public void Await(bool full)
        {
            var spinner = default(SpinWait);
            while (Volatile.Read(ref _full) != full)
            {
                spinner.SpinOnce(sleep1Threshold: -1);
            }
        }
    }
}
