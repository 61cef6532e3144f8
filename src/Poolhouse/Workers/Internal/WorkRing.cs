using System.Numerics;

namespace Poolhouse.Workers;

/// <summary>Entries in order, in a circle that grows and shrinks. Under a lock of its lane.</summary>
internal sealed class WorkRing
{
    private const int Smallest = 64;

    // So often in a row it has to be emptied without having been a quarter full.
    private const int Patience = 256;

    private WorkEntry[] _entries = new WorkEntry[Smallest];
    private int _first;
    private int _peak;
    private int _smallUses;

    public int Count { get; private set; }

    /// <summary>By position; what is taken out of turn leaves an empty entry.</summary>
    public ref WorkEntry this[int position] => ref _entries[(_first + position) & (_entries.Length - 1)];

    public void Add(in WorkEntry entry)
    {
        if (Count == _entries.Length)
        {
            Move(2 * Count);
        }

        _entries[(_first + Count) & (_entries.Length - 1)] = entry;
        Count++;
    }

    public WorkEntry Take()
    {
        ref var slot = ref _entries[_first];
        var entry = slot;
        slot = default;
        _first = (_first + 1) & (_entries.Length - 1);
        _peak = Math.Max(_peak, Count--);
        if (Count == 0)
        {
            Shrink();
        }

        return entry;
    }

    /// <summary>Leaves out what is empty or has an owner already.</summary>
    public void Compact()
    {
        var kept = 0;
        for (var position = 0; position < Count; position++)
        {
            ref var entry = ref this[position];
            if (entry.Work is not (null or WorkItem { IsTaken: true }))
            {
                this[kept++] = entry;
            }
        }

        for (var position = kept; position < Count; position++)
        {
            this[position] = default;
        }

        Count = kept;
    }

    // A burst that is over does not keep its memory.
    private void Shrink()
    {
        if (_entries.Length == Smallest || _peak >= _entries.Length / 4)
        {
            _smallUses = 0;
        }
        else if (++_smallUses == Patience)
        {
            _smallUses = 0;
            Move(_entries.Length / 2);
        }

        _peak = 0;
    }

    private void Move(int length)
    {
        var entries = new WorkEntry[BitOperations.RoundUpToPowerOf2((uint)Math.Max(length, Smallest))];
        for (var position = 0; position < Count; position++)
        {
            entries[position] = this[position];
        }

        _entries = entries;
        _first = 0;
    }
}
