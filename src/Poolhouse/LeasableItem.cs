namespace Poolhouse;

/// <summary>An item of a <see cref="LeaseSource{T}"/>, with the state of its leases.</summary>
/// <typeparam name="T">The type of the item.</typeparam>
/// <remarks>Thread safe.</remarks>
public sealed class LeasableItem<T>
    where T : notnull
{
    internal LeasableItem(T value, LeaseSource<T> source, ILeaseOwner<T> owner)
    {
        Source = source;
        Slot = new ItemSlot(this, value, owner);
    }

    /// <summary>The item.</summary>
    public T Value => Slot.Item;

    /// <summary>How often the item was leased, including the current lease.</summary>
    public long Uses => Slot.Uses;

    /// <summary>Whether the item is leased now.</summary>
    public bool IsLeased => Slot.IsLeased;

    internal LeaseSource<T> Source { get; }

    internal LeaseSlot<T> Slot { get; }

    internal static LeasableItem<T> Of(LeaseSlot<T> slot) => ((ItemSlot)slot).LeasableItem;

    private sealed class ItemSlot(LeasableItem<T> item, T value, ILeaseOwner<T> owner) : LeaseSlot<T>(value, owner, createdAt: 0)
    {
        public LeasableItem<T> LeasableItem => item;
    }
}
