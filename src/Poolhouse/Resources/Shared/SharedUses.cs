using System.Runtime.CompilerServices;
using Poolhouse.Resources.Engine.Items;

namespace Poolhouse.Resources.Shared;

/// <summary>The slots for the uses of a shared pool: as many as there were uses at once, and one for each cell.</summary>
// Invariants
//   a slot is in one cell, in the free list, or held by one thread or lease: cells change only by exchange
//   a slot stays in _all for the life of the pool
// Locks: a gate around both lists, a leaf lock.
internal sealed class SharedUses<T>(ILeaseOwner<T> owner, PoolClock clock, int cells)
    where T : notnull
{
    private readonly Gate _gate = new();
    private readonly List<SharedUse<T>> _all = [];
    private readonly Cell[] _cells = [.. Enumerable.Range(0, cells).Select(static _ => new Cell())];
    private SharedUse<T>? _free;

    private Cell CellOfThread => _cells[ThreadIndex.Current & (_cells.Length - 1)];

    /// <summary>Takes a free slot, or creates one.</summary>
    /// <exception cref="OutOfMemoryException">There is not enough memory for one.</exception>
    public SharedUse<T> Take()
    {
        var cell = CellOfThread;
        return Volatile.Read(ref cell.Use) is not null && Interlocked.Exchange(ref cell.Use, null) is { } use
            ? use
            : TakeListed();
    }

    /// <summary>Keeps a slot whose lease has ended.</summary>
    public void Put(SharedUse<T> use)
    {
        var cell = CellOfThread;
        if (Volatile.Read(ref cell.Use) is null && Interlocked.CompareExchange(ref cell.Use, use, null) is null)
        {
            return;
        }

        using (_gate.Enter())
        {
            use.NextFree = _free;
            _free = use;
        }
    }

    /// <summary>Copies the list of the slots, leased or not.</summary>
    public SharedUse<T>[] ToArray()
    {
        using (_gate.Enter())
        {
            return [.. _all];
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private SharedUse<T> TakeListed()
    {
        ThreadIndex.GetOrAssign();
        using (_gate.Enter())
        {
            if (_free is { } use)
            {
                _free = use.NextFree;
                use.NextFree = null;
                return use;
            }

            var added = new SharedUse<T>(owner, clock.Now);
            _all.Add(added);
            return added;
        }
    }

    /// <summary>A cell on cache lines of its own, because its thread writes it on every rent and return.</summary>
    private sealed class Cell : CacheLinePadding
    {
        public SharedUse<T>? Use;
    }
}
