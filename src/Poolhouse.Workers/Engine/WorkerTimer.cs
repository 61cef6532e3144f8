using Poolhouse.Kernel.Time;
using Poolhouse.Workers.Items;
using Poolhouse.Workers.Queueing;
using Poolhouse.Workers.Threads;

namespace Poolhouse.Workers.Engine;

/// <summary>Runs the timed actions of a worker pool, with one timer: deadlines, limits, idle time, missing workers.</summary>
// Invariants
//   a deadline is added to a list that the checks read before the timer is set for it, so no check misses it
//   the timer is set before the observer is called: an observer that blocks must not delay all other deadlines of the pool (I7)
// Locks: none. Two checks may overlap; what each of them ends is taken by one of them only.
internal sealed class WorkerTimer : IDisposable
{
    // How many items may be dropped on timeout before the running ones are checked again.
    private const int Burst = 256;

    private readonly WorkerCore _core;
    private readonly DeadlineQueue _deadlines = new();
    private readonly DeadlineTimer _timer;

    public WorkerTimer(WorkerCore core, TimeProvider time)
    {
        _core = core;
        _timer = new DeadlineTimer(time, core.Clock, Check, core.Workers.LacksThread);
    }

    /// <summary>Drops an item if it has not started by the deadline.</summary>
    public void Watch(WorkItem item, long version, long deadline)
    {
        _deadlines.Add(item, version, deadline);
        ScheduleAt(deadline);
    }

    public void ScheduleAt(long time)
    {
        if (time != PoolClock.Never)
        {
            _timer.ScheduleAt(time);
        }
    }

    /// <summary>
    /// Starts workers up to the minimum number, in place of those that were abandoned, trimmed, or could not be started.
    /// </summary>
    public void ReplaceMissing()
    {
        while (_core.Workers.AddMissing() is { } worker)
        {
            worker.TrySend(StateCommand.Create(new TaskCompletionSource<bool>()));
            _core.Workers.TryStart(worker, asSearcher: false);
        }
    }

    public void Dispose() => _timer.Dispose();

    private long Check(long now)
    {
        _core.Events.RunDeferred(() =>
        {
            ScheduleAt(CheckAll(now));
            ReplaceMissing();
        });
        return PoolClock.Never;
    }

    private long CheckAll(long now)
    {
        _core.Clock.Synchronize();
        var next = CheckRuns(now);
        next = Math.Min(next, DropTimedOut(now));
        return Math.Min(next, _core.Workers.Termination.Check(now));
    }

    private long CheckRuns(long now)
    {
        var next = PoolClock.Never;
        foreach (var worker in _core.Workers.ToList())
        {
            next = Math.Min(next, worker.Watch.Check(worker, now));
        }

        return next;
    }

    /// <summary>
    /// Ends the items that have timed out. Running items are checked in between, so that a burst delays no other limit.
    /// </summary>
    /// <returns>The time of the next check.</returns>
    private long DropTimedOut(long now)
    {
        var report = new ErrorFigures(_core);
        var left = Burst;
        long next;
        while (_deadlines.TryTakeDue(now, out var due, out next))
        {
            if (due.Item.Lane is not { } lane || !lane.TryRemove(due.Item, due.Version))
            {
                continue;
            }

            _core.Drops.DropLate(due.Item, report);
            if (--left == 0)
            {
                (left, report) = (Burst, new ErrorFigures(_core));
                ScheduleAt(CheckRuns(_core.Clock.Now));
            }
        }

        return next;
    }
}
