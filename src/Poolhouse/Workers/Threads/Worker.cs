using System.Runtime.CompilerServices;
using Poolhouse.Kernel;
using Poolhouse.Kernel.Threading;
using Poolhouse.Kernel.Time;
using Poolhouse.Workers.Items;
using Poolhouse.Workers.Queueing;

namespace Poolhouse.Workers.Threads;

/// <summary>A thread of a worker pool: takes items, runs work that is bound to it, and parks when there is neither.</summary>
// Invariants
//   a parked worker is in the worker set's idle list; the thread that takes it out of the list signals it, exactly once
//   continuations belong to the asynchronous item that runs here, or ran here; commands run between items only
// Order of writes
//   the worker is in the idle list before it checks the queue and its own work a last time; other threads write their work before
//   they check for idle workers, and work bound to this worker before they check whether it is idle (I5)
//   work bound to this worker is run, or is skipped, rejected or passed on under the monitor when the thread ends; it is never lost
//   any change that an item made to the thread is undone before the next one: its context, its settings, a pending interrupt
//   (between two plain posts only the former two: checking for an interrupt costs more than a post)
// Locks: the monitor, a lock of its own around its own work, the signal and the item that runs under a limit; the worker set's gate may
// be taken under it, but not vice versa. No user code runs under it.
internal abstract partial class Worker(WorkerSet workerSet, int number) : IntrusiveNode<Worker>
{
    // How often the worker checks the queue before it parks: long enough for the next item of a steady stream, short enough not
    // to affect other threads (10 to 20 µs).
    private const int Looks = 24;
    private const int SpinsPerLook = 20;

    [ThreadStatic]
    private static Worker? _current;

    private readonly WorkerMonitor _monitor = new();
    private readonly Queue<(SendOrPostCallback Callback, object? State)> _continuations = new();
    private readonly Queue<WorkerCommand> _commands = new();
    private volatile int _continuationCount;
    private volatile int _commandCount;
    private WorkerSignal _signal;
    private Action? _ring;
    private WorkerContext? _context;
    private bool _holds;
    private bool _hasEnded;
    private bool _searches;
    private bool _isOver;
    private TaskCompletionSource? _over;

    // Used by the worker's thread only.
    private ExecutionContext? _clean;
    private ThreadSettings _settings;
    private LastWork _lastWork;
    private WorkReport? _lateReport;

    public static Worker? Current => _current;

    /// <summary>The context of a thread to which no caller's context flows; null until the first worker has started.</summary>
    public static ExecutionContext? CleanContext { get; private set; }

    public WorkerSet Workers => workerSet;

    public int Number => number;

    public WorkerCounters Counters { get; } = new();

    public WorkerContext Context => _context ??= new WorkerContext(this);

    public long IdleSince { get; set; }

    /// <summary>
    /// Why the state is destroyed when the worker ends. Set by the thread that removes the worker from the worker set.
    /// </summary>
    public WorkerDestroyReason EndReason { get; set; } = WorkerDestroyReason.PoolDisposed;

    /// <summary>Whether the current item was abandoned: the worker ends with it.</summary>
    public bool IsReplaced { get; set; }

    /// <summary>Whether the worker counts towards the limit of the worker set. Guarded by the worker set's gate.</summary>
    public bool HoldsCapacity { get; set; }

    public abstract bool HasState { get; }

    /// <summary>When the state expires; only a parked worker has to be notified.</summary>
    public abstract long StateEnd { get; }

    public bool HasOwnWork => _continuationCount + _commandCount > 0;

    /// <summary>Completes when the thread has ended and its slot is released.</summary>
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

    /// <summary>Starts the thread. Throws if the system cannot create one.</summary>
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

    /// <summary>Called when the thread could not be started.</summary>
    public void Cancel(Exception failure)
    {
        List<WorkerCommand> skipped;
        using (_monitor.Enter())
        {
            _hasEnded = true;
            skipped = [.. _commands];
            _commands.Clear();
            _commandCount = 0;
        }

        skipped.ForEach(command => command.Skip(failure));
    }

    /// <summary>Called when the slot of the worker is released.</summary>
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

    /// <summary>Creates the state if there is none; exceptions of the policy propagate.</summary>
    public abstract void CreateState();

    /// <summary>Destroys a state that is broken, worn out, too old or cleared.</summary>
    public abstract void KeepUpState();

    /// <summary>Lets a state end no later than at the given time if its creation began before another.</summary>
    public abstract void EndStateAt(long end, long createdBefore);

    protected abstract void Process(WorkItem item);

    protected abstract void Process(object work, object? argument);

    /// <summary>Destroys the state, if there is one.</summary>
    protected abstract void DestroyState(WorkerDestroyReason reason);

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
                // This may take long, and others relied on this worker: it was the searcher, or its last item made the next one
                // of its key runnable.
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

            // A pool that is closing does not wait for the worker: an endless supply of work bound to it would otherwise keep the
            // thread alive.
            if (!(_searches && workerSet.IsOpen && FindsBySearching()) && !Park())
            {
                return;
            }
        }
    }

    // Not inlined: a frame that still exists while the worker is idle would keep the last entry alive (I26).
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

    /// <summary>
    /// Whether the item has exceeded its queue timeout: then it is not started, although the timer has not processed it yet.
    /// </summary>
    private bool IsLate(WorkItem item) =>
        item.QueueLimit != PoolClock.Never && workerSet.Core.Clock.Now >= PoolClock.Add(item.PostedAt, item.QueueLimit);

    /// <summary>Discards an interrupt that earlier work left pending, so that it does not affect the next item.</summary>
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

    /// <summary>Waits until there is work to do.</summary>
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

        // Between becoming idle with no searcher and the last check: a thread that queues work also has a fence between the two.
        Interlocked.MemoryBarrier();
        if (workerSet.Queue.HasRunnable || HasOwnWork)
        {
            // Threads that queued work while this worker searched woke no other worker: if there is more than one item, this
            // worker must wake others for them.
            if (workerSet.TryUnpark(this))
            {
                _searches = workerSet.TryStartSearching();
                return true;
            }

            // If this worker was made to leave while others still relied on it, all of the items are left to other workers.
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

    /// <summary>Resets the thread, so that changes made by one caller's work do not affect the next one's (I26).</summary>
    private void CleanUp()
    {
        ExecutionContext.Restore(_clean!);
        if (SynchronizationContext.Current is not null)
        {
            SynchronizationContext.SetSynchronizationContext(null);
        }

        _settings.Restore();
    }

    /// <summary>Performs the last actions of the thread.</summary>
    private void EndThread()
    {
        // Continuations may need the state; commands may not create a new one. Later continuations go to any worker: an endless
        // loop would otherwise keep the thread and the state alive.
        RunContinuations();
        DestroyState(IsReplaced ? WorkerDestroyReason.Tainted : EndReason);
        List<WorkerCommand> skipped;
        List<(SendOrPostCallback Callback, object? State)> passedOn;
        using (_monitor.Enter())
        {
            _hasEnded = true;
            (skipped, passedOn) = ([.. _commands], [.. _continuations]);
            _commands.Clear();
            _continuations.Clear();
            (_commandCount, _continuationCount) = (0, 0);
        }

        skipped.ForEach(static command => command.Skip(failure: null));
        passedOn.ForEach(continuation => workerSet.Core.Context.Post(continuation.Callback, continuation.State));
        _current = null;
        workerSet.OnEnded(this);
    }

    /// <summary>
    /// The last work of the thread that may have left an interrupt pending; ordered by how soon that is checked.
    /// </summary>
    private enum LastWork
    {
        None,
        Post,
        Item,
    }
}
