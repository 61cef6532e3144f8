namespace Poolhouse.Resources.Engine.Core;

/// <summary>Counters of events outside the fast path. Under the core's gate.</summary>
internal sealed class ResourceCounters
{
    public readonly long[] Destroyed = new long[(int)DestroyReason.PoolDisposed + 1];
    public long Created;
    public long Detached;
    public long CreateTicks;
    public long CreateFailures;
    public long Trimmed =>
        Destroyed[(int)DestroyReason.Idle] + Destroyed[(int)DestroyReason.Lifetime] + Destroyed[(int)DestroyReason.Cleared] +
        Destroyed[(int)DestroyReason.Trimmed] + Destroyed[(int)DestroyReason.Evicted] +
        Destroyed[(int)DestroyReason.ParentInactive] + Destroyed[(int)DestroyReason.Expired] +
        Destroyed[(int)DestroyReason.PoolDisposed];

    public long Leaks;

    /// <summary>The uses of entries that are gone, and the waits that these have counted.</summary>
    public UsageTotals Usage;
}
