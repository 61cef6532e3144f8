using Poolhouse.Kernel.Leases;

namespace Poolhouse.Resources.Shared;

/// <summary>
/// A place for one use of a shared item: it is leased with the item of the moment, and used again with another one.
/// </summary>
// The place itself is an item of a ResourcePool, which bounds the uses and queues the callers. So there are two leases: that of
// the place, which only this class knows, and that of the item, which the caller has.
internal sealed class SharedUse<T>(ILeaseOwner<T> owner, long createdAt) : LeaseSlot<T>(default!, owner, home: null, createdAt)
    where T : notnull
{
    private Lease<SharedUse<T>> _place;

    public SharedItem<T>? SharedItem { get; private set; }

    public Lease<T> Begin(Lease<SharedUse<T>> place, SharedItem<T> member)
    {
        _place = place;
        SharedItem = member;
        Item = member.Item;
        return BeginLease();
    }

    /// <summary>For the winner of the end, before the place is free: an idle place keeps no item alive (I26).</summary>
    public SharedItem<T> Forget()
    {
        var member = SharedItem!;
        SharedItem = null;
        Item = default!;
        return member;
    }

    public void ReleaseCapacity() => _place.Dispose();
}
