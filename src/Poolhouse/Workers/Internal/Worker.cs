using Poolhouse.Resources;

namespace Poolhouse.Workers;

/// <summary>A thread of a worker pool: takes items, runs what is meant for it alone, and parks when there is neither.</summary>
// Invariants
//   a parked worker is in the crew's idle list; whoever takes it out of there signals it, exactly once
//   continuations belong to the asynchronous item that runs here, or ran here; errands run between items only
// Order of writes
//   it is in the idle list before it looks at the queue and at its own work a last time; others write their work before they look for
//   idle workers (I5)
// Locks: the bell, a lock of its own around its own work, the signal and what runs under a limit; the crew's gate may be taken under
// it, not the other way round. Nobody's code runs under it.
internal abstract class Worker(WorkerCrew crew, int number)
{
    // Until it parks: long enough for the next item of a steady stream, short enough not to matter to others (10 to 20 µs).
    private const int Looks = 24;
    private const int SpinsPerLook = 20;

    [ThreadStatic]
    private static Worker? _current;

    private readonly object _bell = new();
    private readonly Queue<(SendOrPostCallback Callback, object? State)> _continuations = new();
    private readonly Queue<WorkerErrand> _errands = new();
    private volatile int _continuationCount;
    private volatile int _errandCount;
    private WorkerSignal _signal;
    private Action? _ring;
    private WorkerContext? _context;
    private bool _holds;
    private bool _hasEnded;
    private bool _searches;
    private volatile WorkItem? _running;
    private long _runningSince;
    private long _runDeadline = PoolClock.Never;
    private bool _isWatched;
    private bool _isReported;
    private bool _isGivenUp;

    public static Worker? Current => _current;

    public WorkerCrew Crew => crew;

    public int Number => number;

    public WorkerCounters Counters { get; } = new();

    public WorkerContext Context => _context ??= new WorkerContext(this);

    /// <summary>In the idle list. Under the crew's gate.</summary>
    public bool IsIdle { get; set; }

    public Worker? IdleAbove { get; set; }

    public Worker? IdleBelow { get; set; }

    public long IdleSince { get; set; }

    /// <summary>Why its state is destroyed when it ends. Set by whoever takes it out of the crew.</summary>
    public DestroyReason EndReason { get; set; } = DestroyReason.PoolDisposed;

    /// <summary>Whether its present item was given up: the worker ends with it.</summary>
    public bool IsReplaced { get; set; }

    public abstract bool HasState { get; }

    /// <summary>When its state is too old; only a parked worker has to be told.</summary>
    public abstract long StateEnd { get; }

    public bool HasOwnWork => _continuationCount + _errandCount > 0;

    public bool IsRunning => _running is not null;

    /// <summary>The number of the run, which begins with each item.</summary>
    public long RunNumber { get; private set; }

    /// <summary>Starts the thread. May throw: the system may have none left.</summary>
    public void Start(bool asSearcher)
    {
        _searches = asSearcher;
        var options = crew.Core.Options;
        var thread = new Thread(static worker => ((Worker)worker!).Live(), options.MaxStackSize)
        {
            Name = $"{options.ThreadName ?? crew.Core.Name}-{number}",
            IsBackground = options.IsBackground,
            Priority = options.Priority,
        };
        if (OperatingSystem.IsWindows() && options.ApartmentState != ApartmentState.Unknown)
        {
            thread.SetApartmentState(options.ApartmentState);
        }

        thread.UnsafeStart(this);
    }

    /// <summary>Wakes a worker that the caller took out of the idle list.</summary>
    public void Signal(WorkerSignal signal)
    {
        lock (_bell)
        {
            _signal = signal;
            Monitor.Pulse(_bell);
        }
    }

    /// <summary>Has something run on this thread: during an asynchronous item, else between two items.</summary>
    /// <returns>False if the thread has ended.</returns>
    public bool TryPost(SendOrPostCallback callback, object? state)
    {
        lock (_bell)
        {
            if (_hasEnded)
            {
                return false;
            }

            _continuations.Enqueue((callback, state));
            _continuationCount++;
            if (_holds)
            {
                Monitor.Pulse(_bell);
                return true;
            }
        }

        crew.Nudge(this);
        return true;
    }

    /// <summary>Sends the worker on an errand.</summary>
    /// <returns>False if the thread has ended.</returns>
    public bool TrySend(WorkerErrand errand)
    {
        lock (_bell)
        {
            if (_hasEnded)
            {
                return false;
            }

            _errands.Enqueue(errand);
            _errandCount++;
        }

        crew.Nudge(this);
        return true;
    }

