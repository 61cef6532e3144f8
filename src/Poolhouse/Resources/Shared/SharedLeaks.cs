using Poolhouse.Resources.Engine;
using Poolhouse.Resources.Engine.Items;

namespace Poolhouse.Resources.Shared;

/// <summary>Reports the uses of shared items that have exceeded the leak threshold, each once.</summary>
// Called by the timer's check, which may overlap with the next one.
internal sealed class SharedLeaks<T>(
    SharedItemSet<T> itemSet, SharedUses<T> uses, ResourceRuntime<T> runtime, PoolEvents<T> events)
    where T : notnull
{
    private long _count;

    public long Count => Volatile.Read(ref _count);

    /// <summary>Searches for leaks, and schedules the next search before it reports to the observer, which may block.</summary>
    public void Search(long now)
    {
        var threshold = itemSet.Settings.LeakThreshold;
        if (threshold == PoolClock.Never)
        {
            return;
        }

        var next = PoolClock.Add(now, threshold);
        var leaks = new List<(long Number, long LeasedFor, LeaseTrace? Trace)>();
        foreach (var use in uses.ToArray())
        {
            if (!use.IsLeak(threshold, now, out var leaked, out var leasedFor))
            {
                next = use.IsLeased && use.LeakedUse != leaked ? Math.Min(next, now - leasedFor + threshold) : next;
            }
            else if (use.ItemNumber is { } number)
            {
                leaks.Add((number, leasedFor, use.Trace));
                use.LeakedUse = leaked;
                Interlocked.Increment(ref _count);
            }
        }

        runtime.ScheduleAt(Math.Max(next, now + 1));
        foreach (var (number, leasedFor, trace) in leaks)
        {
            events.ReportLeak(number, runtime.Clock.Span(leasedFor), trace);
        }
    }
}
