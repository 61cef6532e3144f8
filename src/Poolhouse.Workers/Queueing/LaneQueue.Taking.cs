using System.Diagnostics.CodeAnalysis;
using Poolhouse.Kernel;
using Poolhouse.Workers.Items;

namespace Poolhouse.Workers.Queueing;

/// <content>Removal of items from the lane: in turn, out of turn, all at once.</content>
internal sealed partial class LaneQueue
{
    /// <summary>Takes the next item; returns null if there is none.</summary>
    public WorkItem? Take()
    {
        // As long as the workers' own chain has entries, workers need not read the fields that callers write.
        if (_outlet.Runnable.Count == 0 && !HasRunnable)
        {
            return null;
        }

        using (_outlet.Gate.Enter())
        {
            return TakeLocked();
        }
    }

    /// <summary>
    /// Removes a waiting item, unless it was taken or is in use for other work by now. The caller must then call
    /// <see cref="Advance"/>.
    /// </summary>
    public bool TryRemove(WorkItem item, long version, bool onlyOverflow = false)
    {
        KeyStrand? closed = null;
        using (_outlet.Gate.Enter())
        {
            using (_intake.Gate.Enter())
            {
                // Read before the lane: the item may belong to another pool by now, whose locks are not held here.
                if (item.IsTaken || !item.IsIn(this) || item.Version != version
                    || (onlyOverflow && item.List != _intake.Overflow))
                {
                    return false;
                }

                item.IsTaken = true;
                if (item.List is { } list)
                {
                    closed = RemoveFromList(item, list);
                }
                else
                {
                    item.HasDeadEntry = true;
                    CountTaken();
                    CountDeadEntry();
                }
            }
        }

        Forget(closed);
        return true;
    }

    /// <summary>
    /// Removes the runnable entry that has waited longest and may be dropped. The caller must then call <see cref="Advance"/>.
    /// </summary>
    public bool TryTakeOldest([NotNullWhen(true)] out WorkItem? oldest)
    {
        using (_outlet.Gate.Enter())
        {
            using (_intake.Gate.Enter())
            {
                return TryTakeOldest(_outlet.Runnable, out oldest) || TryTakeOldest(_intake.Runnable, out oldest);
            }
        }
    }

    /// <summary>Takes all items, because the pool is closed.</summary>
    public List<WorkItem> TakeAll()
    {
        var all = new List<WorkItem>();
        var behind = new List<WorkItem>();
        var closed = new List<KeyStrand?>();
        using (_outlet.Gate.Enter())
        {
            // First, because another thread may make these items runnable at any moment before they are taken.
            using (_intake.Gate.Enter())
            {
                foreach (var strand in _strands.ToList())
                {
                    TakeAll(strand.Waiting, behind, closed);
                }

                TakeAll(_intake.Overflow, behind, closed);
            }

            while (TakeLocked() is { } item)
            {
                all.Add(item);
            }

            all.AddRange(behind);

            // Counted under the lock: a thread that finds the lane empty afterwards, and completes the end of the pool, finds
            // them counted.
            Volatile.Write(ref _outlet.TakenByClosing, _outlet.TakenByClosing + all.Count);
        }

        closed.ForEach(Forget);
        return all;
    }

    // All members down to CountTaken require the outlet lock.
    private WorkItem? TakeLocked()
    {
        while (_outlet.Runnable.Count > 0 || TryExchangeChains())
        {
            var item = _outlet.Runnable.Take();
            if (TryOwn(item))
            {
                CountTaken();
                return item;
            }

            // A dead entry, which is no longer counted.
            _outlet.Dead--;
        }

        return null;
    }

    private static bool TryOwn([NotNullWhen(true)] WorkItem? item)
    {
        if (item is null or { IsTaken: true })
        {
            return false;
        }

        item.IsTaken = true;
        return true;
    }

    private bool TryExchangeChains()
    {
        using (_intake.Gate.Enter())
        {
            (_intake.Runnable, _outlet.Runnable) = (_outlet.Runnable, _intake.Runnable);
        }

        return _outlet.Runnable.Count > 0;
    }

    private void CountTaken()
    {
        Volatile.Write(ref _outlet.Taken, _outlet.Taken + 1);
        Volatile.Write(ref _outlet.Released, _outlet.Released + 1);
    }

    // All members from here to the end require both locks.
    private KeyStrand? RemoveFromList(WorkItem item, IntrusiveList<WorkItem> list)
    {
        list.Remove(item);
        if (list == _intake.Overflow)
        {
            Volatile.Write(ref _intake.OverflowCount, _intake.OverflowCount - 1);
        }
        else
        {
            Volatile.Write(ref _outlet.Released, _outlet.Released + 1);
        }

        // If the item has a key, another item of the strand is runnable or running, or none is yet.
        var closed = item.Strand?.Leave();
        item.Strand = null;
        return closed;
    }

    private void CountDeadEntry()
    {
        _outlet.Dead++;
        if (_outlet.Dead > MinDeadToCompact && _outlet.Dead > (_outlet.Runnable.Count + _intake.Runnable.Count) / 2)
        {
            _outlet.Runnable.Compact();
            _intake.Runnable.Compact();
            _outlet.Dead = 0;
        }
    }

    private bool TryTakeOldest(ItemChain chain, [NotNullWhen(true)] out WorkItem? oldest)
    {
        // From the front, so that the same dead entries are not visited again and again.
        while (chain.Count > 0)
        {
            ref var first = ref chain.First;
            if (first is { IsTaken: false, CanBeDropped: false })
            {
                break;
            }

            oldest = chain.Take();
            if (TryOwn(oldest))
            {
                CountTaken();
                return true;
            }

            _outlet.Dead--;
        }

        foreach (ref var entry in chain)
        {
            if (entry is not { IsTaken: false, CanBeDropped: true })
            {
                continue;
            }

            oldest = entry;
            entry = null;
            oldest.IsTaken = true;
            CountTaken();
            CountDeadEntry();
            return true;
        }

        oldest = null;
        return false;
    }

    private void TakeAll(IntrusiveList<WorkItem> list, List<WorkItem> all, List<KeyStrand?> closed)
    {
        while (list.First is { } item)
        {
            item.IsTaken = true;
            closed.Add(RemoveFromList(item, list));
            all.Add(item);
        }
    }
}
