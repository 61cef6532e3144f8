using Poolhouse.Internal;

namespace Poolhouse.Workers;

/// <summary>What waits in one lane, in the order in which it came.</summary>
// Invariants
//   runnable entries are in two rings: callers add to the one of the intake, workers take from the one of the outlet, and the two are
//   exchanged when the latter is empty. So callers and workers rarely meet.
//   accepted - released = entries that hold a place: runnable ones and items behind another one of their key; never above the capacity
//   linked - taken = runnable entries
//   an item that was taken out of turn leaves its entry behind, dead, which counts no more; a ring that is half dead is compacted
//   items without a place are in Outside, in the order of arrival; while there are any, nobody else is accepted
// Order of writes
//   an entry is linked before its caller looks for idle workers (a full fence between them), and a worker is idle before it looks here
//   again: one of the two always sees the other (I5). The same holds between a released place and an item that goes outside.
// Locks: outlet before intake; whoever takes something out of turn holds both. Nobody's code runs under them.
internal sealed class WorkLaneQueue(int weight, int capacity)
{
    // Fewer dead entries than this are not worth a compaction.
    private const int FewDead = 64;

    // Of so many posts one is measured.
    private const int SampleMask = 63;

    // What callers write and what workers write on cache lines of their own.
    private readonly Intake _intake = new();
    private readonly Outlet _outlet = new();

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

    // Without a bound callers need not look at what workers write.
    private bool HasRoom => capacity == int.MaxValue || _intake.Accepted - Volatile.Read(ref _outlet.Released) < capacity;

    /// <summary>Accepts a plain post.</summary>
    public bool TryAccept(in WorkEntry post)
    {
        using (_intake.Gate.Enter())
        {
            if (!HasRoom || _intake.OutsideCount > 0)
            {
                return false;
            }

            _intake.Accepted++;
            Link(post);
            return true;
        }
    }

    public bool TryAccept(WorkItem item)
    {
        using (_intake.Gate.Enter())
        {
            if (!HasRoom || _intake.OutsideCount > 0)
            {
                return false;
            }

            Accept(item);
            return true;
        }
    }

    /// <summary>Accepts the item, or lets it wait outside. The caller then calls <see cref="AdmitAsRoomAllows"/>.</summary>
    /// <returns>Whether it has a place.</returns>
    public bool AcceptOrWait(WorkItem item)
    {
        using (_intake.Gate.Enter())
        {
            if (HasRoom && _intake.OutsideCount == 0)
            {
                Accept(item);
                return true;
            }

            item.IsTaken = false;
            _intake.Outside.AddLast(item);
            Volatile.Write(ref _intake.OutsideCount, _intake.OutsideCount + 1);
            return false;
        }
    }

    /// <summary>Gives free places to those who wait outside.</summary>
    /// <returns>Whether there is more to run now.</returns>
    public bool AdmitAsRoomAllows()
    {
        Interlocked.MemoryBarrier();
        var admitted = false;
        while (Volatile.Read(ref _intake.OutsideCount) > 0)
        {
            TaskCompletionSource? admission;
            using (_intake.Gate.Enter())
            {
                if (!HasRoom || _intake.Outside.TakeFirst() is not { } item)
                {
                    break;
                }

                Volatile.Write(ref _intake.OutsideCount, _intake.OutsideCount - 1);
                admission = item.Admission;
                Accept(item);
            }

            admitted = true;
            admission?.TrySetResult();
        }

        return admitted;
    }

    /// <summary>Takes what is next.</summary>
    public bool TryTake(out WorkEntry entry)
    {
        // As long as there is something in the workers' own ring, they need not look at what callers write.
        if (_outlet.Runnable.Count == 0 && !HasRunnable)
        {
            entry = default;
            return false;
        }

        using (_outlet.Gate.Enter())
        {
            return TryTakeInside(out entry);
        }
    }

    /// <summary>Takes an item out, wherever it waits, if it still is the same one. The caller then calls <see cref="Advance"/>.</summary>
    public bool TryRemove(WorkItem item, long version, bool onlyOutside = false)
    {
        using (_outlet.Gate.Enter())
        {
            using (_intake.Gate.Enter())
            {
                if (item.Version != version || item.IsTaken || !item.IsIn(this) || (onlyOutside && item.List != _intake.Outside))
                {
                    return false;
                }

                item.IsTaken = true;
                if (item.List is { } list)
                {
                    RemoveFromList(item, list);
                }
                else
                {
                    item.IsLeftBehind = true;
                    CountTaken();
                    LeaveDead();
                }

                return true;
            }
        }
    }

    /// <summary>Takes out the runnable entry that has waited longest and may be dropped. The caller then calls <see cref="Advance"/>.</summary>
    public bool TryTakeOldest(out WorkEntry oldest)
    {
        using (_outlet.Gate.Enter())
        {
            using (_intake.Gate.Enter())
            {
                return TryTakeOldest(_outlet.Runnable, out oldest) || TryTakeOldest(_intake.Runnable, out oldest);
            }
        }
    }

    /// <summary>An item of a key has ended: makes the next one of the key runnable.</summary>
    /// <returns>Whether there is one.</returns>
    public bool Advance(WorkStrand strand, object key)
    {
        using (_intake.Gate.Enter())
        {
            if (strand.Waiting.TakeFirst() is { } next)
            {
                Link(new WorkEntry(next));
                return true;
            }

            _intake.Strands.Remove(key);
            return false;
        }
    }

