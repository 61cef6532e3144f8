using Poolhouse.Workers.Items;

namespace Poolhouse.Workers.Queueing;

/// <summary>
/// Items in order, in reusable blocks; an entry is null if its item was taken out of turn. Guarded by a lock of its lane.
/// </summary>
// Blocks are used instead of one growing array, so that no caller pays for copying all waiting entries.
// Invariants
//   the entries are those from _start in _first to before _end in _last; if there are none, both are 0 in the one block in use
//   all other slots are empty, in spare blocks as well, so that nothing is kept alive
internal sealed class ItemChain
{
    // 4 KiB, small enough to be allocated in the youngest generation.
    private const int BlockSize = 512;

    // How many times in a row the queue must be emptied, having used at most half of its blocks, before it shrinks. Tiny items
    // empty it every few hundred nanoseconds: with 256, a busy machine, whose workers pause now and then, allocated the blocks
    // anew for every pause.
    private const int SmallUsesBeforeShrinking = 4_096;

    private Segment _first;
    private Segment _last;
    private Segment? _spare;
    private int _start;
    private int _end;
    private int _used = 1;
    private int _spares;
    private int _peak = 1;
    private int _smallUses;

    public ItemChain() => _first = _last = new Segment();

    public int Count { get; private set; }

    /// <summary>The first entry; valid only if the queue is not empty.</summary>
    public ref WorkItem? First => ref _first.Entries[_start];

    public void Add(WorkItem entry)
    {
        if (_end == BlockSize)
        {
            Append();
        }

        _last.Entries[_end++] = entry;
        Count++;
    }

    /// <summary>Ensures that the next <see cref="Add"/> does not allocate.</summary>
    /// <returns>False if there is not enough memory; then there are entries.</returns>
    public bool TryReserve()
    {
        if (_end < BlockSize || _spare is not null)
        {
            return true;
        }

        try
        {
            _spare = new Segment();
        }
        catch (OutOfMemoryException)
        {
            return false;
        }

        _spares++;
        return true;
    }

    public WorkItem? Take()
    {
        ref var slot = ref _first.Entries[_start++];
        var entry = slot;
        slot = null;
        if (--Count == 0)
        {
            Rewind();
        }
        else if (_start == BlockSize)
        {
            var block = _first;
            (_first, _start) = (block.Next!, 0);
            Spare(block);
        }

        return entry;
    }

    /// <summary>Removes entries that are empty or already have an owner.</summary>
    public void Compact()
    {
        var kept = 0;
        var target = GetEnumerator();
        foreach (ref var entry in this)
        {
            if (entry is { IsTaken: false })
            {
                target.MoveNext();
                target.Current = entry;
                kept++;
            }
        }

        while (target.MoveNext())
        {
            target.Current = null;
        }

        Truncate(kept);
    }

    /// <summary>The entries by reference, in order; an entry taken out of turn leaves an empty one.</summary>
    public Enumerator GetEnumerator() => new(_first, _start, Count);

    private void Append()
    {
        var block = _spare;
        if (block is null)
        {
            block = new Segment();
        }
        else
        {
            _spare = block.Next;
            block.Next = null;
            _spares--;
        }

        _last.Next = block;
        (_last, _end) = (block, 0);
        _peak = Math.Max(_peak, ++_used);
    }

    private void Spare(Segment block)
    {
        block.Next = _spare;
        _spare = block;
        _spares++;
        _used--;
    }

    private void Truncate(int count)
    {
        var (last, end) = (_first, _start + count);
        for (; end > BlockSize; end -= BlockSize)
        {
            last = last.Next!;
        }

        var removed = last.Next;
        last.Next = null;
        (_last, _end, Count) = (last, end, count);
        while (removed is not null)
        {
            var block = removed;
            removed = block.Next;
            Spare(block);
        }

        if (count == 0)
        {
            Rewind();
        }
    }

    /// <summary>
    /// Resets the empty queue: the next entries use memory that is still in the cache, and a past burst retains no memory.
    /// </summary>
    private void Rewind()
    {
        (_start, _end) = (0, 0);
        if (_spares == 0 || _peak > (_used + _spares) / 2)
        {
            _smallUses = 0;
        }
        else if (++_smallUses == SmallUsesBeforeShrinking)
        {
            _smallUses = 0;
            for (var left = (_spares + 1) / 2; left > 0; left--)
            {
                _spare = _spare!.Next;
                _spares--;
            }
        }

        _peak = _used;
    }

    internal sealed class Segment
    {
        public readonly WorkItem?[] Entries = new WorkItem?[BlockSize];

        public Segment? Next { get; set; }
    }

    internal struct Enumerator(Segment block, int start, int count)
    {
        private Segment _segment = block;
        private int _index = start - 1;
        private int _left = count;

        public readonly ref WorkItem? Current => ref _segment.Entries[_index];

        public bool MoveNext()
        {
            if (_left == 0)
            {
                return false;
            }

            _left--;
            if (++_index == BlockSize)
            {
                (_segment, _index) = (_segment.Next!, 0);
            }

            return true;
        }
    }
}
