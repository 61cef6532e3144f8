using Poolhouse.Resources;

namespace Poolhouse.Workers;

/// <content>What is done by the clock, all of it by one alarm: deadlines, limits, idle time, workers that are missing.</content>
internal sealed partial class WorkerCore
{
    public void LookAt(long time)
    {
        if (time != PoolClock.Never)
        {
            _alarm.LookAt(time);
        }
    }

    private long Look(long now)
    {
        Clock.Synchronize();
        long next;
        while (_deadlines.TryTakeDue(now, out var due, out next))
        {
            if (due.Item.Lane is { } lane && lane.TryRemove(due.Item, due.Version))
            {
                Drop(due.Item, WorkDropReason.QueueTimeout);
            }
        }

        foreach (var worker in Crew.ToList())
        {
            next = Math.Min(next, worker.Watch(now));
        }

        next = Math.Min(next, Crew.Look(now));
        ReplaceMissing();
        return next;
    }

    /// <summary>Replaces those of the least workers that were given up or could not be started.</summary>
    private void ReplaceMissing()
    {
        while (Crew.HireMissing() is { } worker)
        {
            worker.TrySend(StateErrand.Make(new TaskCompletionSource()));
            Crew.TryStart(worker, asSearcher: false);
        }
    }
}