    /// <summary>Keeps the worker for an asynchronous item: runs its continuations, and nothing else, until the task has ended.</summary>
    public void Hold(Task task)
    {
        task.ConfigureAwait(false).GetAwaiter().UnsafeOnCompleted(_ring ??= Ring);
        while (!task.IsCompleted)
        {
            if (!TryRunContinuation())
            {
                lock (_bell)
                {
                    _holds = true;
                    while (_continuationCount == 0 && !task.IsCompleted)
                    {
                        Monitor.Wait(_bell);
                    }

                    _holds = false;
                }
            }
        }
    }

    /// <summary>Looks whether the item that runs does so for too long.</summary>
    /// <returns>When to look again.</returns>
    public long Watch(long now)
    {
        if (TryGiveUp(now, out var abandoned) is { } item)
        {
            crew.Core.OnGivenUp(item, abandoned);
            return PoolClock.Never;
        }

        if (TryReportStuck(now, out var next) is { } stuck)
        {
            crew.Core.OnStuck(stuck with { AwaitsOwnPool = crew.Core.IsAwaitedBy(this) });
        }

        return next;
    }

    /// <summary>What runs now, for reports. It may have ended by then.</summary>
    public WorkAbandoned? Report(long now)
    {
        var run = RunNumber;
        return _running is { } item && item.Describe() is var label && RunNumber == run && IsRunning
            ? new WorkAbandoned(crew.Core.Face, number, label, crew.Core.Clock.Span(Math.Max(0, now - Volatile.Read(ref _runningSince))))
            : null;
    }

    /// <summary>Makes the state if there is none; throws what the policy throws.</summary>
    public abstract void MakeState();

    /// <summary>Destroys a state that is broken, worn out, too old or cleared.</summary>
    public abstract void KeepUpState();

    protected abstract void Process(WorkItem item);

    /// <summary>Destroys the state, if there is one.</summary>
    protected abstract void DestroyState(DestroyReason reason);

    protected void Begin(WorkItem item, long now)
    {
        RunNumber++;
        Counters.Begun++;
        if (item.RunLimit == PoolClock.Never && crew.Core.StuckTicks == PoolClock.Never)
        {
            Volatile.Write(ref _runningSince, now);
            _running = item;
            return;
        }

        // Limits begin with the exact time.
        now = crew.Core.Clock.Now;
        lock (_bell)
        {
            Volatile.Write(ref _runningSince, now);
            _running = item;
            _runDeadline = PoolClock.Add(now, item.RunLimit);
            _isWatched = true;
            _isReported = false;
        }

        crew.Core.LookAt(Math.Min(_runDeadline, PoolClock.Add(now, crew.Core.StuckTicks)));
    }

    /// <summary>The item has run.</summary>
    /// <returns>False if it was given up before: it belongs to somebody else, and so does its place.</returns>
    protected bool TryEnd()
    {
        var kept = true;
        if (_isWatched || _isGivenUp)
        {
            lock (_bell)
            {
                kept = !_isGivenUp;
                _isGivenUp = false;
                _isWatched = false;
            }
        }

        _running = null;
        Counters.Ended++;
        return kept;
    }

    /// <summary>Runs what came by the worker's context. What it throws is the observer's.</summary>
    private bool TryRunContinuation()
    {
        (SendOrPostCallback Callback, object? State) next;
        lock (_bell)
        {
            if (!_continuations.TryDequeue(out next))
            {
                return false;
            }

            _continuationCount--;
        }

        var previous = SynchronizationContext.Current;
        SynchronizationContext.SetSynchronizationContext(Context);
        try
        {
            next.Callback(next.State);
        }
#pragma warning disable CA1031 // Nobody waits for it who could be told.
        catch (Exception failure)
        {
            Counters.Failed++;
            crew.Core.OnFailed(next.Callback.Method.Name, failure);
        }
#pragma warning restore CA1031
        finally
        {
            SynchronizationContext.SetSynchronizationContext(previous);
        }

        return true;
    }

    private void RunOwnWork()
    {
        while (HasOwnWork)
        {
            if (TryRunContinuation())
            {
                continue;
            }

            WorkerErrand? errand;
            lock (_bell)
            {
                if (!_errands.TryDequeue(out errand))
                {
                    return;
                }

                _errandCount--;
            }

            errand.Run(this);
        }
    }

