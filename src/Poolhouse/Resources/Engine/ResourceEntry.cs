using Poolhouse.Kernel.Leases;
using Poolhouse.Kernel.Time;
using Poolhouse.Resources.Engine.PolicyCalls;

namespace Poolhouse.Resources.Engine;

/// <summary>An item of a resource pool and what the pool knows about it.</summary>
// Invariants
//   exactly one holds the entry at any time: a hot cell or the list of the idle store, a lease, a work item, or a waiter that was
//   given it. Only the holder writes its fields; ExpiresAt and its reason are also written by Clear and Doubt, under the pool's gate.
//   while the item is doubted, ExpiresAt is PoolClock.Doubted, so that the comparison that every rent and return makes anyway sends it
//   through the gate, and the true expiry stands beside it. Doubt is ended under the gate, when the item is validated or returned.
//   the entry is in the core's registry from its creation until its place is free
internal sealed class ResourceEntry<T>(T item, ILeaseOwner<T> owner, long createdAt, int generation)
    : LeaseSlot<T>(item, owner, home: null, createdAt)
    where T : notnull
{
    // Entries are made one after the other and used by different threads: without a gap they would share cache lines.
#pragma warning disable CS0169, CA1823, IDE0051 // Never used: its size is what it is for.
    private readonly Gap _gap;
#pragma warning restore CS0169, CA1823, IDE0051
    private long _expiresAt = PoolClock.Never;
    private long _expiryBehindDoubt = PoolClock.Never;

    /// <summary>The count of clears before the creation began: what tells old items from new ones.</summary>
    public int Generation { get; } = generation;

    /// <summary>From when on the item must not be rented without a look at it: it has expired, or it is doubted.</summary>
    public long ExpiresAt
    {
        get => Volatile.Read(ref _expiresAt);
        set => Volatile.Write(ref _expiresAt, value);
    }

    /// <summary>From when on the item must not be rented any more, doubted or not.</summary>
    public long Expiry => ExpiresAt is var at and not PoolClock.Doubted ? at : Volatile.Read(ref _expiryBehindDoubt);

    /// <summary>Whether the item must be validated before it is rented, however recently it was used.</summary>
    public bool IsDoubted => ExpiresAt == PoolClock.Doubted;

    /// <summary>Why it will be destroyed then.</summary>
    public DestroyReason ExpiryReason { get; set; } = DestroyReason.Lifetime;

    /// <summary>Why it is destroyed when its lease is discarded.</summary>
    public DestroyReason DiscardReason { get; set; } = DestroyReason.Discarded;

    /// <summary>When it was last returned, or created: what trimming looks at.</summary>
    public long IdleSince { get; set; } = createdAt;

    /// <summary>When it was last known to work: returned, validated, or kept alive.</summary>
    public long FreshSince { get; set; } = createdAt;

    public long RentedAt { get; set; } = createdAt;

    /// <summary>How long it was idle before the current lease.</summary>
    public long IdleBefore { get; private set; }

    /// <summary>For how long it was leased, all ended leases together.</summary>
    public long UseTicks { get; private set; }

    /// <summary>What the pool is doing with it, if neither idle nor leased. Under the gate.</summary>
    public EntryState State { get; set; }

    /// <summary>When its validation or reset was begun. Under the gate.</summary>
    public long CheckedSince { get; set; }

    /// <summary>Whether that has lasted too long for callers to rely on. Under the gate.</summary>
    public bool IsOverdue { get; set; }

    /// <summary>Where it was rented and by which flow, if that is tracked.</summary>
    public LeaseTrace? Trace { get; set; }

    /// <summary>The use that was last reported as a leak. For the sweep, under the gate: it does not hold the entry.</summary>
    public long LeakedUse { get; set; }

    /// <summary>Neighbours in the idle list. Under the gate.</summary>
    public ResourceEntry<T>? Newer { get; set; }

    public ResourceEntry<T>? Older { get; set; }

    /// <summary>Whether it is in the idle list. Under the gate.</summary>
    public bool IsListed { get; set; }

    /// <summary>The next in a batch of effects.</summary>
    public ResourceEntry<T>? NextInBatch { get; set; }

    /// <summary>Its place in the registry. Under the gate.</summary>
    public int Index { get; set; }

    /// <summary>The work item that validates, resets and keeps it alive: one at a time, so one object is enough.</summary>
    public ItemCall<T>? Work { get; set; }

    /// <summary>For the holder: the item goes to a caller.</summary>
    public void BeginUse(long now)
    {
        IdleBefore = now - IdleSince;
        RentedAt = now;
    }

    /// <summary>For the winner of the lease's end.</summary>
    /// <returns>How long the lease lasted.</returns>
    public long EndUse(long now)
    {
        // Not below zero: the coarse clock may have been put right meanwhile.
        var used = Math.Max(0, now - RentedAt);
        UseTicks += used;
        IdleSince = now;
        FreshSince = now;
        Trace = null;
        return used;
    }

    /// <summary>Under the gate.</summary>
    public void Expire(long at)
    {
        if (IsDoubted)
        {
            Volatile.Write(ref _expiryBehindDoubt, at);
        }
        else
        {
            ExpiresAt = at;
        }
    }

    /// <summary>Under the gate.</summary>
    public void Doubt()
    {
        if (!IsDoubted)
        {
            Volatile.Write(ref _expiryBehindDoubt, ExpiresAt);
            ExpiresAt = PoolClock.Doubted;
        }
    }

    /// <summary>Under the gate.</summary>
    public void EndDoubt() => ExpiresAt = Expiry;

    /// <summary>After its destruction: a lease that somebody kept does not keep the item (I26).</summary>
    public void Forget()
    {
        Item = default!;
        Work = null;
    }

    [System.Runtime.CompilerServices.InlineArray(16)]
    private struct Gap
    {
        private long _first;
    }
}
