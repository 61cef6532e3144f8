using Poolhouse.Kernel;
using Poolhouse.Kernel.Time;
using Poolhouse.Workers.Items;

namespace Poolhouse.Workers.Queueing;

/// <summary>The waiting items of one lane, in the order of arrival.</summary>
// Invariants
//   runnable entries are in two chains: callers add to the chain of the intake, workers take from the chain of the outlet, and
//   the two are exchanged when the latter is empty, so that callers and workers rarely contend
//   accepted - released = entries that hold a slot: runnable ones and items behind another one of their key; never above the
//   capacity
//   linked - taken = runnable entries
//   an item that was taken out of turn leaves its entry behind, dead, which is no longer counted; a chain that is half dead is
//   compacted
//   items without a slot are in the overflow list, in the order of arrival; while there are any, no other item is accepted
//   an item with a key is a member of its strand from its arrival until it ends, or is removed while another one is active; a
//   strand without members is closed, and then removed
// Order of writes
//   an entry is linked before its caller checks for idle workers (a full fence between them), and a worker is idle before it
//   checks this queue again: one of the two always sees the other (I5). The same holds between a released slot and an item that
//   is added to the overflow list.
// Locks: outlet before intake, the one of the strands last; a thread that takes an entry out of turn holds the former two. No
// user code runs under them: keys are compared outside them.
internal sealed partial class LaneQueue(int weight, int capacity)
{
    // With fewer dead entries than this, a compaction is not worthwhile.
    private const int MinDeadToCompact = 64;

    // Fields written by callers and fields written by workers are on separate cache lines.
    private readonly Intake _intake = new();
    private readonly Outlet _outlet = new();
    private readonly StrandTable _strands = new();

    public int Weight => weight;

    public int Capacity => capacity;

    public bool IsBounded => capacity != int.MaxValue;

    /// <summary>Whether there is an entry to run. May return a stale true, but never a stale false.</summary>
    public bool HasRunnable
    {
        get
        {
            // Read first: it can only grow towards the number linked before.
            var taken = Volatile.Read(ref _outlet.Taken);
            return Volatile.Read(ref _intake.Linked) != taken;
        }
    }

    /// <summary>
    /// The number of entries that have not started, with or without a slot; operations in progress may not be included.
    /// </summary>
    public int Count
    {
        get
        {
            // In this order, an entry that is taken or admitted meanwhile may still be counted, or be counted twice, but none is
            // missed: a draining pool ends when there are none.
            var released = Volatile.Read(ref _outlet.Released);
            var overflow = Volatile.Read(ref _intake.OverflowCount);
            return (int)(Volatile.Read(ref _intake.Accepted) - released) + overflow;
        }
    }

    /// <summary>The number of entries that were taken because the pool was closed.</summary>
    public long TakenByClosing => Volatile.Read(ref _outlet.TakenByClosing);

    /// <summary>For tests: the number of entries in the chains, including dead ones.</summary>
    public int EntriesHeld => _intake.Runnable.Count + _outlet.Runnable.Count;

    /// <summary>Whether items wait for a slot, so that no other item is accepted.</summary>
    public bool HasOverflow => Volatile.Read(ref _intake.OverflowCount) > 0;

    // Without a limit, callers need not read the fields that workers write.
    private bool HasRoom => capacity == int.MaxValue || _intake.Accepted - Volatile.Read(ref _outlet.Released) < capacity;

    public bool TryAccept(WorkItem item) => TryEnter(item, orOverflow: false, out _);

    /// <summary>
    /// Accepts the item, or adds it to the overflow list. The caller must then call <see cref="AdmitAsRoomAllows"/>.
    /// </summary>
    /// <returns>Whether the item has a slot.</returns>
    public bool AcceptOrWait(WorkItem item)
    {
        TryEnter(item, orOverflow: true, out var accepted);
        return accepted;
    }

    /// <summary>Assigns free slots to the items in the overflow list.</summary>
    /// <returns>Whether there are more entries to run now.</returns>
    public bool AdmitAsRoomAllows()
    {
        // Between releasing the slot, or adding the item to the overflow list, and checking for the other of the two.
        Interlocked.MemoryBarrier();
        var admitted = false;
        while (Volatile.Read(ref _intake.OverflowCount) > 0)
        {
            TaskCompletionSource? admission;
            using (_intake.Gate.Enter())
            {
                // Without memory for its entry, the item stays in the list until the next entry is taken: there is one, because
                // the last block is full.
                if (!HasRoom || _intake.Overflow.First is null || !_intake.Runnable.TryReserve())
                {
                    break;
                }

                var item = _intake.Overflow.TakeFirst()!;
                admission = item.Admission;
                Accept(item, item.Strand);

                // After the item was accepted: Count reads the two in the opposite order.
                Volatile.Write(ref _intake.OverflowCount, _intake.OverflowCount - 1);
            }

            admitted = true;
            admission?.TrySetResult();
        }

        return admitted;
    }

