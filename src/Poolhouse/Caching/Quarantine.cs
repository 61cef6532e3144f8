using System.Diagnostics;
using System.Diagnostics.CodeAnalysis;
using Poolhouse.Kernel;
using Poolhouse.Kernel.Threading;

namespace Poolhouse.Caching;

/// <summary>The items that were returned last, in paranoid mode: each waits here while others are returned.</summary>
// A ring, oldest first. Each item is kept together with its stamp, so that the next rent need not look it up.
// Invariants
//   every item in the ring is charged to the budget
//   an item is taken for a rent only while more than length items are in the ring: then as many were returned after it. An item
//   is taken earlier only if the budget is used up: several rings share it, and a ring that others keep short would never give
//   an item back
// Locks: _isEntered guards everything here. It is taken under the store's lock or without one, and nothing is taken under it,
// except by a snapshot, which holds the locks of all stores. Its sections neither allocate nor throw, and those of a rent and a
// return are a few instructions, so a thread that finds it taken spins. A Lock takes longer to enter and leave.
internal sealed class Quarantine(RetentionBudget budget, long weight, int length) : CacheLinePadding
{
    // One more than must wait: where each rent is followed by a return, no item goes through the depot.
    private readonly Entry[] _entries = new Entry[length + 1];
    private int _isEntered;
    private int _oldest;
    private int _count;

    // How many of the items, the oldest ones, were here when items were last moved to the depot.
    private int _old;
    private bool _isClosed;

    /// <summary>The number of items. Exact while the ring is entered.</summary>
    public int Count => Volatile.Read(ref _count);

    /// <summary>The largest number of items.</summary>
    public int Capacity => _entries.Length;

    /// <summary>Takes the oldest item, if enough others were returned after it.</summary>
    public bool TryTake([NotNullWhen(true)] out object? item, out object? stamp) => TryTake(length, out item, out stamp);

    /// <summary>Takes the oldest item early if the budget is used up, so that no other can be returned.</summary>
    public bool TryTakeEarly([NotNullWhen(true)] out object? item, out object? stamp) =>
        TryTake(budget.Free < weight ? 0 : length, out item, out stamp);

    private bool TryTake(int kept, [NotNullWhen(true)] out object? item, out object? stamp)
    {
        Enter();
        if (_count <= kept)
        {
            Exit();
            (item, stamp) = (null, null);
            return false;
        }

        (item, stamp) = TakeOldestEntered();
        Exit();
        budget.Give(1, weight);
        return true;
    }

    /// <summary>Adds an item.</summary>
    /// <returns>Null if the ring is full: the caller calls <see cref="TryTakeFromFull"/> and then adds again.</returns>
    public PushResult? TryAdd(object item, object stamp)
    {
        PushResult? result;
        Enter();
        if (_isClosed)
        {
            result = PushResult.Closed;
        }
        else if (_count == _entries.Length)
        {
            result = null;
        }
        else if (budget.Take(1, weight) == 0)
        {
            result = PushResult.Surplus;
        }
        else
        {
            var index = _oldest + _count;
            _entries[index < _entries.Length ? index : index - _entries.Length] = new Entry(item, stamp);
            _count++;
            result = PushResult.Kept;
        }

        Exit();
        return result;
    }

    /// <summary>Takes the oldest item of a full ring, together with what it is charged to the budget.</summary>
    public bool TryTakeFromFull([NotNullWhen(true)] out object? item)
    {
        Enter();
        item = _count == _entries.Length ? TakeOldestEntered().Item : null;
        Exit();
        return item is not null;
    }

    /// <summary>
    /// Moves items, together with what they are charged, to a depot that has room for <see cref="Capacity"/> items.
    /// </summary>
    /// <param name="depot">The depot.</param>
    /// <param name="onlyOld">Whether only items that were already here at the previous call are moved.</param>
    /// <param name="close">Whether later items are rejected.</param>
    public void MoveTo(Depot depot, bool onlyOld, bool close)
    {
        Enter();
        _isClosed |= close;
        for (var left = onlyOld ? _old : _count; left > 0; left--)
        {
            depot.Push([TakeOldestEntered().Item]);
        }

        _old = _count;
        Exit();
    }

    /// <summary>Keeps all others out until <see cref="Exit"/> is called.</summary>
    public void Enter()
    {
        if (Interlocked.CompareExchange(ref _isEntered, 1, 0) != 0)
        {
            // The spinning sleeps occasionally, and a sleep can be interrupted.
            Interrupts.Defer(this, static quarantine => quarantine.EnterContended());
        }
    }

    public void Exit() => Volatile.Write(ref _isEntered, 0);

    private Entry TakeOldestEntered()
    {
        var entry = _entries[_oldest];
        _entries[_oldest] = default;
        _oldest = _oldest + 1 < _entries.Length ? _oldest + 1 : 0;
        _count--;
        _old = Math.Max(0, _old - 1);
        return entry;
    }

    private void EnterContended()
    {
        // As in Gate: a debugger that has stopped the thread inside gives up at once.
        Debugger.NotifyOfCrossThreadDependency();
        var spinner = default(SpinWait);
        while (Volatile.Read(ref _isEntered) != 0 || Interlocked.CompareExchange(ref _isEntered, 1, 0) != 0)
        {
            spinner.SpinOnce();
        }
    }

    private readonly record struct Entry(object Item, object Stamp);
}
