using Poolhouse.Resources.Engine.Items;

namespace Poolhouse.Resources.Engine;

/// <summary>Reports the uses of items that have exceeded the leak threshold, each once.</summary>
// Called by the timer's check, which may overlap with the next one. Under no lock, because the observer may block.
internal sealed class LeakSearch<T>(ResourceRuntime<T> runtime, PoolEvents<T> events)
    where T : notnull
{
    private long _count;

    /// <summary>The number of leaks so far.</summary>
    public long Count => Volatile.Read(ref _count);

    /// <summary>Searches for leaks, and schedules the next search before it reports to the observer.</summary>
    /// <param name="slots">Lists the slots of the pool, leased or not.</param>
    /// <param name="threshold">How long a use may last.</param>
    /// <param name="now">The time.</param>
    public void Search(Func<TracedSlot<T>[]> slots, long threshold, long now)
    {
        if (threshold == PoolClock.Never)
        {
            return;
        }

        // A use may begin at any time.
        var next = PoolClock.Add(now, threshold);
        var leaks = new List<(long Number, long LeasedFor, LeaseTrace? Trace)>();
        foreach (var slot in slots())
        {
            // The lease may end and the next begin meanwhile. The use is read first, so the time is that of this use or of a
            // later one.
            var (use, leasedFor) = (slot.Uses, now - slot.RentedAt);
            if (!slot.IsLeased || slot.LeakedUse == use)
            {
                continue;
            }

            if (leasedFor < threshold)
            {
                next = Math.Min(next, now - leasedFor + threshold);
            }
            else if (slot.ItemNumber is { } number && slot.TryMarkLeaked(use))
            {
                leaks.Add((number, leasedFor, slot.Trace));
            }
        }

        Interlocked.Add(ref _count, leaks.Count);
        runtime.ScheduleAt(Math.Max(next, now + 1));
        foreach (var (number, leasedFor, trace) in leaks)
        {
            events.ReportLeak(number, runtime.Clock.Span(leasedFor), trace);
        }
    }
}
