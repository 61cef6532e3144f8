using System.Runtime.CompilerServices;
using Poolhouse.Caching.Misuse;
using Poolhouse.Caching.Threads;
using Poolhouse.Kernel.Leases;
using Poolhouse.Kernel.Threading;

namespace Poolhouse.Caching;

/// <summary>Interchangeable items of one type, kept in two stores: plain ones, and ones attached to a lease slot.</summary>
// A plain rent moves plain items and a guarded rent moves slots, so that neither adds cost to the other. An item changes its kind
// only when the required store has none: a plain item gets a slot, or an item is taken out of its slot, which becomes garbage.
// Without an owner, there are only plain rents.
// With a detector, all stacks are closed, so that every rent and return comes through here.
internal sealed class LeasableStore<T>(
    CacheEngine engine, long weight, int stackCapacity, ILeaseOwner<T>? owner = null, bool resets = false,
    MisuseDetector<T>? detector = null)
        : LeaseSlotStore<T>(owner)
    where T : class
{
    private readonly Gate _gate = new();
    private TieredStore? _slots;

    /// <summary>
    /// The plain items. Pools keep a copy of its table, because each indirection on the way to a thread's stack slows down a
    /// rent.
    /// </summary>
    public TieredStore Items { get; } =
        engine.AddStore(weight, stackCapacity, Quarantine(engine, weight, stackCapacity, detector));

    /// <summary>The slow-path counters of the current thread.</summary>
    public ref CacheCounters Counters => ref Items.Own().Counters;

    /// <summary>Searches all other stacks and the depot for an item when the thread's own stack has none.</summary>
    /// <param name="own">The current thread's stack of plain items.</param>
    /// <returns>The item, or null if one must be created.</returns>
    public T? TakeSlow(ThreadStack own)
    {
        if (detector is not null)
        {
            return TakeChecked(own);
        }

        if (engine.PopSlow(Items, own) is { } plain)
        {
            return Unsafe.As<T>(plain);
        }

        return _slots is { } slots && TakeFrom(slots) is { } slot ? Unsafe.As<CacheSlot<T>>(slot).Item : null;
    }

    /// <summary>Searches all stacks and the depot for an item and gives it a slot if it has none.</summary>
    /// <returns>The slot, or null if an item must be created.</returns>
    public CacheSlot<T>? TakeSlotSlow()
    {
        var slots = _slots ?? AddSlots();
        if (detector is not null)
        {
            return TakeSlotChecked(slots);
        }

        var slot = engine.PopSlow(slots, slots.Own());
        RefreshTable(slots);
        if (slot is not null)
        {
            return Unsafe.As<CacheSlot<T>>(slot);
        }

        return TakeFrom(Items) is { } plain ? AttachSlot(Unsafe.As<T>(plain)) : null;
    }

    public CacheSlot<T> AttachSlot(T item) => new(item, Owner, resets ? null : this, engine.Time.GetTimestamp());

    /// <summary>Returns an item when the thread's own stack has no free slot.</summary>
    /// <param name="own">The current thread's stack of plain items.</param>
    /// <param name="item">The item.</param>
    public PushResult PutSlow(ThreadStack own, T item) =>
        detector is null ? engine.PushSlow(Items, own, item) : PutChecked(Items, own, item, item);

    public PushResult PutSlotSlow(CacheSlot<T> slot)
    {
        var own = _slots!.Own();
        if (detector is not null)
        {
            return PutChecked(_slots, own, slot.Item, slot);
        }

        var result = engine.PushSlow(_slots, own, slot);
        RefreshTable(_slots);
        return result;
    }

    /// <summary>The items that are rented; none unless in paranoid mode.</summary>
    public IReadOnlyList<LeaseSnapshot> GetLeases(int max) =>
        detector is null ? LeaseSnapshot.None(max) : detector.GetLeases(max);

    /// <summary>The rent of an item; null if there is none, or unless in paranoid mode.</summary>
    public LeaseSnapshot? FindLease(T item) => detector?.FindLease(item);

    /// <summary>Records that an item was created for a rent.</summary>
    public void OnCreated(T item) => detector?.OnCreated(item);

    /// <summary>Ends the rent of an item that the pool refused.</summary>
    public void OnDropped(T item) => detector?.OnDropped(item);

    /// <summary>Ends the rent of an item that is discarded.</summary>
    /// <returns>False if the item must be left alone, which was reported: it is not rented any more.</returns>
    public bool TryDiscard(T item) => detector is null || detector.TryDiscard(item, ref Counters);

    /// <summary>Ends the rent of an item that belongs to its user from now on.</summary>
    /// <returns>False if it does not, which was reported: it is not rented any more.</returns>
    public bool TryDetach(T item) => detector is null || detector.TryDetach(item, ref Counters);

    /// <summary>Begins the return of an item before its policy is called, for a pool in paranoid mode.</summary>
    /// <returns>False if the item must be left alone, which was reported.</returns>
    public bool TryBeginReturn(T item) => detector!.TryBeginReturn(item, ref Counters);

    /// <summary>Whether the item may be destroyed: as far as can be detected, it is not in the pool.</summary>
    /// <param name="item">An item that is being returned, and that the policy refused.</param>
    /// <param name="hasBegun">Whether <see cref="TryBeginReturn"/> was called before the policy, and reported any misuse.</param>
    public bool MayRefuse(T item, bool hasBegun)
    {
        if (detector is not null)
        {
            return hasBegun ? detector.IsReturning(item) : TryBeginReturn(item);
        }

        var own = Items.Own();
        if (!Items.IsOnTop(own, item))
        {
            return true;
        }

        own.Counters.DoubleReturns++;
        return false;
    }

    private PushResult PutChecked(TieredStore store, ThreadStack own, T item, object itemOrSlot) =>
        detector!.TryReturn(item, ref own.Counters) is { } stamp
            ? engine.PushToQuarantine(store, own, itemOrSlot, stamp)
            : PushResult.DoubleReturn;

    private T? TakeChecked(ThreadStack own)
    {
        while (true)
        {
            T item;
            if (Items.PopFromQuarantine(own, out var stamp) is { } plain)
            {
                item = Unsafe.As<T>(plain);
            }
            else if (_slots is { } slots && slots.PopFromQuarantine(slots.Own(), out stamp) is { } slot)
            {
                item = Unsafe.As<CacheSlot<T>>(slot).Item;
            }
            else
            {
                return null;
            }

            if (MayRent(item, stamp, own, item))
            {
                return item;
            }
        }
    }

    private CacheSlot<T>? TakeSlotChecked(TieredStore slots)
    {
        var own = slots.Own();
        while (true)
        {
            CacheSlot<T> slot;
            if (slots.PopFromQuarantine(own, out var stamp) is { } found)
            {
                slot = Unsafe.As<CacheSlot<T>>(found);
            }
            else if (Items.PopFromQuarantine(Items.Own(), out stamp) is { } plain)
            {
                slot = AttachSlot(Unsafe.As<T>(plain));
            }
            else
            {
                return null;
            }

            if (MayRent(slot.Item, stamp, own, slot))
            {
                return slot;
            }
        }
    }

    private bool MayRent(T item, object? stamp, ThreadStack own, object itemOrSlot)
    {
        var isIntact = false;
        try
        {
            isIntact = detector!.TryRent(item, stamp, ref own.Counters);
        }
        finally
        {
            if (!isIntact)
            {
                own.Counters.Discarded++;
                engine.Destroy(itemOrSlot);
            }
        }

        return isIntact;
    }

    // At most half of what the pool may retain, so that a small pool still reuses items.
    private static int? Quarantine(CacheEngine engine, long weight, int stackCapacity, MisuseDetector<T>? detector) =>
        detector is null ? null : (int)Math.Min(stackCapacity, engine.Budget.Max / weight / 2);

    // Written only if it changed: storing a reference costs more than the comparison, and other threads read this cache line.
    private void RefreshTable(TieredStore slots)
    {
        if (SlotTable != slots.Table)
        {
            SlotTable = slots.Table;
        }
    }

    private object? TakeFrom(TieredStore store) =>
        ThreadTable.Find(ThreadIndex.Current, store.Table)?.TryPop() ?? engine.PopSlow(store, store.Own());

    private TieredStore AddSlots()
    {
        using (_gate.Enter())
        {
            return _slots ??= engine.AddStore(weight, stackCapacity, Quarantine(engine, weight, stackCapacity, detector));
        }
    }
}
