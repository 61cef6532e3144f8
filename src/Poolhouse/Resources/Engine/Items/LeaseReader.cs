namespace Poolhouse.Resources.Engine.Items;

/// <summary>Reads the active leases of a resource pool while they begin and end.</summary>
// The fields of a use are written before its lease begins, and changed only after it has ended. So what was read between two
// readings of the same odd version belongs to that one lease; a lease that ended meanwhile is left out. No lock is held, except
// to copy the registry.
internal static class LeaseReader
{
    /// <summary>How many leases a message shows.</summary>
    public const int Shown = 5;

    /// <param name="slots">The slots of the pool, leased or not.</param>
    /// <param name="max">The maximum number of leases to return.</param>
    /// <param name="clock">The clock of the pool.</param>
    /// <returns>The oldest leases first.</returns>
    public static IReadOnlyList<LeaseSnapshot> Read<T>(IEnumerable<TracedSlot<T>> slots, int max, PoolClock clock)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(max);
        var now = clock.Now;
        var leases = new List<(long RentedAt, long Number, LeaseTrace? Trace)>();
        foreach (var slot in slots)
        {
            var version = slot.Version;
            var (number, rentedAt, trace) = (slot.ItemNumber, slot.RentedAt, slot.Trace);

            // The version is read again only after the fields, also on processors that may load it first.
            Volatile.ReadBarrier();
            if ((version & 1) != 0 && slot.IsCurrent(version) && number is { } known)
            {
                leases.Add((rentedAt, known, trace));
            }
        }

        return [.. leases.OrderBy(static lease => lease.RentedAt).Take(max).Select(lease => new LeaseSnapshot
        {
            ItemNumber = lease.Number,
            LeasedFor = clock.Span(Math.Max(0, now - lease.RentedAt)),
            Label = lease.Trace?.Label,
            TraceId = lease.Trace?.TraceId ?? default,
            SpanId = lease.Trace?.SpanId ?? default,
            RentedAt = lease.Trace?.Site,
        })];
    }

    /// <summary>Reads the active lease of one slot; null if there is none.</summary>
    public static LeaseSnapshot? Find<T>(TracedSlot<T> slot, PoolClock clock) =>
        Read([slot], max: 1, clock) is [var lease] ? lease : null;

    /// <summary>Reads how an item was used until now.</summary>
    // Not below zero: the coarse time of the rent may be earlier than the exact time of the creation.
    public static LeaseInfo InfoOf<T>(ResourceEntry<T> entry, PoolClock clock, long now)
        where T : notnull
    {
        var idle = Math.Max(0, entry.IsLeased ? entry.IdleBefore : now - entry.IdleSince);
        return new LeaseInfo(entry.Uses, clock.Span(now - entry.CreatedAt), clock.Span(idle), entry.Number);
    }

    /// <summary>Merges the leases of several pools.</summary>
    public static IReadOnlyList<LeaseSnapshot> Merge(IEnumerable<IReadOnlyList<LeaseSnapshot>> parts, int max)
    {
        // The pools check it too, but there may be none yet.
        ArgumentOutOfRangeException.ThrowIfNegative(max);
        return [.. parts.SelectMany(static leases => leases).OrderByDescending(static lease => lease.LeasedFor).Take(max)];
    }
}
