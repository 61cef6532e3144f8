using System.Runtime.CompilerServices;
using Poolhouse.Kernel.Leases;
using Poolhouse.Kernel.Threading;

namespace Poolhouse.Caching;

/// <summary>Interchangeable items of one type, kept in two stores: plain ones, and ones attached to a lease slot.</summary>
// A plain rent moves plain items and a guarded rent moves slots, so that neither adds cost to the other. An item changes its kind
// only when the required store has none: a plain item gets a slot, or a slot gives up its item and becomes garbage.
internal sealed class LeasableStore<T>(CacheEngine engine, long weight, int stackCapacity, ILeaseOwner<T> owner, bool resets) : LeaseSlotStore
    where T : class
{
    private readonly Gate _gate = new();
    private TieredStore? _slots;

    /// <summary>
    /// The plain items. Pools keep a copy of its table, because each indirection on the way to a thread's stack slows down a
    /// rent.
    /// </summary>
    public TieredStore Items { get; } = engine.AddStore(weight, stackCapacity);

    /// <summary>The slow-path counters of the current thread.</summary>
    public ref CacheCounters Counters => ref Items.Own().Counters;

    /// <summary>Searches all other stacks and the depot for an item when the thread's own stack has none.</summary>
    /// <param name="own">The current thread's stack of plain items.</param>
    /// <returns>The item, or null if one must be created.</returns>
    public T? TakeSlow(ThreadStack own)
    {
        if (engine.PopSlow(Items, own) is { } plain)
        {
            return Unsafe.As<T>(plain);
        }

        return _slots is { } slots && TakeFrom(slots) is { } slot ? Unsafe.As<LeaseSlot<T>>(slot).Item : null;
    }

    /// <summary>Searches all stacks and the depot for an item and gives it a slot if it has none.</summary>
    /// <returns>The slot, or null if an item must be created.</returns>
    public LeaseSlot<T>? TakeSlotSlow()
    {
        var slots = _slots ?? AddSlots();
        var slot = engine.PopSlow(slots, slots.Own());
        RefreshTable(slots);
        if (slot is not null)
        {
            return Unsafe.As<LeaseSlot<T>>(slot);
        }

        return TakeFrom(Items) is { } plain ? AttachSlot(Unsafe.As<T>(plain)) : null;
    }

    public LeaseSlot<T> AttachSlot(T item) => new(item, owner, resets ? null : this, engine.Time.GetTimestamp());

    public PushResult PutSlow(T item) => engine.PushSlow(Items, item);

    public PushResult PutSlotSlow(LeaseSlot<T> slot)
    {
        var result = engine.PushSlow(_slots!, slot);
        RefreshTable(_slots!);
        return result;
    }

    // Written only if it changed: storing a reference costs more than the comparison, and other threads read this cache line.
    private void RefreshTable(TieredStore slots)
    {
        if (SlotTable != slots.Table)
        {
            SlotTable = slots.Table;
        }
    }

    private object? TakeFrom(TieredStore store) => ThreadTable.TryPop(ThreadIndex.Current, store.Table) ?? engine.PopSlow(store, store.Own());

    private TieredStore AddSlots()
    {
        using (_gate.Enter())
        {
            return _slots ??= engine.AddStore(weight, stackCapacity);
        }
    }
}
