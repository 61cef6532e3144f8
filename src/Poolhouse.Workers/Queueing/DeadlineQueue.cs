using Poolhouse.Kernel.Threading;
using Poolhouse.Kernel.Time;
using Poolhouse.Workers.Items;

namespace Poolhouse.Workers.Queueing;

/// <summary>
/// The deadlines of waiting items. Those of items that have left their lane remain until they pass, or until they make up half of
/// the queue.
/// </summary>
// Locks: one of its own; no other lock is taken under it.
internal sealed class DeadlineQueue
{
    private const int MinCompactCount = 256;

    private readonly Gate _gate = new();
    private readonly PriorityQueue<(WorkItem Item, long Version), long> _deadlines = new();
    private int _compactAt = MinCompactCount;

    public void Add(WorkItem item, long version, long deadline)
    {
        using (_gate.Enter())
        {
            if (_deadlines.Count >= _compactAt)
            {
                Compact();
            }

            _deadlines.Enqueue((item, version), deadline);
        }
    }

    /// <summary>Takes an item whose deadline has passed, or returns the time of the next deadline.</summary>
    public bool TryTakeDue(long now, out (WorkItem Item, long Version) due, out long next)
    {
        using (_gate.Enter())
        {
            if (_deadlines.TryPeek(out due, out next) && next <= now)
            {
                _deadlines.Dequeue();
                return true;
            }

            next = _deadlines.Count == 0 ? PoolClock.Never : next;
            return false;
        }
    }

    private void Compact()
    {
        var living = new List<((WorkItem Item, long Version), long)>();
        foreach (var (entry, deadline) in _deadlines.UnorderedItems)
        {
            if (entry.Item.Version == entry.Version && !entry.Item.IsTaken)
            {
                living.Add((entry, deadline));
            }
        }

        _deadlines.Clear();
        _deadlines.EnqueueRange(living);
        _compactAt = Math.Max(MinCompactCount, 2 * living.Count);
    }
}