    /// <summary>Called when the active item of a key has ended: makes the next one runnable.</summary>
    /// <returns>Whether there is a next item.</returns>
    public bool Advance(KeyStrand strand)
    {
        WorkItem? next;
        KeyStrand? closed;
        using (_intake.Gate.Enter())
        {
            next = strand.Waiting.TakeFirst();
            if (next is null)
            {
                strand.HasActiveItem = false;
            }
            else
            {
                Link(next);
            }

            closed = strand.Leave();
        }

        Forget(closed);
        return next is not null;
    }

    /// <summary>Adds the waiting items, for reports.</summary>
    public void AddTo(List<WorkItem> items)
    {
        using (_outlet.Gate.Enter())
        {
            using (_intake.Gate.Enter())
            {
                AddChain(_outlet.Runnable);
                AddChain(_intake.Runnable);
                foreach (var strand in _strands.ToList())
                {
                    AddList(strand.Waiting);
                }

                AddList(_intake.Overflow);
            }
        }

        void AddChain(ItemChain chain)
        {
            foreach (ref var entry in chain)
            {
                if (entry is { IsTaken: false } item)
                {
                    items.Add(item);
                }
            }
        }

        void AddList(IntrusiveList<WorkItem> list)
        {
            for (var item = list.First; item is not null; item = item.Next)
            {
                items.Add(item);
            }
        }
    }

    /// <summary>
    /// When the item that has waited longest for a worker was posted; <see cref="PoolClock.Never"/> if there is none. Items
    /// behind another one of their key do not wait for a worker.
    /// </summary>
    public long OldestPost()
    {
        // Both locks: an item that has not been taken keeps its time as long as they are held.
        using (_outlet.Gate.Enter())
        {
            using (_intake.Gate.Enter())
            {
                var overflow = _intake.Overflow.First?.PostedAt ?? PoolClock.Never;
                return Math.Min(overflow, Math.Min(First(_outlet.Runnable), First(_intake.Runnable)));
            }
        }

        static long First(ItemChain chain)
        {
            foreach (ref var entry in chain)
            {
                if (entry is { IsTaken: false } item)
                {
                    return item.PostedAt;
                }
            }

            return PoolClock.Never;
        }
    }

    private bool TryEnter(WorkItem item, bool orOverflow, out bool accepted)
    {
        while (true)
        {
            // The key is compared before anything has changed, and outside the gate, because its Equals is user code.
            var strand = item.Key is { } key ? _strands.GetOrAdd(key) : null;
            KeyStrand? closed = null;
            using (_intake.Gate.EnterAndFence())
            {
                accepted = HasRoom && _intake.OverflowCount == 0;
                if (strand is { IsClosed: true })
                {
                    closed = strand;
                }
                else if (!accepted && !orOverflow)
                {
                    closed = strand?.CloseIfEmpty();
                    strand = null;
                }
                else
                {
                    Enter(item, strand, accepted);
                    return true;
                }
            }

            Forget(closed);
            if (strand is null)
            {
                return false;
            }
        }
    }

    /// <summary>Removes a strand that was closed: the next item with its key starts a new strand.</summary>
    private void Forget(KeyStrand? closed)
    {
        if (closed is not null)
        {
            _strands.Remove(closed);
        }
    }

    // All members down to Link require the intake lock. Accepted first: if there is no memory for another block, the item still
    // belongs to its caller, and is not a member of its strand.
    private void Enter(WorkItem item, KeyStrand? strand, bool accepted)
    {
        if (accepted)
        {
            Accept(item, strand);
        }

        item.IsTaken = false;
        item.Strand = strand;
        strand?.Join();
        if (!accepted)
        {
            _intake.Overflow.AddLast(item);
            Volatile.Write(ref _intake.OverflowCount, _intake.OverflowCount + 1);
        }
    }

    // Counted last: if there is no memory for another block, no slot is lost.
    private void Accept(WorkItem item, KeyStrand? strand)
    {
        if (strand is null)
        {
            Link(item);
        }
        else if (strand.HasActiveItem)
        {
            strand.Waiting.AddLast(item);
        }
        else
        {
            Link(item);
            strand.HasActiveItem = true;
        }

        _intake.Accepted++;
    }

    private void Link(WorkItem item)
    {
        _intake.Runnable.Add(item);
        Volatile.Write(ref _intake.Linked, _intake.Linked + 1);
    }

    private sealed class Intake : CacheLinePadding
    {
        public LaneGate Gate = new();
        public readonly IntrusiveList<WorkItem> Overflow = new();
        public ItemChain Runnable = new();
        public long Accepted;
        public long Linked;
        public int OverflowCount;
    }

    private sealed class Outlet : CacheLinePadding
    {
        public LaneGate Gate = new();
        public ItemChain Runnable = new();
        public long Taken;
        public long Released;
        public long TakenByClosing;
        public int Dead;
    }
}
