namespace Poolhouse.Workers.Threads;

/// <summary>The counters of one worker. Written by its thread only, read by any thread.</summary>
// Each counter only grows, and what is reported is a sum of counters and never a difference: a counter that falls looks like a
// restart.
internal sealed class WorkerCounters
{
    public readonly long[] Destroyed = new long[(int)WorkerDestroyReason.PoolDisposed + 1];
    public long Ended;
    public long Failed;
    public long Hits;
    public long Misses;
    public long Created;
    public long CreateFailures;
    public long DestroyFailures;
    public long WaitTicks;
    public long RunTicks;
    public long CreateTicks;

    /// <summary>Adds the counters of another worker, running or ended.</summary>
    public void Add(WorkerCounters other)
    {
        for (var reason = 0; reason < Destroyed.Length; reason++)
        {
            Destroyed[reason] += Volatile.Read(ref other.Destroyed[reason]);
        }

        // Read before the counters of started items, so that it never exceeds them.
        Ended += Volatile.Read(ref other.Ended);
        Failed += Volatile.Read(ref other.Failed);
        Hits += Volatile.Read(ref other.Hits);
        Misses += Volatile.Read(ref other.Misses);
        Created += Volatile.Read(ref other.Created);
        CreateFailures += Volatile.Read(ref other.CreateFailures);
        DestroyFailures += Volatile.Read(ref other.DestroyFailures);
        WaitTicks += Volatile.Read(ref other.WaitTicks);
        RunTicks += Volatile.Read(ref other.RunTicks);
        CreateTicks += Volatile.Read(ref other.CreateTicks);
    }
}
