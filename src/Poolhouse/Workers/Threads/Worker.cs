using System.Runtime.CompilerServices;
using Poolhouse.Kernel;
using Poolhouse.Kernel.Threading;
using Poolhouse.Kernel.Time;
using Poolhouse.Workers.Items;
using Poolhouse.Workers.Queueing;

namespace Poolhouse.Workers.Threads;

/// <summary>A thread of a worker pool: takes items, runs what is meant for it alone, and parks when there is neither.</summary>
// Invariants
//   a parked worker is in the worker set's idle list; whoever takes it out of there signals it, exactly once
//   continuations belong to the asynchronous item that runs here, or ran here; commands run between items only
// Order of writes
//   it is in the idle list before it looks at the queue and at its own work a last time; others write their work before they
//   look for idle workers, and what is its own before they look whether it is idle (I5)
//   what is its own is run, or skipped, refused or passed on under the monitor when the thread ends, never left
//   what an item changed on the thread is undone before the next one: its context, its settings, an interrupt that is pending
//   (between two plain posts only the former two: looking for an interrupt costs more than a post)
// Locks: the monitor, a lock of its own around its own work, the signal and what runs under a limit; the worker set's gate may be taken
// under it, not the other way round. Nobody's code runs under it.
internal abstract partial class Worker(WorkerSet workerSet, int number) : IntrusiveNode<Worker>
{
    // Until it parks: long enough for the next item of a steady stream, short enough not to matter to others (10 to 20 µs).
    private const int Looks = 24;
    private const int SpinsPerLook = 20;

    [ThreadStatic]
    private static Worker? _current;

    private readonly WorkerMonitor _monitor = new();
    private readonly Queue<(SendOrPostCallback Callback, object? State)> _continuations = new();
    private readonly Queue<WorkerCommand> _commands = new();
    private volatile int _continuationCount;
    private volatile int _errandCount;
    private WorkerSignal _signal;
    private Action? _ring;
    private WorkerContext? _context;
    private bool _holds;
    private bool _hasEnded;
    private bool _searches;
    private bool _isOver;
    private TaskCompletionSource? _over;

    // For the worker's thread alone.
    private ExecutionContext? _clean;
    private ThreadSettings _settings;
    private LastWork _lastWork;
    private WorkReport? _lateReport;

    public static Worker? Current => _current;

    /// <summary>The context of a thread that nobody's flows to; null until the first worker has started.</summary>
    public static ExecutionContext? CleanContext { get; private set; }

    public WorkerSet Workers => workerSet;

    public int Number => number;

    public WorkerCounters Counters { get; } = new();

    public WorkerContext Context => _context ??= new WorkerContext(this);

    public long IdleSince { get; set; }

    /// <summary>Why its state is destroyed when it ends. Set by whoever takes it out of the worker set.</summary>
    public DestroyReason EndReason { get; set; } = DestroyReason.PoolDisposed;

    /// <summary>Whether its present item was given up: the worker ends with it.</summary>
    public bool IsReplaced { get; set; }

    /// <summary>Whether it counts towards the bound of the worker set. Under the worker set's gate.</summary>
    public bool HoldsCapacity { get; set; }

    public abstract bool HasState { get; }

    /// <summary>When its state is too old; only a parked worker has to be told.</summary>
    public abstract long StateEnd { get; }

    public bool HasOwnWork => _continuationCount + _errandCount > 0;

    /// <summary>Completes when its thread has ended and its place is free.</summary>
    public Task WhenEnded
    {
        get
        {
            TaskCompletionSource over;
            using (_monitor.Enter())
            {
                over = _over ??= new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
                if (_isOver)
                {
                    over.TrySetResult();
                }
            }

            return over.Task;
        }
    }

    /// <summary>Starts the thread. May throw: the system may have none left.</summary>
    public void Start(bool asSearcher)
    {
        _searches = asSearcher;
        var options = workerSet.Core.Options;
        var thread = new Thread(static worker => ((Worker)worker!).RunLoop(), options.MaxStackSize)
        {
            Name = $"{options.ThreadName ?? workerSet.Core.Name}-{number}",
            IsBackground = options.IsBackground,
            Priority = options.Priority,
        };
        if (OperatingSystem.IsWindows() && options.ApartmentState != ApartmentState.Unknown)
        {
            thread.SetApartmentState(options.ApartmentState);
        }

        options.StartThread(thread, this);
    }

    /// <summary>Its thread could not be started.</summary>
    public void Cancel(Exception failure)
    {
        List<WorkerCommand> skipped;
        using (_monitor.Enter())
        {
            _hasEnded = true;
            skipped = [.. _commands];
            _commands.Clear();
            _errandCount = 0;
        }

        skipped.ForEach(command => command.Skip(failure));
    }

    /// <summary>Its place is free.</summary>
    public void OnEnded()
    {
        TaskCompletionSource? over;
        using (_monitor.Enter())
        {
            _isOver = true;
            over = _over;
        }

        over?.TrySetResult();
    }

    /// <summary>Wakes a worker that the caller took out of the idle list.</summary>
    public void Signal(WorkerSignal signal)
    {
        using (_monitor.Enter())
        {
            _signal = signal;
            _monitor.Pulse();
        }
    }

    /// <summary>Makes the state if there is none; throws what the policy throws.</summary>
    public abstract void CreateState();

    /// <summary>Destroys a state that is broken, worn out, too old or cleared.</summary>
    public abstract void KeepUpState();

    protected abstract void Process(WorkItem item);

    protected abstract void Process(object work, object? argument);

    /// <summary>Destroys the state, if there is one.</summary>
    protected abstract void DestroyState(DestroyReason reason);

