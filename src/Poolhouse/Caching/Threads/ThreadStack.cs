using System.Runtime.CompilerServices;

namespace Poolhouse.Caching.Threads;

/// <summary>The few items that one thread keeps for itself: a stack without interlocked instructions.</summary>
// Invariants
//   0 <= Count <= limit while the stack is open; every slot up to the limit is charged to the budget
//   the items are in the slots 0 to top, where top is 0 for one item and for none: only the lowest slot distinguishes them. So a
//   thread that holds one item at a time, as most do, changes the state once for each rent and return, by counting the rent: two
//   changes would be a chain of stores and loads through memory that takes longer than all other instructions together
//   limit == 0 means closed: both fast operations fail, and the thread takes the slow path, which uses the store's lock
//   only the owner thread writes _busy; only a holder of the store's lock writes _limit
//   items and state are written by the owner inside its busy section, or by a holder of the store's lock: the owner itself, or
//   a sweeper that has closed the stack and has seen that it is not busy
// Order of writes (an asymmetric Dekker: the owner uses plain stores, the sweeper one process-wide barrier)
//   owner:   _busy = 1, then read _limit       sweeper: _limit = 0, process-wide barrier, then read _busy
//   Without the barrier both could read the old value. With it, either the owner's 1 is visible to the sweeper, which then waits,
//   or the owner's read of _limit comes after the barrier and sees 0.
//   All accesses are volatile: the JIT keeps those in program order, and the barrier orders them for the processor.
// No user code and no allocation occurs between _busy = 1 and _busy = 0.
internal sealed class ThreadStack : CacheLinePadding
{
    /// <summary>
    /// The maximum number of items in a stack; half of it is the batch that moves between a thread and the depot.
    /// </summary>
    public const int Capacity = 64;

    private const long OneHigher = 1;
    private const long OnePop = 1L << 16;

    // Low 16 bits: the top. High 48 bits: how many items were ever popped. One word, so that one store updates both.
    private long _state;
    private int _limit;
    private int _busy;

    private Items _items;

    // The number of items popped before the last sweep.
    private long _poppedBefore;

    /// <summary>How many slots or items the owner requests next time: doubles on each visit to the slow path.</summary>
    public int BatchSize = 1;

    /// <summary>How often the owner found no item, or no free slot, where other threads might have had some.</summary>
    public int Starved;

    /// <summary>Whether its items came from returns of the owner, not from other threads. For the owner.</summary>
    public bool ReturnsToItself;

    /// <summary>
    /// Whether a sweep has closed the stack, and the owner has returned no other item by the slow path since: the last one may be
    /// in the depot. Written under the store's lock only.
    /// </summary>
    public bool WasSwept;

    private long _poppedAtMiss;
    private int _missesInARow;

    /// <summary>Slow-path counters of the owner thread: written by that thread only, read by any thread.</summary>
    public CacheCounters Counters;

    public int Count
    {
        get
        {
            var top = (ushort)Volatile.Read(ref _state);
            return top > 0 ? top + 1 : ItemAt(0) is null ? 0 : 1;
        }
    }

    public long Popped => (long)((ulong)Volatile.Read(ref _state) >> 16);

    /// <summary>The maximum number of items in the stack; 0 while it is closed. Written under the store's lock only.</summary>
    public int Limit
    {
        get => Volatile.Read(ref _limit);
        set => Volatile.Write(ref _limit, value);
    }

    /// <summary>The stack of a thread in the table of a store; null if the slow path must be taken.</summary>
    // A copy of the table may be kept wherever access to it is fast: a store replaces its table only with a larger one that
    // contains the same stacks, and a thread that is missing from a copy takes the slow path, which refreshes it. Callers read
    // ThreadIndex.Current before the table: that is a call on some platforms, and loaded values would be spilled across it.
    // Callers write `Find(…) is { } stack && stack.TryPush(item)` themselves: as a method that returns the result of TryPush, it
    // took 4.5 ns instead of 2.6 ns for an array, because the JIT stores the result and tests it again.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static ThreadStack? Find(int thread, ThreadStack?[] table) =>
        (uint)thread < (uint)table.Length ? table[thread] : null;

    /// <summary>
    /// Takes the newest item. Returns null if there is none or the stack is closed; the slow path distinguishes the two.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public object? TryPop()
    {
        Volatile.Write(ref _busy, 1);
        object? item = null;
        var state = Volatile.Read(ref _state);
        var top = (int)(ushort)state;

        // One comparison for two conditions: stack open (limit > 0), index in range (limit <= Capacity).
        if ((uint)top < (uint)Volatile.Read(ref _limit))
        {
            ref var slot = ref ItemAt(top);
            item = slot;
            if (item is not null)
            {
                slot = null;
                _state = state + (top == 0 ? OnePop : OnePop - OneHigher);
            }
        }

        Volatile.Write(ref _busy, 0);
        return item;
    }

