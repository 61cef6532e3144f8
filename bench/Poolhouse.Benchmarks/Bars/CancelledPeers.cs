using System.Diagnostics;

namespace Poolhouse.Benchmarks.Bars;

/// <summary>What waiters that gave up cost the remaining waiters.</summary>
// Both items are held while the queue fills: each caller that stays is queued behind four that are cancelled. They are cancelled
// before the clock starts, because giving up has its own cost, which is paid by the caller that gives up. Then the items are
// released, and the time runs until the last remaining caller was served: cancelled waiters left in the queue would show here.
//
// Where a limit is set, as many peers give up in the comparison too, but in the queue of another pool: their tasks and exceptions
// evict the waiters from the processor's caches, which is not a cost of the queue. A second bar compares with a run in which no
// caller gives up, and only shows the result.
internal static class CancelledPeers
{
    private const int PeersPerSurvivor = 4;
    private const int Items = 2;
    private const int Survivors = 512;

    // A cancelled wait ends with an exception, and those take longer than all that is measured.
    private const int MostBatches = 4;

    private static readonly ResourcePool<Thing> _pool = ResourcePools.Make(Items);
    private static readonly ResourcePool<Thing> _other = ResourcePools.Make(Items);

    /// <summary>The queue of the callers that give up.</summary>
    internal enum Peers
    {
        None,
        InTheSameQueue,
        InAnotherQueue,
    }

    public static double NanosecondsPerSurvivor(Peers peers, int calls)
    {
        var batches = Math.Min(calls, MostBatches);
        var nanoseconds = 0.0;
        for (var batch = 0; batch < batches; batch++)
        {
            nanoseconds += RunBatch(peers);
        }

        return nanoseconds / (batches * (double)Survivors);
    }

    private static double RunBatch(Peers peers)
    {
        using var giveUp = new CancellationTokenSource();
        var held = Hold(_pool);
        var heldOfOther = Hold(_other);
        var cancelled = new List<Task>();
        var survivors = new List<Task>();
        for (var i = 0; i < Survivors; i++)
        {
            for (var peer = 0; peer < PeersPerSurvivor && peers != Peers.None; peer++)
            {
                cancelled.Add(RentAsync(peers == Peers.InTheSameQueue ? _pool : _other, giveUp.Token));
            }

            survivors.Add(RentAsync(_pool, CancellationToken.None));
        }

        giveUp.Cancel();
        Task.WhenAll(cancelled).ContinueWith(_ => { }, TaskScheduler.Default).Wait();
        if (cancelled.Exists(task => !task.IsCanceled) || _pool.GetStatistics().Waiting != Survivors)
        {
            throw new InvalidOperationException("The queue is not what was to be measured.");
        }

        var started = Stopwatch.GetTimestamp();
        held.ForEach(lease => lease.Dispose());
        Task.WaitAll(survivors);
        var elapsed = Stopwatch.GetElapsedTime(started);
        heldOfOther.ForEach(lease => lease.Dispose());
        return elapsed.TotalNanoseconds;
    }

    private static List<Lease<Thing>> Hold(ResourcePool<Thing> pool) =>
        [.. Enumerable.Range(0, Items).Select(_ => pool.Rent())];

    private static async Task RentAsync(ResourcePool<Thing> pool, CancellationToken cancellation)
    {
        using var lease = await pool.RentAsync(cancellation);
        lease.Value.Uses++;
    }
}
