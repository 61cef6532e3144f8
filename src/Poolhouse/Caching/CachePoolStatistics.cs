using System.Text;

namespace Poolhouse;

/// <summary>The counters of a pool of objects, buffers or streams at one moment.</summary>
/// <remarks>
/// An immutable snapshot. While other threads rent and return, related counters may be off by the operations in progress;
/// otherwise they add up: <c>Created = Leased + Retained + Destroyed + Detached</c>, as long as only the pool's own items are
/// returned.
/// </remarks>
public sealed class CachePoolStatistics : PoolStatistics
{
    /// <inheritdoc/>
    public override PoolCondition Condition => Closed ? PoolCondition.Closed : PoolCondition.Working;

    /// <summary>Rents served with a retained item.</summary>
    public long Hits { get; init; }

    /// <summary>
    /// Rents for which a new item had to be created. A high share after warm-up indicates that the pool is too small.
    /// </summary>
    public long Misses { get; init; }

    /// <summary>Items created: on a miss, or ahead of demand.</summary>
    public long Created { get; init; }

    /// <summary>
    /// Items that the pool destroyed: surplus, refused, trimmed, discarded, or retained when the pool was disposed.
    /// </summary>
    public long Destroyed { get; init; }

    /// <summary>Returned items that exceeded the pool's capacity, or came back after the pool was disposed.</summary>
    public long Surplus { get; init; }

    /// <summary>Returned items that the reset refused, or whose reset threw.</summary>
    public long Refused { get; init; }

    /// <summary>Retained items destroyed by idle time, memory pressure, <see cref="IPool.Trim"/> or disposal.</summary>
    public long Trimmed { get; init; }

    /// <summary>
    /// Leases ended by <see cref="Lease{T}.Discard"/>, or ended by a return after <see cref="Lease{T}.Taint"/>, and items
    /// destroyed because they were changed after their return. Also streams dropped because an operation was in progress when
    /// they ended, their blocks in the array pool, and arrays that a <see cref="PooledBufferWriter{T}"/> replaced with longer
    /// ones while their memory was offered.
    /// </summary>
    public long Discarded { get; init; }

    /// <summary>Leases ended by <see cref="Lease{T}.Detach"/>.</summary>
    public long Detached { get; init; }

    /// <summary>
    /// Returns of an item that was already in the pool, and attempts to end a lease that had already ended. They do no harm, but
    /// each is a bug in the calling code.
    /// </summary>
    public long DoubleReturns { get; init; }

    /// <summary>Returns of items that the pool did not rent out; they are not kept. Detected in paranoid mode only.</summary>
    public long ForeignReturns { get; init; }

    /// <summary>
    /// Idle items that were changed after their return, found when they were to be rented again and destroyed. Detected in
    /// paranoid mode only.
    /// </summary>
    public long WritesAfterReturn { get; init; }

    /// <summary>
    /// Items whose disposal threw. The exception is swallowed, because the thread on which it occurs did not cause it.
    /// </summary>
    public long DestroyFailures { get; init; }

    /// <summary>Items idle in the pool; never above its capacity.</summary>
    public long Retained { get; init; }

    /// <summary>Bytes idle in the pool; 0 for a pool that only counts items.</summary>
    public long RetainedBytes { get; init; }

    /// <summary>
    /// The highest number of items alive at once that the pool observed: it samples at each snapshot, before each call of
    /// <see cref="IPool.Trim"/>, before its disposal, and at every 64th creation of a thread. A peak between two samples is
    /// missed. A sample reads the counters of one thread after another, so it can also be above the true peak if other threads
    /// destroy and create items at the same time. A pool that retains this many items does not need to create replacements.
    /// </summary>
    public long PeakLive { get; init; }

    internal override PoolFigures Figures => new()
    {
        States = [("idle", Retained), ("leased", Leased)],
        Rents = [("hit", Hits), ("miss", Misses)],
        Returned = Returned,
        Created = Created,
        Destroyed =
            [("surplus", Surplus), ("refused", Refused), ("trimmed", Trimmed), ("discarded", Discarded)],
        IdleBytes = RetainedBytes,
        Peak = PeakLive,
        DoubleReturns = DoubleReturns,
        Misuses = [("foreign_return", ForeignReturns), ("write_after_return", WritesAfterReturn)],
    };

    internal override string Summary => $"{Leased} leased, {Retained} retained";

    /// <inheritdoc/>
    protected override void Describe(StringBuilder text)
    {
        AppendLine(
            text, "Rents", (nameof(Rented), Rented), (nameof(Hits), Hits), (nameof(Misses), Misses), (nameof(Returned), Returned),
            (nameof(DoubleReturns), DoubleReturns), (nameof(ForeignReturns), ForeignReturns),
            (nameof(WritesAfterReturn), WritesAfterReturn));
        AppendLine(
            text, "Items", (nameof(Leased), Leased), (nameof(Retained), Retained), (nameof(RetainedBytes), RetainedBytes),
            (nameof(PeakLive), PeakLive), (nameof(Created), Created), (nameof(Detached), Detached));
        AppendLine(
            text, "Destroyed", (nameof(Destroyed), Destroyed), (nameof(Surplus), Surplus), (nameof(Refused), Refused),
            (nameof(Trimmed), Trimmed), (nameof(Discarded), Discarded), (nameof(DestroyFailures), DestroyFailures));
    }
}