    /// <summary>
    /// Pushes an item. Returns false if there is no free slot, the stack is closed, or the item is on top already.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool TryPush(object item)
    {
        Volatile.Write(ref _busy, 1);
        var state = Volatile.Read(ref _state);
        var top = (int)(ushort)state;
        var newest = ItemAt(top);
        if (newest is null)
        {
            if (Volatile.Read(ref _limit) > 0)
            {
                ItemAt(0) = item;
                Volatile.Write(ref _busy, 0);
                return true;
            }
        }
        else if (top + 1 < Volatile.Read(ref _limit) && newest != item)
        {
            // The state first: storing a reference is a call, and only this needs to be live across it.
            _state = state + OneHigher;
            ItemAt(top + 1) = item;
            Volatile.Write(ref _busy, 0);
            return true;
        }

        Volatile.Write(ref _busy, 0);
        return false;
    }

    /// <summary>
    /// Whether there is no free slot for the item and it is not on top: it is then surplus unless a slot can be obtained. For the
    /// owner.
    /// </summary>
    // Not a busy section, because it changes nothing. The limit is read last: only a sweeper closes the stack and only the owner
    // opens it, so while the limit is above 0, no sweeper has changed what was read before.
    public bool IsFullWithout(object item)
    {
        var top = (int)(ushort)Volatile.Read(ref _state);
        var newest = Volatile.Read(ref ItemAt(top));
        return newest is not null && newest != item && top + 1 == Volatile.Read(ref _limit);
    }

    /// <summary>
    /// Whether the owner keeps its empty slots after a rent that found no item. A thread that rents more than the pool retains
    /// and then returns all needs them at once; one that only rents releases them after some rents, because other threads may
    /// have items to return. For the owner.
    /// </summary>
    public bool KeepsSlots()
    {
        if (_poppedAtMiss != Popped)
        {
            _poppedAtMiss = Popped;
            _missesInARow = 0;
        }

        return ReturnsToItself && _missesInARow++ < Capacity;
    }

    /// <summary>
    /// Makes the owner's operations fail from now on; the caller holds the store's lock and issues the barrier before it waits.
    /// </summary>
    /// <returns>The number of slots that were charged to the budget.</returns>
    public int Close()
    {
        // Before the limit, which the owner reads first: an owner that finds the stack closed finds it marked.
        WasSwept = true;
        var limit = _limit;
        Volatile.Write(ref _limit, 0);
        return limit;
    }

    /// <summary>Waits until the owner has left its busy section: a few instructions, unless it was preempted there.</summary>
    // The spinning sleeps occasionally, and a sleep can be interrupted. That must not happen, because other stacks are closed
    // already.
    public void SpinUntilQuiescent() => Interrupts.Defer(this, static stack =>
    {
        var spinner = default(SpinWait);
        while (Volatile.Read(ref stack._busy) != 0)
        {
            spinner.SpinOnce();
        }
    });

    /// <summary>
    /// Whether the stack holds more items than were taken since the last sweep, as for a thread that returns items rented by
    /// others.
    /// </summary>
    public bool IsNetProducer => Popped - _poppedBefore < Count;

    /// <summary>
    /// Resets the counts after a sweep: the owner's need is measured again, so that other threads keep the items it no longer
    /// needs.
    /// </summary>
    public void ResetCounts()
    {
        BatchSize = 1;
        _poppedBefore = Popped;
    }

    /// <summary>The items, oldest first. Requires the store's lock, and a stack that the caller owns or has closed.</summary>
    public Span<object?> LockedItems => ((Span<object?>)_items)[..Count];

    public object? LockedTop => Count == 0 ? null : ItemAt(Count - 1);

    public void LockedPush(object item)
    {
        var count = Count;
        ItemAt(count) = item;
        SetCount(count + 1);
    }

    public object LockedPop()
    {
        var count = Count;
        ref var slot = ref ItemAt(count - 1);
        var item = slot!;
        slot = null;
        SetCount(count - 1);
        _state += OnePop;
        return item;
    }

    /// <summary>
    /// Counts an item that the owner took directly from the depot. For the owner of a stack that is never opened.
    /// </summary>
    public void CountPopElsewhere() => _state += OnePop;

    /// <summary>Fills the empty stack.</summary>
    public void LockedFill(ReadOnlySpan<object?> items)
    {
        items.CopyTo(_items);
        SetCount(items.Length);
    }

    /// <summary>Removes the oldest items, which the caller has copied; the others keep their order.</summary>
    public void LockedDropOldest(int count)
    {
        var items = LockedItems;
        items[count..].CopyTo(items);
        items[^count..].Clear();
        SetCount(items.Length - count);
    }

    // The lowest slot is empty exactly if the count is 0.
    private void SetCount(int count) => _state += Math.Max(0, count - 1) - (ushort)_state;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private ref object? ItemAt(int index) => ref Unsafe.Add(ref Unsafe.As<Items, object?>(ref _items), index);

    [InlineArray(Capacity)]
    private struct Items
    {
        private object? _first;
    }
}