    private void RunLoop()
    {
        _current = this;
        _clean = ExecutionContext.Capture();
        _settings = ThreadSettings.OfCurrentThread();
        CleanContext ??= _clean;
        try
        {
            Work();
        }
        finally
        {
            EndThread();
        }
    }

    private void Work()
    {
        while (true)
        {
            if (HasOwnWork)
            {
                // That may take long, and others relied on this one: it searched, or its last item made the next one of its key
                // runnable.
                StopSearching();
                workerSet.CheckAgain();
                RunOwnWork();
                CleanUp();
            }

            if (TryRunNext())
            {
                CleanUp();
                if (IsReplaced || workerSet.TryLeaveAsSurplus(this))
                {
                    return;
                }

                continue;
            }

            _running = null;
            _searches = _searches || workerSet.TryStartSearching();

            // A pool that ends is not waited for: work of its own that never stops coming would keep the thread for ever.
            if (!(_searches && workerSet.IsOpen && FindsBySearching()) && !Park())
            {
                return;
            }
        }
    }

    // Not inlined: a frame that is still there while the worker rests would keep the last entry alive (I26).
    [MethodImpl(MethodImplOptions.NoInlining)]
    private bool TryRunNext()
    {
        var entry = workerSet.Queue.Take(out var lane);
        if (entry.IsNone)
        {
            return false;
        }

        StopSearching();
        if (lane.IsBounded && lane.AdmitAsRoomAllows())
        {
            workerSet.Notify();
        }

        if (entry.IsPost)
        {
            DiscardInterruptAfter(LastWork.Item);
            Process(entry.Work!, entry.Argument);
            _lastWork = LastWork.Post;
        }
        else if (IsLate(entry.Item!))
        {
            workerSet.Core.DropLate(entry.Item!, _lateReport ??= new WorkReport(workerSet.Core));
            return true;
        }
        else
        {
            DiscardInterruptAfter(LastWork.Post);
            Process(entry.Item!);
            _lastWork = LastWork.Item;
        }

        _lateReport = null;
        return true;
    }

    /// <summary>Whether the item has waited for too long: then it does not begin, although the timer has not come to it yet.</summary>
    private bool IsLate(WorkItem item) =>
        item.QueueLimit != PoolClock.Never && workerSet.Core.Clock.Now >= PoolClock.Add(item.PostedAt, item.QueueLimit);

    /// <summary>An interrupt that earlier work left pending is not for what comes next.</summary>
    private void DiscardInterruptAfter(LastWork work)
    {
        if (_lastWork >= work)
        {
            _lastWork = LastWork.None;
            CurrentThread.DiscardInterrupt();
        }
    }

    private bool FindsBySearching()
    {
        for (var look = 0; look < Looks; look++)
        {
            if (workerSet.Queue.HasRunnable || HasOwnWork)
            {
                return true;
            }

            Thread.SpinWait(SpinsPerLook);
        }

        return false;
    }

    /// <summary>Waits until there is something to do.</summary>
    /// <returns>False if the worker has left the worker set.</returns>
    private bool Park()
    {
        var rests = workerSet.TryPark(this);
        if (_searches)
        {
            _searches = false;
            workerSet.StopSearchingIdle();
        }

        if (!rests)
        {
            workerSet.CheckAgain();
            return false;
        }

        // Between "this one rests, and nobody searches" and the last look: whoever brings work has a fence between the two, too.
        Interlocked.MemoryBarrier();
        if (workerSet.Queue.HasRunnable || HasOwnWork)
        {
            // Those who brought work while this one searched woke nobody: if there is more than one item, it has to see to the
            // others.
            if (workerSet.TryUnpark(this))
            {
                _searches = workerSet.TryStartSearching();
                return true;
            }

            // All of them are, if it was made to leave while others still relied on it.
            workerSet.CheckAgain();
        }

        WorkerSignal signal;
        using (_monitor.Enter())
        {
            while (_signal == WorkerSignal.None)
            {
                // Discards an interrupt.
                _monitor.Wait();
                _lastWork = LastWork.None;
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
            workerSet.StopSearching();
        }
    }

    /// <summary>Nothing that one caller's work left on the thread reaches the next one's (I26).</summary>
    private void CleanUp()
    {
        ExecutionContext.Restore(_clean!);
        if (SynchronizationContext.Current is not null)
        {
            SynchronizationContext.SetSynchronizationContext(null);
        }

        _settings.Restore();
    }

    /// <summary>The last thing that the thread does.</summary>
    private void EndThread()
    {
        // Continuations may want the state; commands may not make a new one. Those that come later go to any worker: a loop that nobody
        // ends would keep the thread, and the state, for ever.
        RunContinuations();
        DestroyState(IsReplaced ? DestroyReason.Tainted : EndReason);
        List<WorkerCommand> skipped;
        List<(SendOrPostCallback Callback, object? State)> passedOn;
        using (_monitor.Enter())
        {
            _hasEnded = true;
            (skipped, passedOn) = ([.. _commands], [.. _continuations]);
            _commands.Clear();
            _continuations.Clear();
            (_errandCount, _continuationCount) = (0, 0);
        }

        skipped.ForEach(static command => command.Skip(failure: null));
        passedOn.ForEach(continuation => workerSet.Core.Context.Post(continuation.Callback, continuation.State));
        _current = null;
        workerSet.OnEnded(this);
    }

    /// <summary>What the thread ran last and may have left an interrupt; in the order of how soon it is looked for.</summary>
    private enum LastWork
    {
        None,
        Post,
        Item,
    }
}
