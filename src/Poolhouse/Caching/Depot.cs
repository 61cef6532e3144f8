using Poolhouse.Caching.Threads;

namespace Poolhouse.Caching;

/// <summary>The items of a store that no thread holds: one stack, newest on top, guarded by the store's lock.</summary>
// Invariants (every member but Count and Top requires the store's lock)
//   every item in the depot is charged to the budget
//   _lowest holds the smallest count during each of the last ticks; the items below all of these marks were not used meanwhile
// Idleness is derived from these low-water marks, so no hot path reads a clock (the idea comes from tcmalloc).
internal sealed class Depot : CacheLinePadding
{
    /// <summary>An item has been idle for a whole timeout if it stayed below the low-water mark for this many ticks.</summary>
    public const int TicksPerTimeout = 4;

    private readonly int[] _lowest = new int[TicksPerTimeout];
    private object?[] _items = [];
    private object? _top;
    private int _count;
    private int _lowestNow;
    private int _tick;

    /// <summary>May be read without the lock, as a hint.</summary>
    public int Count => Volatile.Read(ref _count);

    /// <summary>The newest item. May be read without the lock, as a hint.</summary>
    public object? Top => Volatile.Read(ref _top);

    public void Push(ReadOnlySpan<object?> items)
    {
        Reserve(items.Length);
        items.CopyTo(_items.AsSpan(_count));
        SetCount(_count + items.Length);
    }

    /// <summary>
    /// Allocates the memory that <see cref="Push"/> needs for the given number of items, so that it cannot fail.
    /// </summary>
    public void Reserve(int items)
    {
        var needed = _count + items;
        if (needed > _items.Length)
        {
            Array.Resize(ref _items, Math.Max(needed, Math.Max(8, _items.Length * 2)));
        }
    }

    /// <summary>Moves the newest items onto an empty stack, in order.</summary>
    public void MoveTo(ThreadStack stack, int count)
    {
        var newest = _items.AsSpan(_count - count, count);
        stack.LockedFill(newest);
        newest.Clear();
        SetCount(_count - count);
        _lowestNow = Math.Min(_lowestNow, _count);
    }

    // Compares references: an item may be equal to another one, and its Equals must not be called under the lock.
    public bool Contains(object item)
    {
        foreach (var each in _items.AsSpan(0, _count))
        {
            if (ReferenceEquals(each, item))
            {
                return true;
            }
        }

        return false;
    }

    /// <summary>Takes the newest item; null if there is none.</summary>
    public object? Pop()
    {
        if (_count == 0)
        {
            return null;
        }

        var item = _items[_count - 1];
        _items[_count - 1] = null;
        SetCount(_count - 1);
        _lowestNow = Math.Min(_lowestNow, _count);
        return item;
    }

    /// <summary>Ends a tick of the maintenance clock.</summary>
    /// <param name="wholeTimeout">True: count the items idle for a timeout. False: those idle since the last tick.</param>
    /// <returns>How many of the oldest items have been idle for that long.</returns>
    public int EndTick(bool wholeTimeout)
    {
        _lowest[_tick] = _lowestNow;
        _tick = (_tick + 1) % TicksPerTimeout;
        return wholeTimeout ? _lowest.Min() : _lowestNow;
    }

    /// <summary>Starts the next tick: the items now in the depot count as idle until they are taken.</summary>
    public void BeginTick() => _lowestNow = _count;

    /// <summary>Removes the oldest items, and adds them to the list of those to destroy, if there is one.</summary>
    public void RemoveOldest(int count, List<object?>? removed)
    {
        if (count == 0)
        {
            return;
        }

        // Memory is allocated first: an item is always in exactly one of the two places, even on failure.
        var left = _items[count.._count];
        removed?.AddRange(_items.AsSpan(0, count));
        _items = left;
        SetCount(left.Length);
        _lowestNow = Math.Max(0, _lowestNow - count);
        for (var i = 0; i < _lowest.Length; i++)
        {
            _lowest[i] = Math.Max(0, _lowest[i] - count);
        }
    }

    private void SetCount(int count)
    {
        _count = count;
        _top = count == 0 ? null : _items[count - 1];
    }
}
