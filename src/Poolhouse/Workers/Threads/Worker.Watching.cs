using Poolhouse.Kernel.Time;
using Poolhouse.Workers.Items;

namespace Poolhouse.Workers.Threads;

/// <content>Tracks what the worker runs and for how long, and abandons it when it exceeds its limit.</content>
// Only items with a limit are watched: they are started, ended or abandoned under the monitor, so that only one of the latter two
// takes effect.
internal abstract partial class Worker
{
    private volatile object? _running;
    private long _runningSince;
    private (long Run, long Time) _seen;
    private long _runDeadline = PoolClock.Never;

    // Used by the worker's thread only: whether the current item is watched.
    private bool _isUnderWatch;
    private bool _isWatched;
    private bool _isReported;
    private bool _isGivenUp;

    // Guarded by the monitor: whether the item waits for its state to be created.
    private bool _isCreating;

    public bool IsRunning => _running is not null;

    /// <summary>The number of the run, which is incremented with each item.</summary>
    public long RunNumber { get; private set; }

    /// <summary>Checks whether the current item exceeds a limit.</summary>
    /// <returns>The time of the next check.</returns>
    public long Watch(long now)
    {
        if (TryGiveUp(now, out var abandoned) is { } item)
        {
            workerSet.Core.OnGivenUp(item, abandoned);
            return PoolClock.Never;
        }

        if (TryReportStuck(now, out var next) is { } stuck)
        {
            workerSet.Core.OnStuck(stuck with { AwaitsOwnPool = workerSet.Core.IsAwaitedBy(this) });
        }

        return next;
    }

    /// <summary>Describes the current item, for reports. It may have ended by then.</summary>
    public WorkAbandonedArgs? Report(long now)
    {
        var (run, running) = (RunNumber, _running);
        if (Describe(running) is not { } label)
        {
            return null;
        }

        var since = running is WorkItem ? Volatile.Read(ref _runningSince) : SeenSince(run, now);
        return RunNumber == run && IsRunning
            ? new WorkAbandonedArgs(workerSet.Core.Face, number, label, workerSet.Core.Clock.Span(Math.Max(0, now - since)))
            : null;
    }

    /// <summary>
    /// Starts a plain post, which is not watched. It counts as running until another item starts or the worker becomes idle.
    /// </summary>
    protected void Begin(object work)
    {
        RunNumber++;
        _running = work;
    }

    /// <summary>Starts an item, or the creation of the state that it needs.</summary>
    protected void Begin(WorkItem item, long now, bool creates)
    {
        RunNumber++;
        if (item.RunLimit == PoolClock.Never && workerSet.Core.Settings.StuckTicks == PoolClock.Never)
        {
            Volatile.Write(ref _runningSince, now);
            _running = item;
            return;
        }

        // The limits of the item start at the exact time.
        _isUnderWatch = true;
        now = workerSet.Core.Clock.Now;
        using (_monitor.Enter())
        {
            Volatile.Write(ref _runningSince, now);
            _running = item;
            _isCreating = creates;
            _runDeadline = PoolClock.Add(now, item.RunLimit);
            _isWatched = true;
            _isReported = false;
        }

        workerSet.Core.ScheduleAt(Math.Min(_runDeadline, PoolClock.Add(now, workerSet.Core.Settings.StuckTicks)));
    }

    /// <summary>Starts the run time of the item after its state was created.</summary>
    /// <returns>False if the item was abandoned before.</returns>
    protected bool TryBeginRunning(WorkItem item)
    {
        var now = workerSet.Core.Clock.Now;
        if (!_isUnderWatch)
        {
            Volatile.Write(ref _runningSince, now);
            return true;
        }

        long deadline;
        using (_monitor.Enter())
        {
            if (_isGivenUp)
            {
                return false;
            }

            Volatile.Write(ref _runningSince, now);
            _isCreating = false;
            _isReported = false;
            deadline = _runDeadline = PoolClock.Add(now, item.RunLimit);
        }

        workerSet.Core.ScheduleAt(Math.Min(deadline, PoolClock.Add(now, workerSet.Core.Settings.StuckTicks)));
        return true;
    }

    /// <summary>Ends the current item.</summary>
    /// <returns>False if the item was abandoned before: it then has another owner, and so does its slot.</returns>
    protected bool TryEnd()
    {
        var kept = true;
        if (_isUnderWatch)
        {
            _isUnderWatch = false;
            using (_monitor.Enter())
            {
                kept = !_isGivenUp;
                _isGivenUp = false;
                _isWatched = false;
            }
        }

        _running = null;
        return kept;
    }

    /// <summary>
    /// The clock is not read when a plain post starts; the post has been running at least since it was first checked.
    /// </summary>
    private long SeenSince(long run, long now)
    {
        using (_monitor.Enter())
        {
            if (_seen.Run != run)
            {
                _seen = (run, now);
            }

            return _seen.Time;
        }
    }

    private static string? Describe(object? running) => running switch
    {
        WorkItem item => item.Describe(),
        Delegate work => WorkItem.NameOf(work),
        _ => null,
    };

    /// <summary>Takes the item from the worker if its time is up; the caller then ends it.</summary>
    private WorkItem? TryGiveUp(long now, out WorkAbandonedArgs abandoned)
    {
        abandoned = default;
        using (_monitor.Enter())
        {
            if (!_isWatched || now < _runDeadline || _running is not WorkItem item)
            {
                return null;
            }

            abandoned = new WorkAbandonedArgs(workerSet.Core.Face, number, item.Describe(), workerSet.Core.Clock.Span(now - _runningSince))
            {
                Phase = _isCreating ? WorkPhase.Create : WorkPhase.Run,
            };
            _isGivenUp = true;
            _isWatched = false;
            IsReplaced = workerSet.TryReplace(this);
            return item;
        }
    }

    private WorkStuckArgs? TryReportStuck(long now, out long next)
    {
        var core = workerSet.Core;
        next = PoolClock.Never;
        using (_monitor.Enter())
        {
            if (!_isWatched || _running is not WorkItem item)
            {
                return null;
            }

            next = _runDeadline;
            if (_isReported || core.Settings.StuckTicks == PoolClock.Never)
            {
                return null;
            }

            var ranFor = now - _runningSince;
            if (ranFor < core.Settings.StuckTicks)
            {
                next = Math.Min(next, _runningSince + core.Settings.StuckTicks);
                return null;
            }

            _isReported = true;
            return new WorkStuckArgs(core.Face, number, item.Describe(), core.Clock.Span(ranFor), AwaitsOwnPool: false);
        }
    }
}
