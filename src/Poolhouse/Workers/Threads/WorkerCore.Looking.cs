using Poolhouse.Kernel.Time;
using Poolhouse.Workers.Items;

namespace Poolhouse.Workers.Threads;

/// <content>Timed actions, all of them driven by one timer: deadlines, limits, idle time, missing workers.</content>
internal sealed partial class WorkerCore
{
    // How many items may be dropped on timeout before the running ones are checked again.
    private const int Burst = 256;

    // The observer calls collected by the check in progress on this thread; null if there is none.
    [ThreadStatic]
    private static List<Action<WorkerPoolObserver>>? _later;

    public void ScheduleAt(long time)
    {
        if (time != PoolClock.Never)
        {
            _alarm.ScheduleAt(time);
        }
    }

    /// <summary>Replaces those of the minimum number of workers that were abandoned, trimmed, or could not be started.</summary>
    public void ReplaceMissing()
    {
        while (Workers.AddMissing() is { } worker)
        {
            worker.TrySend(StateCommand.Create(new TaskCompletionSource()));
            Workers.TryStart(worker, asSearcher: false);
        }
    }

    // The timer is set before the observer is called: an observer that blocks must not delay all other deadlines of the pool
    // (I7).
    private long Check(long now)
    {
        var later = _later = Options.Observer is null ? null : [];
        try
        {
            ScheduleAt(CheckAll(now));
            ReplaceMissing();
        }
        finally
        {
            _later = null;
        }

        later?.ForEach(Tell);
        return PoolClock.Never;
    }

    private long CheckAll(long now)
    {
        Clock.Synchronize();
        var next = Watch(now);
        next = Math.Min(next, DropThoseOutOfTime(now));
        return Math.Min(next, Workers.Check(now));
    }

    private long Watch(long now)
    {
        var next = PoolClock.Never;
        foreach (var worker in Workers.ToList())
        {
            next = Math.Min(next, worker.Watch(now));
        }

        return next;
    }

    /// <summary>
    /// Ends the items that have timed out. Running items are checked in between, so that a burst delays no other limit.
    /// </summary>
    /// <returns>The time of the next check.</returns>
    private long DropThoseOutOfTime(long now)
    {
        var report = new WorkReport(this);
        var left = Burst;
        long next;
        while (_deadlines.TryTakeDue(now, out var due, out next))
        {
            if (due.Item.Lane is not { } lane || !lane.TryRemove(due.Item, due.Version))
            {
                continue;
            }

            Drop(due.Item, WorkDropReason.QueueTimeout, report);
            if (--left == 0)
            {
                (left, report) = (Burst, new WorkReport(this));
                ScheduleAt(Watch(Clock.Now));
            }
        }

        return next;
    }
}
