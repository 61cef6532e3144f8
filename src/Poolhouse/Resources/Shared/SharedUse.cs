using Poolhouse.Kernel.Leases;

namespace Poolhouse.Resources.Shared;

/// <summary>
/// A slot for one use of a shared item. It is leased together with the item selected at that time, and reused later with another
/// one.
/// </summary>
// The slot itself is an item of a ResourcePool, which limits the uses and queues the callers. So there are two leases: that of
// the slot, which only this class knows, and that of the item, which the caller holds.
internal sealed class SharedUse<T>(ILeaseOwner<T> owner, long createdAt) : LeaseSlot<T>(default!, owner, createdAt)
    where T : notnull
{
    private Lease<SharedUse<T>> _permit;
    private SharedItem<T>? _sharedItem;

    /// <summary>
    /// The item in use. For a thread that does not hold the lease, it is that of a given lease only if that lease is still active
    /// after the read.
    /// </summary>
    public SharedItem<T>? SharedItem => Volatile.Read(ref _sharedItem);

    /// <summary>
    /// Whether the item no longer counts this use, although its lease has not ended yet. Set by its only holder.
    /// </summary>
    public bool HasLeft { get; set; }

    public Lease<T> Begin(Lease<SharedUse<T>> permit, SharedItem<T> member)
    {
        _permit = permit;
        Volatile.Write(ref _sharedItem, member);
        Item = member.Item;
        return BeginLease();
    }

    /// <summary>
    /// Called by the thread that ended the lease, before the slot is released: an idle slot keeps no item alive (I26).
    /// </summary>
    public SharedItem<T> Forget()
    {
        var member = SharedItem!;
        Volatile.Write(ref _sharedItem, null);
        Item = default!;
        return member;
    }

    /// <summary>
    /// The number of the item in use, or null if the use has not begun or has ended. May be read by any thread.
    /// </summary>
    public long? ItemNumber
    {
        get
        {
            var version = Version;
            var number = SharedItem?.Entry.Number;
            Volatile.ReadBarrier();
            return (version & 1) != 0 && IsCurrent(version) ? number : null;
        }
    }

    /// <summary>Since when the item is used and by whom. It has the number of the item, not of this slot.</summary>
    public LeaseSnapshot? Snapshot => _permit.Snapshot is { } use && ItemNumber is { } number ? use.WithItem(number) : null;

    public void ReleaseCapacity() => _permit.Dispose();
}
