namespace Poolhouse.Resources.Engine.Core;

/// <summary>Counters of events outside the fast path. Under the core's gate.</summary>
internal sealed class ResourceCounters
{
    public readonly long[] Destroyed = new long[(int)DestroyReason.PoolDisposed + 1];
    public long Created;
    public long Detached;
    public long CreateTicks;
    public long CreateFailures;

    /// <summary>The uses of entries that are gone, and the waits that these have counted.</summary>
    public UsageTotals Usage;
}
