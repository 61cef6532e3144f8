using Poolhouse.Kernel.Threading;
using Poolhouse.Kernel.Time;
using Poolhouse.Workers.Items;

namespace Poolhouse.Workers.Queueing;

/// <summary>The lanes, and the selection of the next one.</summary>
// Stride scheduling (Waldspurger and Weihl, MIT/LCS/TM-528, 1995): each lane has a pass; the lane with the smallest pass is next,
// and its pass then advances in inverse proportion to its weight. A lane that was empty starts at the pass of the others, so that
// it cannot accumulate credit.
// Locks: one around the passes, only if there are several lanes; no other lock is taken under it.
internal sealed class LaneScheduler(LaneQueue[] lanes)
{
    // Divisible by every weight up to 16; for larger ones, up to 1,000, rounding changes the share by less than 0.14 %.
    private const long Stride = 720_720;

    private readonly Gate _gate = new();
    private readonly long[] _passes = new long[lanes.Length];
    private readonly bool[] _wasEmpty = new bool[lanes.Length];
    private long _pass;

    public ReadOnlySpan<LaneQueue> Lanes => lanes;

    public bool HasRunnable
    {
        get
        {
            if (lanes.Length == 1)
            {
                return lanes[0].HasRunnable;
            }

            foreach (var lane in lanes)
            {
                if (lane.HasRunnable)
                {
                    return true;
                }
            }

            return false;
        }
    }

    /// <summary>The number of items that have not started.</summary>
    public int Count
    {
        get
        {
            var count = 0;
            foreach (var lane in lanes)
            {
                count += lane.Count;
            }

            return count;
        }
    }

    /// <summary>
    /// When the item that has waited longest for a worker was posted; <see cref="PoolClock.Never"/> if there is none.
    /// </summary>
    public long OldestPost()
    {
        var oldest = PoolClock.Never;
        foreach (var lane in lanes)
        {
            oldest = Math.Min(oldest, lane.OldestPost());
        }

        return oldest;
    }

    /// <summary>Takes the next item; returns null if there is none.</summary>
    public WorkItem? Take()
    {
        if (lanes.Length == 1)
        {
            return lanes[0].Take();
        }

        // Another thread may empty the chosen lane first; then a lane is chosen again.
        while (Choose() is { } chosen)
        {
            if (chosen.Take() is { } item)
            {
                return item;
            }
        }

        return null;
    }

    /// <summary>The waiting items, for reports.</summary>
    public List<WorkItem> ToList()
    {
        var items = new List<WorkItem>();
        foreach (var lane in lanes)
        {
            lane.AddTo(items);
        }

        return items;
    }

    private LaneQueue? Choose()
    {
        using (_gate.Enter())
        {
            var chosen = -1;
            for (var i = 0; i < lanes.Length; i++)
            {
                var isEmpty = !lanes[i].HasRunnable;
                if (!isEmpty && _wasEmpty[i])
                {
                    _passes[i] = Math.Max(_passes[i], _pass);
                }

                _wasEmpty[i] = isEmpty;
                if (!isEmpty && (chosen < 0 || _passes[i] < _passes[chosen]))
                {
                    chosen = i;
                }
            }

            if (chosen < 0)
            {
                return null;
            }

            _pass = _passes[chosen];
            _passes[chosen] += Stride / lanes[chosen].Weight;
            return lanes[chosen];
        }
    }
}
