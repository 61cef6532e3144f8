namespace Poolhouse.Resources.Engine.Core;

/// <summary>Counters of events outside the fast path. Under the core's gate.</summary>
internal sealed class ResourceCounters
{
    public readonly long[] Destroyed = new long[(int)DestroyReason.PoolDisposed + 1];
    public long Created;
    public long Detached;
    public long CreateTicks;
    public long CreateFailures;
    public long Timeouts;
    public long Cancellations;
    public long Trimmed =>
        Destroyed[(int)DestroyReason.Idle] + Destroyed[(int)DestroyReason.Lifetime] + Destroyed[(int)DestroyReason.Cleared] +
        Destroyed[(int)DestroyReason.Trimmed] + Destroyed[(int)DestroyReason.Evicted] +
        Destroyed[(int)DestroyReason.ParentRetired] + Destroyed[(int)DestroyReason.Retired] +
        Destroyed[(int)DestroyReason.PoolDisposed];

    public long Shed;
    public long Leaks;

    /// <summary>All waits and uses except those that live entries have counted.</summary>
    public UsageTotals Usage;

    public void CountOutcome(WaitOutcome outcome, long waited)
    {
        Usage.WaitTicks += waited;
        Usage.Waits += outcome == WaitOutcome.Served ? 1 : 0;
        Timeouts += outcome == WaitOutcome.TimedOut ? 1 : 0;
        Cancellations += outcome == WaitOutcome.Cancelled ? 1 : 0;
        Shed += outcome == WaitOutcome.Shed ? 1 : 0;
    }
}
