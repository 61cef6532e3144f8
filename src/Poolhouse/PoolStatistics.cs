namespace Poolhouse;

/// <summary>The counters of a pool at one moment.</summary>
/// <remarks>
/// An immutable snapshot. While other threads rent and return, counters that belong together may be off by the operations under way;
/// at rest they add up: <c>Created = Leased + Retained + Destroyed + Detached</c>, as long as only the pool's own items are returned.
/// </remarks>
public record PoolStatistics
{
    /// <summary>Rents served: <see cref="Hits"/> and <see cref="Misses"/> together.</summary>
    public long Rented { get; init; }

    /// <summary>Rents served with a retained item.</summary>
    public long Hits { get; init; }

    /// <summary>Rents for which a new item had to be created. A high share after warm-up says that the pool is too small.</summary>
    public long Misses { get; init; }

    /// <summary>Items that came back, whatever became of them. A double return does not count.</summary>
    public long Returned { get; init; }

    /// <summary>Items made: on a miss, or ahead of demand.</summary>
    public long Created { get; init; }

    /// <summary>Items that the pool let go of for good: surplus, refused, trimmed, discarded, or alive when it was disposed.</summary>
    public long Destroyed { get; init; }

    /// <summary>Returned items for which there was no place under the bound, or no pool any more.</summary>
    public long Surplus { get; init; }

    /// <summary>Returned items that the reset refused, or whose reset threw.</summary>
    public long Refused { get; init; }

    /// <summary>Retained items destroyed by idle time, memory pressure, <see cref="IPool.Trim"/> or disposal.</summary>
    public long Trimmed { get; init; }

    /// <summary>Leases ended by <see cref="Lease{T}.Discard"/>.</summary>
    public long Discarded { get; init; }

    /// <summary>Leases ended by <see cref="Lease{T}.Detach"/>.</summary>
    public long Detached { get; init; }

    /// <summary>Returns of an item that was in the pool already, and ends of a lease that had ended. Each was harmless; each is a bug.</summary>
    public long DoubleReturns { get; init; }

    /// <summary>Items whose disposal threw. The exception was swallowed, because the thread that met it had done nothing wrong.</summary>
    public long DestroyFailures { get; init; }

    /// <summary>Items idle in the pool, never above its bound.</summary>
    public long Retained { get; init; }

    /// <summary>Items rented and not yet back. A number that only grows says that somebody forgets to return.</summary>
    public long Leased { get; init; }

    /// <summary>
    /// The most items alive at once that the pool noticed: it looks at each snapshot, before each trim and at every 64th creation of a
    /// thread. Never above the true peak. A pool that retains this many never creates twice.
    /// </summary>
    public long PeakLive { get; init; }

    /// <summary>Bytes idle in the pool; 0 for a pool that counts items only.</summary>
    public long RetainedBytes { get; init; }
}
