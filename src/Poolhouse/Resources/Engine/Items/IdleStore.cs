using System.Runtime.CompilerServices;

namespace Poolhouse.Resources.Engine.Items;

/// <summary>The idle entries, most recently used first: one hot cell per few threads in front of one list.</summary>
// Invariants
//   an entry is in one cell or in the list, never in both: cells change only by exchange, so exactly one thread takes an entry
//   the list is ordered by IdleSince, oldest at the cold end
//   the list is accessed only under the core's gate; cells by any thread
// Order of writes
//   a returner fills its cell (a full fence) and then reads the core's slow path; a renter that must wait sets the slow path (a
//   full fence) and then sweeps the cells. So one of the two always sees the other (I5).
internal sealed class IdleStore<T>
    where T : notnull
{
    // Threads share a cell when there are more threads than cells; that affects speed, never correctness.
    private readonly Cell[] _cells;
    private readonly bool _fifo;
    private ResourceEntry<T>? _newest;
    private ResourceEntry<T>? _oldest;
    private int _listed;

    public IdleStore(IdleOrder order, int cells)
    {
        _fifo = order == IdleOrder.Fifo;
        _cells = new Cell[cells];
        for (var i = 0; i < cells; i++)
        {
            _cells[i] = new Cell();
        }
    }

    /// <summary>The number of idle entries. Exact under the gate while no cell changes.</summary>
    public int Count
    {
        get
        {
            var count = _listed;
            foreach (var cell in _cells)
            {
                count += Volatile.Read(ref cell.Entry) is null ? 0 : 1;
            }

            return count;
        }
    }

    /// <summary>
    /// The oldest entry of the list, for trimming from the cold end. Under the gate, after <see cref="Gather"/>.
    /// </summary>
    public ResourceEntry<T>? Oldest => _oldest;

    /// <summary>The entry in the thread's cell, or null. Without the gate.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public ResourceEntry<T>? TryTakeHot()
    {
        var cell = CellOfThread();
        return Volatile.Read(ref cell.Entry) is null ? null : Interlocked.Exchange(ref cell.Entry, null);
    }

    /// <summary>Puts an entry into the thread's cell. Without the gate; never for FIFO.</summary>
    /// <returns>The entry that was there before, which now belongs in the list; or null.</returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public ResourceEntry<T>? PutHot(ResourceEntry<T> entry) => Interlocked.Exchange(ref CellOfThread().Entry, entry);

    /// <summary>Takes the next entry to rent: from the list, or else from any cell. Under the gate.</summary>
    public ResourceEntry<T>? TryTake()
    {
        var entry = _fifo ? _oldest : _newest;
        if (entry is null)
        {
            return TrySweep();
        }

        Remove(entry);
        return entry;
    }

    /// <summary>Adds an entry to the list, in the order of IdleSince. Under the gate.</summary>
    public void Add(ResourceEntry<T> entry)
    {
        // The older neighbour is the first entry that was not used later: almost always the newest; for an entry that was kept
        // alive, one further down.
        var older = _newest;
        while (older is not null && older.IdleSince > entry.IdleSince)
        {
            older = older.Older;
        }

        var newer = older is null ? _oldest : older.Newer;
        entry.Older = older;
        entry.Newer = newer;
        if (older is null)
        {
            _oldest = entry;
        }
        else
        {
            older.Newer = entry;
        }

        if (newer is null)
        {
            _newest = entry;
        }
        else
        {
            newer.Older = entry;
        }

        entry.IsListed = true;
        _listed++;
    }

    /// <summary>Removes an entry from the list. Under the gate.</summary>
    public void Remove(ResourceEntry<T> entry)
    {
        if (entry.Newer is { } newer)
        {
            newer.Older = entry.Older;
        }
        else
        {
            _newest = entry.Older;
        }

        if (entry.Older is { } older)
        {
            older.Newer = entry.Newer;
        }
        else
        {
            _oldest = entry.Newer;
        }

        entry.Newer = null;
        entry.Older = null;
        entry.IsListed = false;
        _listed--;
    }

    /// <summary>Moves the entries in the cells to the list. Under the gate.</summary>
    public void Gather()
    {
        while (TrySweep() is { } entry)
        {
            Add(entry);
        }
    }

    private ResourceEntry<T>? TrySweep()
    {
        foreach (var cell in _cells)
        {
            if (Volatile.Read(ref cell.Entry) is not null && Interlocked.Exchange(ref cell.Entry, null) is { } entry)
            {
                return entry;
            }
        }

        return null;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private Cell CellOfThread()
    {
        var thread = ThreadIndex.Current;
        var cells = _cells;
        return cells[thread & (cells.Length - 1)];
    }

    /// <summary>A cell on cache lines of its own, because its thread writes it on every rent and return.</summary>
    private sealed class Cell : CacheLinePadding
    {
        public ResourceEntry<T>? Entry;
    }
}
