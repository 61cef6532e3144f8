namespace Poolhouse.Resources.Engine.Items;

/// <summary>A lease slot that records since when, by whom and for how long its item is used.</summary>
// Only the holder writes it: before a lease begins, and after it has ended.
internal abstract class TracedSlot<T>(T item, ILeaseOwner<T> owner, long createdAt) : LeaseSlot<T>(item, owner, createdAt)
{
    /// <summary>The number of the item in its pool, from 1 in the order of creation; null if there is no item.</summary>
    public abstract long? ItemNumber { get; }

    /// <summary>When the current use began.</summary>
    public long RentedAt { get; set; } = createdAt;

    /// <summary>Who rented the item, if that is recorded.</summary>
    public LeaseTrace? Trace { get; set; }

    /// <summary>The total time of all ended leases.</summary>
    public long UseTicks { get; private set; }

    /// <summary>The use that was last reported as a leak. Used by the search for leaks, without holding the slot.</summary>
    public long LeakedUse { get; set; }

    /// <summary>Counts the use that has ended, and returns how long it lasted.</summary>
    protected long CountUse(long now)
    {
        // Not below zero: the coarse clock may have been corrected meanwhile.
        var used = Math.Max(0, now - RentedAt);
        UseTicks += used;
        return used;
    }

    /// <summary>Whether the current use has exceeded the threshold and was not reported yet.</summary>
    /// <param name="threshold">How long a use may last.</param>
    /// <param name="now">The time.</param>
    /// <param name="use">The use, to be written to <see cref="LeakedUse"/> when it is reported.</param>
    /// <param name="leasedFor">How long it has lasted.</param>
    // The lease may end and the next begin meanwhile. The use is read first, so the time is that of this use or of a later one.
    public bool IsLeak(long threshold, long now, out long use, out long leasedFor)
    {
        (use, leasedFor) = (Uses, now - RentedAt);
        return IsLeased && LeakedUse != use && leasedFor >= threshold;
    }
}
