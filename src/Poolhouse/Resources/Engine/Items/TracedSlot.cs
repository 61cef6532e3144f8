namespace Poolhouse.Resources.Engine.Items;

/// <summary>A lease slot that records since when, by whom and for how long its item is used.</summary>
// Only the holder writes it: before a lease begins, and after it has ended.
internal abstract class TracedSlot<T>(T item, ILeaseOwner<T> owner, long createdAt) : LeaseSlot<T>(item, owner, createdAt)
{
    private long _leakedUse;

    /// <summary>The number of the item in its pool, from 1 in the order of creation; null if there is no item.</summary>
    public abstract long? ItemNumber { get; }

    /// <summary>When the current use began.</summary>
    public long RentedAt { get; set; } = createdAt;

    /// <summary>Who rented the item, if that is recorded.</summary>
    public LeaseTrace? Trace { get; set; }

    /// <summary>The total time of all ended leases.</summary>
    public long UseTicks { get; private set; }

    /// <summary>The use that was last reported as a leak. Used by the search for leaks, without holding the slot.</summary>
    public long LeakedUse => Volatile.Read(ref _leakedUse);

    /// <summary>Counts the use that has ended, and returns how long it lasted.</summary>
    protected long CountUse(long now)
    {
        // Not below zero: the coarse clock may have been corrected meanwhile.
        var used = Math.Max(0, now - RentedAt);
        UseTicks += used;
        return used;
    }

    /// <summary>Marks a use as reported. Only one of several searches may report it.</summary>
    public bool TryMarkLeaked(long use)
    {
        var last = LeakedUse;
        return last != use && Interlocked.CompareExchange(ref _leakedUse, use, last) == last;
    }
}
