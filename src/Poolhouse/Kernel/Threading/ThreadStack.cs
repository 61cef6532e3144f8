using System.Runtime.CompilerServices;

namespace Poolhouse.Kernel.Threading;

/// <summary>The few items that one thread keeps at hand: a stack without locked instructions.</summary>
// Invariants
//   0 <= Count <= limit while the stack is open; every place up to the limit is paid for in the Budget
//   limit == 0 means closed: both fast operations refuse, and the thread goes to the slow path, where the store's lock rules
//   only the owner thread writes _busy; only a holder of the store's lock writes _limit
//   items and state are written by the owner inside its busy section, or by a holder of the store's lock: the owner itself, or
//   a sweeper that has closed the stack and seen it quiet
// Order of writes (an asymmetric Dekker: the owner pays with plain stores, the sweeper with one process-wide barrier)
//   owner:   _busy = 1, then read _limit       sweeper: _limit = 0, process-wide barrier, then read _busy
//   Without the barrier both could read the old value. With it, either the owner's 1 is visible to the sweeper, which then waits,
//   or the owner's read of _limit comes after the barrier and sees 0.
//   All accesses are volatile: the JIT keeps those in program order, and the barrier does the rest for the processor.
// No user code and no allocation happens between _busy = 1 and _busy = 0.
internal sealed class ThreadStack : CacheLinePadding
{
    /// <summary>The most items a stack can hold; half of it is the batch that moves between a thread and the depot.</summary>
    public const int Capacity = 64;

    private const long OnePush = 1;
    private const long OnePop = (1L << 16) - 1;

    // Low 16 bits: the count. High 48 bits: how many items were ever popped. One word, so that one store does both.
    private long _state;
    private int _limit;
    private int _busy;

    private Items _items;

    // What was popped before the last sweep.
    private long _poppedBefore;

    /// <summary>How many places or items the owner asks for next time: doubles on each visit to the slow path.</summary>
    public int BatchSize = 1;

    /// <summary>How often the owner found nothing, or no place, where other threads might have had some.</summary>
    public int Starved;

    /// <summary>Slow-path counters of the owner thread: written by it alone, read by anyone.</summary>
    public CacheCounters Counters;

    public int Count => (ushort)Volatile.Read(ref _state);

    public long Popped => (long)((ulong)Volatile.Read(ref _state) >> 16);

    /// <summary>How many items may stand here; 0 while the stack is closed. Written under the store's lock only.</summary>
    public int Limit
    {
        get => Volatile.Read(ref _limit);
        set => Volatile.Write(ref _limit, value);
    }

    /// <summary>Takes the newest item. Null when there is none or the stack is closed: the slow path knows which.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public object? TryPop()
    {
        Volatile.Write(ref _busy, 1);
        object? item = null;
        var state = Volatile.Read(ref _state);
        var top = (ushort)state - 1;

        // One comparison for three questions: an item there (top >= 0), stack open (limit > 0), place in range (limit <= Capacity).
        if ((uint)top < (uint)Volatile.Read(ref _limit))
        {
            ref var place = ref ItemAt(top);
            item = place;
            place = null;
            _state = state + OnePop;
        }

        Volatile.Write(ref _busy, 0);
        return item;
    }

    /// <summary>Puts an item on top. False when there is no place, the stack is closed, or the item lies on top already.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool TryPush(object item)
    {
        Volatile.Write(ref _busy, 1);
        var state = Volatile.Read(ref _state);
        var count = (int)(ushort)state;
        if ((uint)count < (uint)Volatile.Read(ref _limit) && (count == 0 || ItemAt(count - 1) != item))
        {
            // The state first: storing a reference is a call, and nothing need live across it but this.
            _state = state + OnePush;
            ItemAt(count) = item;
            Volatile.Write(ref _busy, 0);
            return true;
        }

        Volatile.Write(ref _busy, 0);
        return false;
    }

    /// <summary>Whether there is no place for the item and it does not lie on top: surplus, if no place can be had. For the owner.</summary>
    public bool IsFullWithout(object item)
    {
        Volatile.Write(ref _busy, 1);
        var count = (int)(ushort)Volatile.Read(ref _state);
        var full = count > 0 && count == Volatile.Read(ref _limit) && ItemAt(count - 1) != item;
        Volatile.Write(ref _busy, 0);
        return full;
    }

    /// <summary>Refuses the owner from now on; the caller holds the store's lock and issues the barrier before it waits.</summary>
    /// <returns>The places that were paid for.</returns>
    public int Close()
    {
        var limit = _limit;
        Volatile.Write(ref _limit, 0);
        return limit;
    }

    /// <summary>Waits until the owner has left its busy section: a few instructions, unless it was preempted there.</summary>
    // The spinning sleeps now and then, and a sleep can be interrupted: it must not, because other stacks are closed already.
    public void SpinUntilQuiescent()
    {
        if (Volatile.Read(ref _busy) != 0)
        {
            Interrupts.Defer(this, static stack => stack.SpinUntilQuiescentSlow());
        }
    }

    /// <summary>Whether more lies here than was taken since the last sweep: a thread that returns what others rent.</summary>
    public bool IsNetProducer => Popped - _poppedBefore < Count;

    /// <summary>After a sweep: what the owner needs shows again from the start, so what it no longer needs stays with the others.</summary>
    public void ResetCounts()
    {
        BatchSize = 1;
        _poppedBefore = Popped;
    }

    /// <summary>The items, oldest first. For a holder of the store's lock that owns the stack or has closed it.</summary>
    public Span<object?> LockedItems => ((Span<object?>)_items)[..Count];

    public object? LockedTop => Count == 0 ? null : ItemAt(Count - 1);

    public void LockedPush(object item)
    {
        ItemAt(Count) = item;
        _state += OnePush;
    }

    public object LockedPop()
    {
        ref var place = ref ItemAt(Count - 1);
        var item = place!;
        place = null;
        _state += OnePop;
        return item;
    }

    /// <summary>Fills the empty stack.</summary>
    public void LockedFill(ReadOnlySpan<object?> items)
    {
        items.CopyTo(_items);
        _state += items.Length;
    }

    /// <summary>Forgets the oldest items, which the caller has copied; the others keep their order.</summary>
    public void LockedDropOldest(int count)
    {
        var items = LockedItems;
        items[count..].CopyTo(items);
        items[^count..].Clear();
        _state -= count;
    }

    private void SpinUntilQuiescentSlow()
    {
        var spinner = default(SpinWait);
        while (Volatile.Read(ref _busy) != 0)
        {
            spinner.SpinOnce();
        }
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private ref object? ItemAt(int index) => ref Unsafe.Add(ref Unsafe.As<Items, object?>(ref _items), index);

    [InlineArray(Capacity)]
    private struct Items
    {
        private object? _first;
    }
}
