
namespace Poolhouse.Workers.Threads;

/// <summary>What one worker did. Written by its thread alone, read by anybody.</summary>
// Each of them only grows, and what is reported is a sum of them and never a difference: a counter that falls looks like a restart.
internal sealed class WorkerCounters
{
    public readonly long[] Destroyed = new long[(int)DestroyReason.PoolDisposed + 1];
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

    /// <summary>Adds the counters of a worker that has ended, or that is looked at.</summary>
    public void Add(WorkerCounters other)
    {
        for (var reason = 0; reason < Destroyed.Length; reason++)
        {
            Destroyed[reason] += Volatile.Read(ref other.Destroyed[reason]);
        }

        // Before those that began, so that there are never more of them.
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
