using Poolhouse.Kernel;
using Poolhouse.Workers.Items;

namespace Poolhouse.Workers.Queueing;

/// <summary>What waits in one lane, in the order in which it came.</summary>
// Invariants
//   runnable entries are in two chains: callers add to the one of the intake, workers take from the one of the outlet, and the two
//   are exchanged when the latter is empty. So callers and workers rarely meet.
//   accepted - released = entries that hold a place: runnable ones and items behind another one of their key; never above the
//   capacity
//   linked - taken = runnable entries
//   an item that was taken out of turn leaves its entry behind, dead, which counts no more; a chain that is half dead is compacted
//   items without a place are in Outside, in the order of arrival; while there are any, nobody else is accepted
//   an item with a key is a member of its strand from the time it comes until it ends, or is taken out while another one leads; a
//   strand without members is closed, and then forgotten
// Order of writes
//   an entry is linked before its caller looks for idle workers (a full fence between them), and a worker is idle before it looks
//   here again: one of the two always sees the other (I5). The same holds between a released place and an item that goes outside.
// Locks: outlet before intake, that of the strands last; whoever takes something out of turn holds the former two. Nobody's code runs
// under them: keys are compared outside them.
internal sealed partial class WorkLaneQueue(int weight, int capacity)
{
    // Fewer dead entries than this are not worth a compaction.
    private const int FewDead = 64;

    // Of so many posts one is measured.
    private const int SampleMask = 63;

    // What callers write and what workers write on cache lines of their own.
    private readonly Intake _intake = new();
    private readonly Outlet _outlet = new();
    private readonly StrandTable _strands = new();

    public static int SampleWeight => SampleMask + 1;

    public int Weight => weight;

    public int Capacity => capacity;

    public bool IsBounded => capacity != int.MaxValue;

    /// <summary>Whether there is something to run. A stale yes is possible, a stale no is not.</summary>
    public bool HasRunnable
    {
        get
        {
            // Taken first: it can only grow towards what was linked before.
            var taken = Volatile.Read(ref _outlet.Taken);
            return Volatile.Read(ref _intake.Linked) != taken;
        }
    }

    /// <summary>Whether the next post is one to measure. Off by the operations under way.</summary>
    public bool IsSample => (_intake.Linked & SampleMask) == 0;

    /// <summary>What has not begun, with a place or without; off by the operations under way.</summary>
    public int Count
    {
        get
        {
            var released = Volatile.Read(ref _outlet.Released);
            return (int)(Volatile.Read(ref _intake.Accepted) - released) + Volatile.Read(ref _intake.OutsideCount);
        }
    }

    /// <summary>For tests: the entries in the chains, with the dead ones.</summary>
    public int EntriesHeld => _intake.Runnable.Count + _outlet.Runnable.Count;

    // Without a bound callers need not look at what workers write.
    private bool HasRoom => capacity == int.MaxValue || _intake.Accepted - Volatile.Read(ref _outlet.Released) < capacity;

    /// <summary>Accepts a plain post.</summary>
    public bool TryAccept(in WorkEntry post)
    {
        using (_intake.Gate.EnterAndFence())
        {
            if (!HasRoom || _intake.OutsideCount > 0)
            {
                return false;
            }

            Link(post);
            _intake.Accepted++;
            return true;
        }
    }

    public bool TryAccept(WorkItem item) => TryEnter(item, orOutside: false, out _);

    /// <summary>Accepts the item, or lets it wait outside. The caller then calls <see cref="AdmitAsRoomAllows"/>.</summary>
    /// <returns>Whether it has a place.</returns>
    public bool AcceptOrWait(WorkItem item)
    {
        TryEnter(item, orOutside: true, out var accepted);
        return accepted;
    }

    /// <summary>Gives free places to those who wait outside.</summary>
    /// <returns>Whether there is more to run now.</returns>
    public bool AdmitAsRoomAllows()
    {
        // Between the place that was released, or the item that went outside, and the look at the other of the two.
        Interlocked.MemoryBarrier();
        var admitted = false;
        while (Volatile.Read(ref _intake.OutsideCount) > 0)
        {
            TaskCompletionSource? admission;
            using (_intake.Gate.Enter())
            {
                if (!HasRoom || _intake.Overflow.TakeFirst() is not { } item)
                {
                    break;
                }

                Volatile.Write(ref _intake.OutsideCount, _intake.OutsideCount - 1);
                admission = item.EnqueueResult;
                Accept(item);
            }

            admitted = true;
            admission?.TrySetResult();
        }

        return admitted;
    }

    /// <summary>The first of a key has ended: makes the next one runnable.</summary>
    /// <returns>Whether there is one.</returns>
    public bool Advance(WorkStrand strand)
    {
        WorkItem? next;
        WorkStrand? closed;
        using (_intake.Gate.Enter())
        {
            next = strand.Waiting.TakeFirst();
            if (next is null)
            {
                strand.IsLed = false;
            }
            else
            {
                Link(new WorkEntry(next));
            }

            closed = strand.Leave();
        }

        Forget(closed);
        return next is not null;
    }

    /// <summary>The items that wait, for reports; plain posts are left out.</summary>
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

        void AddChain(SegmentedQueue chain)
        {
            foreach (ref var entry in chain)
            {
                if (entry.Item is { IsTaken: false } item)
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

    private bool TryEnter(WorkItem item, bool orOutside, out bool accepted)
    {
        while (true)
        {
            // The key is asked before anything has changed, and outside the gate: its Equals is the user's.
            var strand = item.Key is { } key ? _strands.GetOrAdd(key) : null;
            WorkStrand? closed = null;
            using (_intake.Gate.EnterAndFence())
            {
                accepted = HasRoom && _intake.OutsideCount == 0;
                if (strand is { IsClosed: true })
                {
                    closed = strand;
                }
                else if (!accepted && !orOutside)
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

    /// <summary>Forgets a strand that was closed: the next one of its key begins another.</summary>
    private void Forget(WorkStrand? closed)
    {
        if (closed is not null)
        {
            _strands.Remove(closed);
        }
    }

    // Under the intake lock, down to Link.
    private void Enter(WorkItem item, WorkStrand? strand, bool accepted)
    {
        item.IsTaken = false;
        item.Strand = strand;
        strand?.Join();
        if (accepted)
        {
            Accept(item);
            return;
        }

        _intake.Overflow.AddLast(item);
        Volatile.Write(ref _intake.OutsideCount, _intake.OutsideCount + 1);
    }

    // Counted last, here and for a post: if there is no memory for another block, no place is taken for good.
    private void Accept(WorkItem item)
    {
        if (item.Strand is not { } strand)
        {
            Link(new WorkEntry(item));
        }
        else if (strand.IsLed)
        {
            strand.Waiting.AddLast(item);
        }
        else
        {
            Link(new WorkEntry(item));
            strand.IsLed = true;
        }

        _intake.Accepted++;
    }

    private void Link(in WorkEntry entry)
    {
        _intake.Runnable.Add(entry);
        Volatile.Write(ref _intake.Linked, _intake.Linked + 1);
    }

    private sealed class Intake : CacheLinePadding
    {
        public LaneGate Gate = new();
        public readonly IntrusiveList<WorkItem> Overflow = new();
        public SegmentedQueue Runnable = new();
        public long Accepted;
        public long Linked;
        public int OutsideCount;
    }

    private sealed class Outlet : CacheLinePadding
    {
        public LaneGate Gate = new();
        public SegmentedQueue Runnable = new();
        public long Taken;
        public long Released;
        public int Dead;
    }
}
