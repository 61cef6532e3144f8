using System.Runtime.CompilerServices;
using Poolhouse.Caching.Misuse;
using Poolhouse.Caching.Threads;

namespace Poolhouse.Caching;

/// <summary>Interchangeable items of one type, kept in two stores: plain ones, and ones attached to a lease slot.</summary>
// A plain rent moves plain items and a guarded rent moves slots, so that neither adds cost to the other. An item changes its kind
// only when the required store has none: a plain item gets a slot, or an item is taken out of its slot, which becomes garbage.
// Without an owner, there are only plain rents.
// With a detector, all stacks are closed, so that every rent and return comes through here, and only plain items are kept: a
// guarded rent attaches a slot each time.
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
    // The quarantine is at most half of what the pool may retain, so that a small pool still reuses items.
    public TieredStore Items { get; } = engine.AddStore(
        weight, stackCapacity, detector is null ? null : (int)Math.Min(stackCapacity, engine.Budget.Max / weight / 2));

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
        if (detector is not null)
        {
            return TakeChecked(Items.Own()) is { } item ? AttachSlot(item) : null;
        }

        var slots = _slots ?? AddSlots();
        var slot = engine.PopSlow(slots, slots.Own());
        slots.CopyTable(ref SlotTable);
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
        detector is null ? engine.PushSlow(Items, own, item) : PutChecked(own, item);

    public PushResult PutSlotSlow(CacheSlot<T> slot)
    {
        if (detector is not null)
        {
            return PutChecked(Items.Own(), slot.Item);
        }

        var result = engine.PushSlow(_slots!, _slots!.Own(), slot);
        _slots.CopyTable(ref SlotTable);
        return result;
    }

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

    private PushResult PutChecked(ThreadStack own, T item) =>
        detector!.TryReturn(item, ref own.Counters) is { } stamp
            ? engine.PushToQuarantine(Items, own, item, stamp)
            : PushResult.DoubleReturn;

    private T? TakeChecked(ThreadStack own)
    {
        while (Items.PopFromQuarantine(own, out var stamp) is { } idle)
        {
            var item = Unsafe.As<T>(idle);
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
                    engine.Destroy(item);
                }
            }

            if (isIntact)
            {
                return item;
            }
        }

        return null;
    }

    private object? TakeFrom(TieredStore store) =>
        ThreadStack.Find(ThreadIndex.Current, store.Table)?.TryPop() ?? engine.PopSlow(store, store.Own());

    private TieredStore AddSlots()
    {
        using (_gate.Enter())
        {
            return _slots ??= engine.AddStore(weight, stackCapacity);
        }
    }
}
