using System.Diagnostics.CodeAnalysis;

namespace Poolhouse.Caching;

/// <summary>The items that were returned last, in paranoid mode: each waits here while others are returned.</summary>
// A queue, oldest first. Each item is kept together with its stamp, so that the next rent need not look it up.
// Invariants (every member but Count requires the lock of the store)
//   every item here is charged to the budget
//   an item is taken for a rent only while more than length items are here: then as many were returned after it. An item is taken
//   earlier only if the budget is used up: several stores share it, and a store that others keep short would never give an item
//   back
internal sealed class Quarantine(int length)
{
    private readonly Queue<(object Item, object Stamp)> _items = new();

    // How many of the items, the oldest ones, were here when items were last moved to the depot.
    private int _old;

    public int Count => _items.Count;

    /// <summary>Allocates the memory that <see cref="Add"/> needs, so that it cannot fail.</summary>
    public void ReserveOne() => _items.EnsureCapacity(_items.Count + 1);

    public void Add(object item, object stamp) => _items.Enqueue((item, stamp));

    /// <summary>Takes the oldest item if enough others were returned after it, or, early, if there is one.</summary>
    public bool TryTake(bool isEarly, [NotNullWhen(true)] out object? item, out object? stamp)
    {
        if (_items.Count <= (isEarly ? 0 : length))
        {
            (item, stamp) = (null, null);
            return false;
        }

        (item, stamp) = _items.Dequeue();
        _old = Math.Max(0, _old - 1);
        return true;
    }

    /// <summary>Moves items, together with what they are charged, to the depot.</summary>
    /// <param name="depot">The depot.</param>
    /// <param name="onlyOld">Whether only items that were already here at the previous call are moved.</param>
    public void MoveTo(Depot depot, bool onlyOld)
    {
        var left = onlyOld ? _old : _items.Count;
        depot.Reserve(left);
        for (; left > 0; left--)
        {
            depot.Push([_items.Dequeue().Item]);
        }

        _old = _items.Count;
    }
}
