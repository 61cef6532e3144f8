using System.Diagnostics;
using System.Runtime.CompilerServices;

namespace Poolhouse.Benchmarks.Bars;

/// <summary>Times operations.</summary>
internal static class Timing
{
    /// <summary>
    /// A call of this many pairs is short enough that the loop is called often, and so reaches tier 1 with its profile.
    /// </summary>
    public const int PairsPerCall = 2048;

    /// <summary>
    /// Nanoseconds for a pair: wall time from a common start to the last thread's end, over the pairs of one thread.
    /// </summary>
    public static double NanosecondsPerPair<TOperation>(int threads, int calls)
        where TOperation : struct, IOperation
    {
        if (threads == 1)
        {
            var start = Stopwatch.GetTimestamp();
            Repeat<TOperation>(calls);
            return Stopwatch.GetElapsedTime(start).TotalNanoseconds / ((double)calls * TOperation.PairsPerCall);
        }

        using var ready = new Barrier(threads + 1);
        var workers = Enumerable.Range(0, threads).Select(_ => new Thread(() =>
        {
            ready.SignalAndWait();
            Repeat<TOperation>(calls);
        })).ToList();
        workers.ForEach(worker => worker.Start());
        ready.SignalAndWait();
        var started = Stopwatch.GetTimestamp();
        workers.ForEach(worker => worker.Join());
        return Stopwatch.GetElapsedTime(started).TotalNanoseconds / ((double)calls * TOperation.PairsPerCall);
    }

    /// <summary>Bytes that a pair allocates on one thread.</summary>
    // The least of some runs: a collection that falls into one writes off what is left of the thread's piece of the heap, some
    // 4 KB, as allocated, which shows where a run has few pairs.
    public static double BytesPerPair<TOperation>()
        where TOperation : struct, IOperation => Enumerable.Range(0, 5).Min(_ => BytesOfRun<TOperation>());

    private static double BytesOfRun<TOperation>()
        where TOperation : struct, IOperation
    {
        const int Calls = 20;
        var before = GC.GetAllocatedBytesForCurrentThread();
        Repeat<TOperation>(Calls);
        return (GC.GetAllocatedBytesForCurrentThread() - before) / ((double)Calls * TOperation.PairsPerCall);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Repeat<TOperation>(int calls)
        where TOperation : struct, IOperation
    {
        for (var call = 0; call < calls; call++)
        {
            TOperation.Run(TOperation.PairsPerCall);
        }
    }

    /// <summary>The median; of an even number, the larger of the two in the middle.</summary>
    public static double Median(IEnumerable<double> values)
    {
        var sorted = values.Order().ToList();
        return sorted[sorted.Count / 2];
    }
}
