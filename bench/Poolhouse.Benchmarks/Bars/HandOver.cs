using System.Diagnostics;
using Microsoft.Extensions.ObjectPool;

namespace Poolhouse.Benchmarks.Bars;

/// <summary>One thread rents, the other returns: where a pool of nothing but thread-local stacks would never hit.</summary>
internal static class HandOver
{
    // Handed over in batches, because a hand-over of single items costs more than any pool and would be all that is measured.
    private const int BatchSize = 32;
    private const int BatchCount = 8;
    public const string NameOfMisses = "rent here, return there: misses";
    private const int ItemsPerCall = Timing.PairsPerCall;

    /// <summary>Nanoseconds for each item, handed over in the same way for both pools.</summary>
    public static double NanosecondsPerItem(ObjectPool<Thing> pool, int calls)
    {
        var rounds = calls * ItemsPerCall / BatchSize;
        var batches = Enumerable.Range(0, BatchCount).Select(_ => new Batch()).ToArray();
        using var ready = new Barrier(2);
        var returner = new Thread(() =>
        {
            ready.SignalAndWait();
            for (var round = 0; round < rounds; round++)
            {
                var batch = batches[round % BatchCount];
                batch.Await(full: true);
                foreach (var thing in batch.Things)
                {
                    pool.Return(thing);
                }

                batch.Set(full: false);
            }
        });
        returner.Start();
        ready.SignalAndWait();
        var start = Stopwatch.GetTimestamp();
        for (var round = 0; round < rounds; round++)
        {
            var batch = batches[round % BatchCount];
            batch.Await(full: false);
            for (var i = 0; i < batch.Things.Length; i++)
            {
                batch.Things[i] = pool.Get();
            }

            batch.Set(full: true);
        }

        returner.Join();
        return Stopwatch.GetElapsedTime(start).TotalNanoseconds / (rounds * (double)BatchSize);
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

    private sealed class Batch
    {
        private bool _full;

        public Thing[] Things { get; } = new Thing[BatchSize];

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