    /// <summary>Takes everything.</summary>
    public List<WorkEntry> TakeAll()
    {
        var all = new List<WorkEntry>();
        using (_outlet.Gate.Enter())
        {
            while (TryTakeInside(out var entry))
            {
                all.Add(entry);
            }

            using (_intake.Gate.Enter())
            {
                foreach (var strand in _intake.Strands.Values)
                {
                    TakeAll(strand.Waiting, all);
                }

                TakeAll(_intake.Outside, all);
            }
        }

        return all;
    }

    /// <summary>The items that wait, for reports; plain posts are left out.</summary>
    public void AddTo(List<WorkItem> items)
    {
        using (_outlet.Gate.Enter())
        {
            using (_intake.Gate.Enter())
            {
                AddRing(_outlet.Runnable);
                AddRing(_intake.Runnable);
                foreach (var strand in _intake.Strands.Values)
                {
                    AddList(strand.Waiting);
                }

                AddList(_intake.Outside);
            }
        }

        void AddRing(WorkRing ring)
        {
            for (var position = 0; position < ring.Count; position++)
            {
                if (ring[position].Item is { IsTaken: false } item)
                {
                    items.Add(item);
                }
            }
        }

        void AddList(WorkList list)
        {
            for (var item = list.First; item is not null; item = item.Next)
            {
                items.Add(item);
            }
        }
    }

    // Under the intake lock, down to Link.
    private void Accept(WorkItem item)
    {
        // The key is asked first: what its Equals throws may not cost a place.
        var strand = item.Key is { } key ? StrandOf(key) : null;
        item.IsTaken = false;
        item.Strand = strand;
        _intake.Accepted++;
        if (strand is null)
        {
            Link(new WorkEntry(item));
        }
        else if (strand.IsLed)
        {
            strand.Waiting.AddLast(item);
        }
        else
        {
            strand.IsLed = true;
            Link(new WorkEntry(item));
        }
    }

    private WorkStrand StrandOf(object key)
    {
        if (!_intake.Strands.TryGetValue(key, out var strand))
        {
            strand = new WorkStrand();
            _intake.Strands.Add(key, strand);
        }

        return strand;
    }

    private void Link(in WorkEntry entry)
    {
        _intake.Runnable.Add(entry);
        Volatile.Write(ref _intake.Linked, _intake.Linked + 1);
    }

    // Under the outlet lock, down to CountTaken.
    private bool TryTakeInside(out WorkEntry entry)
    {
        while (TryTakeFromRings(out entry))
        {
            if (entry.Poster is not null || TryOwn(entry.Item))
            {
                CountTaken();
                return true;
            }

            // A dead one, which does not count any more.
            _outlet.Dead--;
        }

        return false;
    }

    private static bool TryOwn(WorkItem? item)
    {
        if (item is null or { IsTaken: true })
        {
            return false;
        }

        item.IsTaken = true;
        return true;
    }

    private bool TryTakeFromRings(out WorkEntry entry)
    {
        if (_outlet.Runnable.Count == 0)
        {
            using (_intake.Gate.Enter())
            {
                (_intake.Runnable, _outlet.Runnable) = (_outlet.Runnable, _intake.Runnable);
            }

            if (_outlet.Runnable.Count == 0)
            {
                entry = default;
                return false;
            }
        }

        entry = _outlet.Runnable.Take();
        return true;
    }

    private void CountTaken()
    {
        Volatile.Write(ref _outlet.Taken, _outlet.Taken + 1);
        Volatile.Write(ref _outlet.Released, _outlet.Released + 1);
    }

    // Under both locks, down to the end.
    private void RemoveFromList(WorkItem item, WorkList list)
    {
        list.Remove(item);
        if (list == _intake.Outside)
        {
            Volatile.Write(ref _intake.OutsideCount, _intake.OutsideCount - 1);
            return;
        }

        // It waited behind another one of its key, which goes on to lead the others.
        item.Strand = null;
        Volatile.Write(ref _outlet.Released, _outlet.Released + 1);
    }

    private void LeaveDead()
    {
        _outlet.Dead++;
        if (_outlet.Dead > FewDead && _outlet.Dead > (_outlet.Runnable.Count + _intake.Runnable.Count) / 2)
        {
            _outlet.Runnable.Compact();
            _intake.Runnable.Compact();
            _outlet.Dead = 0;
        }
    }

    private bool TryTakeOldest(WorkRing ring, out WorkEntry oldest)
    {
        for (var position = 0; position < ring.Count; position++)
        {
            ref var entry = ref ring[position];
            if (entry.Work is null or WorkItem { IsTaken: true } or WorkItem { CanBeDropped: false })
            {
                continue;
            }

            oldest = entry;
            entry = default;
            if (oldest.Item is { } item)
            {
                item.IsTaken = true;
            }

            CountTaken();
            LeaveDead();
            return true;
        }

        oldest = default;
        return false;
    }

    private void TakeAll(WorkList list, List<WorkEntry> all)
    {
        while (list.First is { } item)
        {
            item.IsTaken = true;
            RemoveFromList(item, list);
            all.Add(new WorkEntry(item));
        }
    }

    private sealed class Intake : CacheLinePadding
    {
        public LaneGate Gate = new();
        public readonly WorkList Outside = new();
        public readonly Dictionary<object, WorkStrand> Strands = [];
        public WorkRing Runnable = new();
        public long Accepted;
        public long Linked;
        public int OutsideCount;
    }

    private sealed class Outlet : CacheLinePadding
    {
        public LaneGate Gate = new();
        public WorkRing Runnable = new();
        public long Taken;
        public long Released;
        public int Dead;
    }
}
