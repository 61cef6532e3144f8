using System.Diagnostics;
using Poolhouse.Resources;

namespace Poolhouse.Benchmarks.Bars;

/// <summary>What those who waited and gave up cost those who still wait.</summary>
// Both items are held while the queue fills: before each caller that stays stand four that will be cancelled. They are, before the clock
// starts, because giving up has its own price, paid by whoever gives up. Then the items are released, and the time runs until the last
// survivor has had its turn: dead waiters left in the queue, or a queue in disorder, would show here.
//
// So would the garbage of the cancelled, tasks and exceptions, which lies between the waiters in memory and costs cache misses until it is
// collected, in any pool. It is therefore collected first where a limit is set, and left lying in a second bar that only shows.
internal static class CancelledPeers
{
    public const int PeersPerSurvivor = 4;
    private const int Items = 2;
    private const int Survivors = 512;

    // A cancelled wait ends with an exception, and those take longer than all that is measured.
    private const int MostBatches = 4;

    private static readonly ResourcePool<Thing> _pool = ResourcePools.Make(Items);

    public static double NanosecondsPerSurvivor(int peers, int calls, bool collect = true)
    {
        var batches = Math.Min(calls, MostBatches);
        var nanoseconds = 0.0;
        for (var batch = 0; batch < batches; batch++)
        {
            nanoseconds += RunBatch(peers, collect);
        }

        return nanoseconds / (batches * (double)Survivors);
    }

    private static double RunBatch(int peers, bool collect)
    {
        using var giveUp = new CancellationTokenSource();
        var held = Enumerable.Range(0, Items).Select(_ => _pool.Rent()).ToList();
        var cancelled = new List<Task>();
        var survivors = new List<Task>();
        for (var i = 0; i < Survivors; i++)
        {
            for (var peer = 0; peer < peers; peer++)
            {
                cancelled.Add(RentAsync(giveUp.Token));
            }

            survivors.Add(RentAsync(CancellationToken.None));
        }

        giveUp.Cancel();
        Task.WhenAll(cancelled).ContinueWith(_ => { }, TaskScheduler.Default).Wait();
        if (cancelled.Exists(task => !task.IsCanceled) || _pool.GetStatistics().Waiting != Survivors)
        {
            throw new InvalidOperationException("The queue is not what was to be measured.");
        }

        if (collect)
        {
            GC.Collect();
            GC.WaitForPendingFinalizers();
        }

        var started = Stopwatch.GetTimestamp();
        held.ForEach(lease => lease.Dispose());
        Task.WaitAll(survivors);
        return Stopwatch.GetElapsedTime(started).TotalNanoseconds;
    }

    private static async Task RentAsync(CancellationToken cancellation)
    {
        using var lease = await _pool.RentAsync(cancellation);
        lease.Value.Uses++;
    }
}
