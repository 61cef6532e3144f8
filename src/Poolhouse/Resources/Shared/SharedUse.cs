using Poolhouse.Resources.Engine.Items;

namespace Poolhouse.Resources.Shared;

/// <summary>The slot of one use of a shared item, reused later for a use of any item.</summary>
internal sealed class SharedUse<T>(ILeaseOwner<T> owner, long createdAt) : TracedSlot<T>(default!, owner, createdAt)
    where T : notnull
{
    private SharedItem<T>? _sharedItem;

    /// <summary>
    /// The item in use. For a thread that does not hold the lease, it is that of a given lease only if that lease is still active
    /// after the read.
    /// </summary>
    public SharedItem<T>? SharedItem => Volatile.Read(ref _sharedItem);

    public override long? ItemNumber => SharedItem?.Entry.Number;

    /// <summary>
    /// Whether the item no longer counts this use, although its lease has not ended yet. Set by its only holder.
    /// </summary>
    public bool HasLeft { get; set; }

    /// <summary>The next in the list of free slots. Under the gate of <see cref="SharedUses{T}"/>.</summary>
    public SharedUse<T>? NextFree { get; set; }

    public Lease<T> Begin(SharedItem<T> item, LeaseTrace? trace, long now)
    {
        RentedAt = now;
        if (trace is not null)
        {
            Trace = trace;
        }

        Volatile.Write(ref _sharedItem, item);
        Item = item.Value;
        return BeginLease();
    }

    /// <summary>
    /// Called by the thread that ended the lease, before the slot is reused: a free slot keeps no item alive (I26).
    /// </summary>
    /// <returns>The item, and how long the use lasted.</returns>
    public (SharedItem<T> Item, long Used) End(long now)
    {
        var item = SharedItem!;
        Volatile.Write(ref _sharedItem, null);
        Item = default!;
        return (item, CountUse(now));
    }
}
