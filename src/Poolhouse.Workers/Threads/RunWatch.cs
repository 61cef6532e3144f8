using Poolhouse.Kernel.Time;
using Poolhouse.Workers.Items;

namespace Poolhouse.Workers.Threads;

/// <summary>What a worker runs, since when, and whether it has exceeded its limits.</summary>
// A struct inside its worker, so that the start of an item reads no further object.
// Invariants
//   only items with a limit are watched: they are started, ended and abandoned under the monitor, so that only one of the latter
//   two takes effect
//   _hasLimits and RunNumber are written by the worker's thread only
// Locks: the worker's monitor; the worker set's gate may be taken under it.
internal struct RunWatch(WorkerSet workers, WorkerMonitor monitor, int number)
{
    private readonly WorkerSet _workers = workers;
    private readonly WorkerMonitor _monitor = monitor;
    private readonly int _number = number;
    private volatile WorkItem? _running;
    private long _runningSince;
    private long _deadline = PoolClock.Never;

    // Used by the worker's thread only: whether the current item has limits.
    private bool _hasLimits;

    // Guarded by the monitor. The last one: whether the item waits for its state to be created.
    private bool _isWatched;
    private bool _isReported;
    private volatile bool _isAbandoned;
    private bool _isCreating;

    /// <summary>Whether the worker runs an item; creating a state ahead of demand does not count.</summary>
    public readonly bool IsRunning => _running is not (null or StateCreation);

    /// <summary>
    /// Whether the current item has been abandoned so far; <see cref="TryEnd"/> decides. For the worker's thread.
    /// </summary>
    public readonly bool IsAbandoned => _hasLimits && _isAbandoned;

    /// <summary>The number of the run, which is incremented with each item.</summary>
    public long RunNumber { get; private set; }

    /// <summary>Starts an item, or the creation of the state that it needs.</summary>
    public void Begin(WorkItem item, long now, bool creates)
    {
        var core = _workers.Core;
        RunNumber++;
        if (item.RunLimit == PoolClock.Never && core.Settings.StuckTicks == PoolClock.Never)
        {
            Volatile.Write(ref _runningSince, now);
            _running = item;
            return;
        }

        // The limits of the item start at the exact time.
        _hasLimits = true;
        now = core.Clock.Now;
        using (_monitor.Enter())
        {
            Volatile.Write(ref _runningSince, now);
            _running = item;
            _isCreating = creates;
            _deadline = PoolClock.Add(now, item.RunLimit);
            _isWatched = true;
            _isReported = false;
        }

        core.Timer.ScheduleAt(Math.Min(_deadline, PoolClock.Add(now, core.Settings.StuckTicks)));
    }

    /// <summary>Starts the run time of the item after its state was created.</summary>
    /// <returns>False if the item was abandoned before.</returns>
    public bool TryBeginRunning(WorkItem item)
    {
        var core = _workers.Core;
        var now = core.Clock.Now;
        if (!_hasLimits)
        {
            Volatile.Write(ref _runningSince, now);
            return true;
        }

        long deadline;
        using (_monitor.Enter())
        {
            if (_isAbandoned)
            {
                return false;
            }

            Volatile.Write(ref _runningSince, now);
            _isCreating = false;
            deadline = _deadline = PoolClock.Add(now, item.RunLimit);
        }

        core.Timer.ScheduleAt(Math.Min(deadline, PoolClock.Add(now, core.Settings.StuckTicks)));
        return true;
    }

    /// <summary>Ends the current item.</summary>
    /// <returns>False if the item was abandoned before: another thread has ended it then.</returns>
    public bool TryEnd()
    {
        var kept = true;
        if (_hasLimits)
        {
            _hasLimits = false;
            using (_monitor.Enter())
            {
                kept = !_isAbandoned;
                _isAbandoned = false;
                _isWatched = false;
            }
        }

        _running = null;
        return kept;
    }

    /// <summary>
    /// Checks whether the current item of the worker exceeds a limit, or did so and the worker can be replaced by now.
    /// </summary>
    /// <returns>The time of the next check.</returns>
    public long Check(Worker worker, long now)
    {
        if (TryAbandon(worker, now, out var abandoned) is { } item)
        {
            _workers.Core.Drops.OnAbandoned(item, abandoned);
            if (worker.IsReplaced)
            {
                worker.SkipCommands();
            }

            return PoolClock.Never;
        }

        if (TryReplaceLate(worker))
        {
            worker.SkipCommands();
            _workers.CheckAgain();
            _workers.Termination.FinishIfEnded();
            return PoolClock.Never;
        }

        if (TryReportStuck(now, out var next) is { } stuck)
        {
            _workers.Core.Events.ReportStuck(stuck with { AwaitsOwnPool = _workers.Core.IsAwaitedBy(worker) });
        }

        return next;
    }

    /// <summary>Describes the current item, for reports. It may have ended by then.</summary>
    public readonly WorkAbandonedArgs? Report(long now)
    {
        var run = RunNumber;
        if (_running?.Describe() is not { } label)
        {
            return null;
        }

        var ranFor = _workers.Core.Clock.Span(Math.Max(0, now - Volatile.Read(in _runningSince)));
        return RunNumber == run && _running is not null
            ? new WorkAbandonedArgs(_workers.Core.ReportedAs, _number, label, ranFor)
            : null;
    }

    /// <summary>Takes the item from the worker if its run limit has passed; the caller then ends it.</summary>
    private WorkItem? TryAbandon(Worker worker, long now, out WorkAbandonedArgs abandoned)
    {
        abandoned = default;
        using (_monitor.Enter())
        {
            if (!_isWatched || now < _deadline || _running is not { } item)
            {
                return null;
            }

            abandoned =
                new WorkAbandonedArgs(
                    _workers.Core.ReportedAs, _number, item.Describe(), _workers.Core.Clock.Span(now - _runningSince))
                {
                    Phase = _isCreating ? WorkPhase.Create : WorkPhase.Run,
                };
            _isAbandoned = true;
            _isWatched = false;
            worker.IsReplaced = _workers.TryReplace(worker);
            return item;
        }
    }

    /// <summary>
    /// Replaces a worker that is still in its abandoned item and kept its slot, because there were too many such workers.
    /// </summary>
    private readonly bool TryReplaceLate(Worker worker)
    {
        using (_monitor.Enter())
        {
            return _isAbandoned && !worker.IsReplaced && (worker.IsReplaced = _workers.TryReplace(worker));
        }
    }

    private WorkStuckArgs? TryReportStuck(long now, out long next)
    {
        var core = _workers.Core;
        next = PoolClock.Never;
        using (_monitor.Enter())
        {
            if (!_isWatched || _running is not { } item)
            {
                return null;
            }

            next = _deadline;
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
            return new WorkStuckArgs(core.ReportedAs, _number, item.Describe(), core.Clock.Span(ranFor), AwaitsOwnPool: false);
        }
    }
}