    /// <summary>Takes the item away from the worker if its time is up: whoever calls ends it.</summary>
    private WorkItem? TryGiveUp(long now, out WorkAbandoned abandoned)
    {
        abandoned = default;
        lock (_bell)
        {
            if (!_isWatched || now < _runDeadline || _running is not { } item)
            {
                return null;
            }

            abandoned = new WorkAbandoned(crew.Core.Face, number, item.Describe(), crew.Core.Clock.Span(now - _runningSince));
            _isGivenUp = true;
            _isWatched = false;
            IsReplaced = crew.TryReplace(this);
            return item;
        }
    }

    private WorkStuck? TryReportStuck(long now, out long next)
    {
        var core = crew.Core;
        next = PoolClock.Never;
        lock (_bell)
        {
            if (!_isWatched || _running is not { } item)
            {
                return null;
            }

            next = _runDeadline;
            if (_isReported || core.StuckTicks == PoolClock.Never)
            {
                return null;
            }

            var ranFor = now - _runningSince;
            if (ranFor < core.StuckTicks)
            {
                next = Math.Min(next, _runningSince + core.StuckTicks);
                return null;
            }

            _isReported = true;
            return new WorkStuck(core.Face, number, item.Describe(), core.Clock.Span(ranFor), AwaitsOwnPool: false);
        }
    }

    private void Ring()
    {
        lock (_bell)
        {
            Monitor.Pulse(_bell);
        }
    }

    private void Live()
    {
        _current = this;
        try
        {
            Work();
        }
        finally
        {
            End();
        }
    }

    private void Work()
    {
        var clean = ExecutionContext.Capture();
        while (true)
        {
            if (HasOwnWork)
            {
                RunOwnWork();
                ExecutionContext.Restore(clean!);
            }

            if (crew.Queue.TryTake() is { } item)
            {
                if (_searches)
                {
                    _searches = false;
                    crew.StopSearching();
                }

                if (item.Lane!.IsBounded && item.Lane.AdmitAsRoomAllows())
                {
                    crew.Notify();
                }

                Process(item);

                // Nothing that one caller's item left on the thread reaches the next one (I26).
                ExecutionContext.Restore(clean!);
                if (IsReplaced || crew.TryLeaveAsSurplus(this))
                {
                    return;
                }

                continue;
            }

            _searches = _searches || crew.TryStartSearching();
            if (!(_searches && FindsByLooking()) && !Park())
            {
                return;
            }
        }
    }

    private bool FindsByLooking()
    {
        for (var look = 0; look < Looks; look++)
        {
            if (crew.Queue.HasRunnable || HasOwnWork)
            {
                return true;
            }

            Thread.SpinWait(SpinsPerLook);
        }

        return false;
    }

    /// <summary>Waits until there is something to do.</summary>
    /// <returns>False if the worker has left the crew.</returns>
    private bool Park()
    {
        if (!crew.TryRest(this))
        {
            StopSearching();
            return false;
        }

        StopSearching();
        Interlocked.MemoryBarrier();
        if ((crew.Queue.HasRunnable || HasOwnWork || !crew.IsOpen) && crew.TryGetUp(this))
        {
            return true;
        }

        WorkerSignal signal;
        lock (_bell)
        {
            while (_signal == WorkerSignal.None)
            {
                Monitor.Wait(_bell);
            }

            signal = _signal;
            _signal = WorkerSignal.None;
        }

        _searches = signal == WorkerSignal.Search;
        return signal != WorkerSignal.End;
    }

    private void StopSearching()
    {
        if (_searches)
        {
            _searches = false;
            crew.StopSearchingIdle();
        }
    }

    /// <summary>The last thing that the thread does.</summary>
    private void End()
    {
        // Continuations may want the state; errands may not make a new one.
        while (TryRunContinuation())
        {
        }

        DestroyState(IsReplaced ? DestroyReason.Tainted : EndReason);
        var skipped = new List<WorkerErrand>();
        var ended = false;
        while (!ended)
        {
            while (TryRunContinuation())
            {
            }

            lock (_bell)
            {
                skipped.AddRange(_errands);
                _errands.Clear();
                _errandCount = 0;
                ended = _hasEnded = _continuationCount == 0;
            }
        }

        skipped.ForEach(static errand => errand.Skip());
        DestroyState(EndReason);
        _current = null;
        crew.OnEnded(this);
    }
}
