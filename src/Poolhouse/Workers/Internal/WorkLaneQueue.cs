using Poolhouse.Internal;

namespace Poolhouse.Workers;

/// <summary>The items that wait in one lane, in the order in which they came.</summary>
// Invariants
//   runnable items are in two lists: callers add to the one of the intake, workers take from the one of the outlet, and exchange the
//   two when theirs is empty. So callers and workers rarely meet.
//   accepted - released = items that hold a place: runnable ones and those behind another one of their key; never above the capacity
//   linked - taken = runnable items
//   items without a place are in Outside, in the order of arrival; while there are any, nobody else is accepted
// Order of writes
//   an item is linked before its caller looks for idle workers (a full fence between them), and a worker is idle before it looks here
//   again: one of the two always sees the other (I5). The same holds between a released place and an item that goes outside.
// Locks: outlet before intake; whoever takes an item out of the middle holds both. Nobody's code runs under them.
internal sealed class WorkLaneQueue(int weight, int capacity)
{
    // What callers write and what workers write on cache lines of their own.
    private readonly Intake _intake = new();
    private readonly Outlet _outlet = new();

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

    /// <summary>Items that have not begun, with a place or without; off by the operations under way.</summary>
    public int Count
    {
        get
        {
            var released = Volatile.Read(ref _outlet.Released);
            return (int)(Volatile.Read(ref _intake.Accepted) - released) + Volatile.Read(ref _intake.OutsideCount);
        }
    }

    public bool TryAccept(WorkItem item)
    {
        lock (_intake.Gate)
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
        lock (_intake.Gate)
        {
            if (HasRoom && _intake.OutsideCount == 0)
            {
                Accept(item);
                return true;
            }

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
            lock (_intake.Gate)
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

    /// <summary>Takes the item that is next.</summary>
    public WorkItem? TryTake()
    {
        if (!HasRunnable)
        {
            return null;
        }

        lock (_outlet.Gate)
        {
            if (_outlet.Runnable.IsEmpty)
            {
                lock (_intake.Gate)
                {
                    (_intake.Runnable, _outlet.Runnable) = (_outlet.Runnable, _intake.Runnable);
                }
            }

            var item = _outlet.Runnable.TakeFirst();
            if (item is not null)
            {
                item.IsTaken = true;
                Volatile.Write(ref _outlet.Taken, _outlet.Taken + 1);
                Volatile.Write(ref _outlet.Released, _outlet.Released + 1);
            }

            return item;
        }
    }

    /// <summary>Takes an item out, wherever it waits, if it still is the same one. The caller then calls <see cref="Advance"/>.</summary>
    public bool TryRemove(WorkItem item, long version, bool onlyOutside = false)
    {
        lock (_outlet.Gate)
        {
            lock (_intake.Gate)
            {
                if (item.Version != version || item.List is null || (onlyOutside && item.List != _intake.Outside))
                {
                    return false;
                }

                Remove(item);
                return true;
            }
        }
    }

    /// <summary>Takes out the runnable item that has waited longest. The caller then calls <see cref="Advance"/>.</summary>
    public WorkItem? TryTakeOldest()
    {
        lock (_outlet.Gate)
        {
            lock (_intake.Gate)
            {
                var item = FirstToDrop(_outlet.Runnable) ?? FirstToDrop(_intake.Runnable);
                if (item is not null)
                {
                    Remove(item);
                }

                return item;
            }
        }

        static WorkItem? FirstToDrop(WorkList list)
        {
            var item = list.First;
            while (item is { CanBeDropped: false })
            {
                item = item.Next;
            }

            return item;
        }
    }

    /// <summary>An item of a key has ended: makes the next one of the key runnable.</summary>
    /// <returns>Whether there is one.</returns>
    public bool Advance(WorkStrand strand, object key)
    {
        lock (_intake.Gate)
        {
            if (strand.Waiting.TakeFirst() is { } next)
            {
                Link(next);
                return true;
            }

            _intake.Strands.Remove(key);
            return false;
        }
    }

    public void AddTo(List<WorkItem> items)
    {
        lock (_outlet.Gate)
        {
            lock (_intake.Gate)
            {
                AddTo(items, _outlet.Runnable);
                AddTo(items, _intake.Runnable);
                AddTo(items, _intake.Outside);
            }
        }

        static void AddTo(List<WorkItem> items, WorkList list)
        {
            for (var item = list.First; item is not null; item = item.Next)
            {
                items.Add(item);
            }
        }
    }

    private bool HasRoom => _intake.Accepted - Volatile.Read(ref _outlet.Released) < capacity;

    // Under the intake lock.
    private void Accept(WorkItem item)
    {
        Volatile.Write(ref _intake.Accepted, _intake.Accepted + 1);
        if (item.Key is not { } key)
        {
            Link(item);
        }
        else if (_intake.Strands.TryGetValue(key, out var strand))
        {
            item.Strand = strand;
            strand.Waiting.AddLast(item);
        }
        else
        {
            item.Strand = new WorkStrand();
            _intake.Strands.Add(key, item.Strand);
            Link(item);
        }
    }

    private void Link(WorkItem item)
    {
        _intake.Runnable.AddLast(item);
        Volatile.Write(ref _intake.Linked, _intake.Linked + 1);
    }

    // Under both locks.
    private void Remove(WorkItem item)
    {
        var list = item.List!;
        list.Remove(item);
        item.IsTaken = true;
        if (list == _intake.Outside)
        {
            Volatile.Write(ref _intake.OutsideCount, _intake.OutsideCount - 1);
            return;
        }

        Volatile.Write(ref _outlet.Released, _outlet.Released + 1);
        if (list == _intake.Runnable || list == _outlet.Runnable)
        {
            Volatile.Write(ref _outlet.Taken, _outlet.Taken + 1);
        }
        else
        {
            // It waited behind another one of its key, which goes on to lead the others.
            item.Strand = null;
        }
    }

    private sealed class Intake : CacheLinePadding
    {
        public readonly Lock Gate = new();
        public readonly WorkList Outside = new();
        public readonly Dictionary<object, WorkStrand> Strands = [];
        public WorkList Runnable = new();
        public long Accepted;
        public long Linked;
        public int OutsideCount;
    }

    private sealed class Outlet : CacheLinePadding
    {
        public readonly Lock Gate = new();
        public WorkList Runnable = new();
        public long Taken;
        public long Released;
    }
}
