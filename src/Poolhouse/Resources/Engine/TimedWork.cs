namespace Poolhouse.Resources.Engine;

/// <summary>The periodic and timed work of a resource pool.</summary>
internal sealed class TimedWork<T>(ResourceRuntime<T> runtime)
    where T : notnull
{
    private Action<long>? _addedCheck;

    /// <summary>Adds a check to those that the timer runs; at most one, before the pool is used.</summary>
    /// <param name="check">Receives the time at every check, does what is due, and schedules the next check.</param>
    /// <param name="first">When the first check is due.</param>
    public void Add(Action<long> check, long first)
    {
        Volatile.Write(ref _addedCheck, check);
        runtime.ScheduleAt(first);
    }

    /// <summary>Does what is due, and schedules the next check.</summary>
    public long Run(long now)
    {
        runtime.Clock.Synchronize();

        var operators = runtime.Core.Operators;
        var abandoned = runtime.Deadlines.Abandon(now, out var next);
        try
        {
            next = Math.Min(next, operators.Expire(now));
            runtime.ScheduleAt(Math.Min(next, operators.Sweep(now)));

            // An observer may block before the search for leaks schedules the next one.
            runtime.ScheduleAt(PoolClock.Add(now, runtime.Settings.LeakThreshold));
            Volatile.Read(ref _addedCheck)?.Invoke(now);
            if (runtime.Budget is { } budget)
            {
                runtime.ScheduleAt(budget.Check(now, runtime.Settings.ReportInterval));
            }
        }
        finally
        {
            // Everything that was due is done, and the next check is scheduled. An observer that blocks delays only this thread
            // (I7). If memory was short for the rest, it is done later, but what was abandoned is ended and reported only here.
            runtime.Deadlines.EndAbandoned(abandoned);
        }

        if (!runtime.Shutdown.IsClosed)
        {
            runtime.Leaks.Search(runtime.Core.Readings.ListEntries, runtime.Settings.LeakThreshold, now);
        }

        return PoolClock.Never;
    }
}
