using System.Runtime.CompilerServices;
using Poolhouse.Kernel;
using Poolhouse.Kernel.Threading;
using Poolhouse.Kernel.Time;
using Poolhouse.Workers.Items;
using Poolhouse.Workers.Queueing;

namespace Poolhouse.Workers.Threads;

/// <summary>A thread of a worker pool: takes items, runs work that is bound to it, and parks when there is neither.</summary>
// Parts: WorkerInbox holds the work that is bound to it, RunWatch what it runs and for how long; ThreadReset cleans up between
// two items.
// Invariants
//   a parked worker is in the worker set's idle list; the thread that takes it out of the list signals it, exactly once
// Order of writes
//   the worker is in the idle list before it checks the queue and its own work a last time; other threads write their work before
//   they check for idle workers, and work bound to this worker before they check whether it is idle (I5)
// Locks: the monitor, a lock of its own around its own work, the signal and the item that runs under a limit; the worker set's
// gate may be taken under it, but not vice versa. No user code runs under it.
internal abstract class Worker : IntrusiveList<Worker>.Node
{
    // How often the worker checks the queue before it parks: long enough for the next item of a steady stream, short enough not
    // to affect other threads (10 to 20 µs).
    private const int SearchAttempts = 24;
    private const int SpinsPerAttempt = 20;

    // Limited, because the callbacks of one long asynchronous item may throw any number of exceptions.
    private const int MaxNoted = 100;

    [ThreadStatic]
    private static Worker? _current;

    // Follows asynchronous work to other threads, as part of the context in which the worker runs its items. Weak, because that
    // work may outlive the pool.
    private static readonly AsyncLocal<WeakReference<Worker>?> _origin = new();

    private readonly WorkerSet _workers;
    private readonly WorkerMonitor _monitor = new();
    private WorkerInbox _inbox;
    private RunWatch _watch;
    private WorkerSignal _signal;
    private Action? _pulse;
    private WorkerContext? _context;
    private bool _searches;
    private bool _hasEnded;
    private TaskCompletionSource? _whenEnded;

    // Used by the worker's thread only.
    private ThreadReset _reset;
    private ErrorFigures? _lateReport;

    // The exceptions thrown by code other than its items since the state was last validated; null if there were none.
    private List<Exception>? _noted;

    protected Worker(WorkerSet workers, int number)
    {
        _workers = workers;
        Number = number;
        _inbox = new WorkerInbox(_monitor);
        _watch = new RunWatch(workers, _monitor, number);
    }

    public static Worker? Current => _current;

    /// <summary>The current worker, or else the one on which the asynchronous work began that this code is part of.</summary>
    public static Worker? Origin =>
        _current ?? (_origin.Value is { } origin && origin.TryGetTarget(out var worker) ? worker : null);

    /// <summary>The context of a thread to which no caller's context flows; null until the first worker has started.</summary>
    public static ExecutionContext? CleanContext { get; private set; }

    public WorkerSet Workers => _workers;

    public int Number { get; }

    public WorkerCounters Counters { get; } = new();

    public WorkerContext Context => _context ??= new WorkerContext(this);

    public long IdleSince { get; set; }

    /// <summary>
    /// Why the state is destroyed when the worker ends. Set by the thread that removes the worker from the worker set.
    /// </summary>
    public WorkerDestroyReason EndReason { get; set; } = WorkerDestroyReason.PoolDisposed;

    /// <summary>
    /// Whether the current item was abandoned and the worker's slot released: the worker then ends with the item.
    /// </summary>
    public bool IsReplaced { get; set; }

    /// <summary>Whether the worker counts towards the limit of the worker set. Guarded by the worker set's gate.</summary>
    public bool HoldsCapacity { get; set; }

    public abstract bool HasState { get; }

    /// <summary>When the state expires; only a parked worker has to be notified.</summary>
    public abstract long StateEnd { get; }

    /// <summary>What the worker runs, and for how long.</summary>
    public ref RunWatch Watch => ref _watch;

    public bool IsRunning => _watch.IsRunning;

    /// <summary>Whether callbacks wait for the thread of this worker.</summary>
    public bool HasContinuations => _inbox.Continuations > 0;

    /// <summary>Whether the state was accessed since this was set to false. Used by the worker's thread only.</summary>
    public bool UsesState { get; set; }

    /// <summary>Whether the worker runs an asynchronous item. Used by the worker's thread only.</summary>
    public bool IsAsynchronous { get; set; }

    /// <summary>Completes when the thread has ended and its slot is released.</summary>
    public Task WhenEnded
    {
        get
        {
            TaskCompletionSource ended;
            using (_monitor.Enter())
            {
                ended = _whenEnded ??= new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
                if (_hasEnded)
                {
                    ended.TrySetResult();
                }
            }

            return ended.Task;
        }
    }

    /// <summary>Starts the thread. Throws if the system cannot create one.</summary>
    public void Start(bool asSearcher)
    {
        _searches = asSearcher;
        var options = _workers.Core.Options;
        var thread = new Thread(static worker => ((Worker)worker!).RunLoop(), options.MaxStackSize)
        {
            Name = $"{options.ThreadName ?? _workers.Core.Name}-{Number}",
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
        _inbox.Close().Commands.ForEach(command => command.Skip(failure));
    }

    /// <summary>Called when the slot of the worker is released.</summary>
    public void OnEnded()
    {
        TaskCompletionSource? ended;
        using (_monitor.Enter())
        {
            _hasEnded = true;
            ended = _whenEnded;
        }

        ended?.TrySetResult();
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

    /// <summary>Queues a callback to run on this thread: during an asynchronous item, or else between two items.</summary>
    /// <returns>False if the thread has ended.</returns>
    public bool TryPost(SendOrPostCallback callback, object? state) => _inbox.TryPost(this, callback, state);

    /// <summary>Sends the worker a command.</summary>
    /// <returns>False if the thread has ended, or the worker was replaced.</returns>
    public bool TrySend(WorkerCommand command) => _inbox.TrySend(this, command);

    /// <summary>
    /// Called when the worker was replaced: its thread may hang forever, so its commands are skipped.
    /// </summary>
    public void SkipCommands() => _inbox.CloseForCommands().ForEach(static command => command.Skip(failure: null));

    /// <summary>
    /// Keeps the worker for an asynchronous item: runs its continuations, and nothing else, until the task has completed.
    /// </summary>
    public void Hold(Task task)
    {
        task.ConfigureAwait(false).GetAwaiter().UnsafeOnCompleted(_pulse ??= Pulse);
        while (!task.IsCompleted)
        {
            if (!TryRunContinuation())
            {
                _inbox.WaitForContinuation(task);
            }
        }
    }

    /// <summary>
    /// Records an exception thrown on this thread by code other than a work item. It is treated like that of an item: the
    /// observer is notified, and the state is validated.
    /// </summary>
    public void Note(string label, Exception failure)
    {
        Counters.Failed++;
        _noted ??= [];
        if (_noted.Count < MaxNoted)
        {
            _noted.Add(failure);
        }

        _workers.Core.Events.ReportFailed(label, failure);
    }

    /// <summary>
    /// Creates the state if there is none, within the limits of items. Exceptions of the policy propagate; if the creation is
    /// abandoned, the command fails.
    /// </summary>
    public abstract void CreateStateAhead(StateCommand command);

    /// <summary>Destroys a state that has expired or was cleared.</summary>
    public abstract void DestroyExpiredState();

    /// <summary>Lets a state end no later than at the given time if its creation began before another.</summary>
    public abstract void EndStateAt(long end, long createdBefore);

    protected abstract void Process(WorkItem item);

    /// <summary>Destroys the state, if there is one.</summary>
    protected abstract void DestroyState(WorkerDestroyReason reason);

    /// <summary>
    /// Destroys a state that does not survive the exceptions recorded since it was last validated. Called between two items.
    /// </summary>
    protected abstract void ObserveNotedFailures();

    /// <summary>
    /// Removes everything that earlier code has left on the thread, before the policy or a command runs on it.
    /// </summary>
    protected void ResetThread()
    {
        _reset.Restore();
        CurrentThread.DiscardInterrupt();
    }

    /// <summary>The same for the context only, which is cheap enough to do it after each item.</summary>
    protected void ResetContext() => _reset.RestoreContext();

    protected List<Exception>? TakeNoted()
    {
        var noted = _noted;
        _noted = null;
        return noted;
    }

    /// <summary>Whether so many exceptions were recorded that others may be missing.</summary>
    protected static bool IsIncomplete(List<Exception> noted) => noted.Count == MaxNoted;

    private void RunLoop()
    {
        _current = this;
        CleanContext ??= ExecutionContext.Capture();
        _origin.Value = new WeakReference<Worker>(this);
        _reset = ThreadReset.OfCurrentThread();
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
            if (_inbox.HasWork)
            {
                // This may take long, and others relied on this worker: it was the searcher, or its last item made the next one
                // of its key runnable.
                StopSearching();
                _workers.CheckAgain();
                RunOwnWork();
                _reset.Restore();
                if (IsReplaced)
                {
                    return;
                }
            }

            if (TryRunNext())
            {
                _reset.Restore();
                if (IsReplaced || _workers.TryLeaveAsSurplus(this))
                {
                    return;
                }

                continue;
            }

            _searches = _searches || _workers.TryStartSearching();

            // A pool that is closing does not wait for the worker: an endless supply of work bound to it would otherwise keep the
            // thread alive.
            if (!(_searches && _workers.IsOpen && TrySearch()) && !Park())
            {
                return;
            }
        }
    }

    /// <summary>
    /// Runs the callbacks that are queued now. Later ones wait until the queue has had its turn, so that an endless loop of
    /// yields does not monopolize the worker.
    /// </summary>
    private void RunOwnWork()
    {
        RunContinuations();

        // A command may have created a state for so long that this worker was replaced: the others are skipped.
        for (var left = _inbox.Commands; left > 0 && !IsReplaced && _inbox.TryTakeCommand() is { } command; left--)
        {
            ResetThread();
            command.Run(this);
            ObserveNotedFailures();
        }

        if (!IsReplaced)
        {
            // The command of a Clear that came meanwhile runs in the next turn, but an item may run before that.
            DestroyExpiredState();
        }
    }

    private void RunContinuations()
    {
        if (_inbox.Continuations > 0)
        {
            // An interrupt that the last item has left pending is not meant for what earlier ones left behind.
            CurrentThread.DiscardInterrupt();
        }

        for (var left = _inbox.Continuations; left > 0 && TryRunContinuation(); left--)
        {
        }

        ObserveNotedFailures();
    }

    /// <summary>
    /// Runs a callback that was queued through the worker's context. Its exceptions are reported to the observer.
    /// </summary>
    private bool TryRunContinuation()
    {
        if (!_inbox.TryTakeContinuation(out var next))
        {
            return false;
        }

        var previous = SynchronizationContext.Current;
        SynchronizationContext.SetSynchronizationContext(Context);
        try
        {
            next.Callback(next.State);
        }
#pragma warning disable CA1031 // The callback is not awaited, so there is no caller to report it to.
        catch (Exception failure)
        {
            Note(WorkItem.NameOf(next.Callback), failure);
        }
#pragma warning restore CA1031
        finally
        {
            SynchronizationContext.SetSynchronizationContext(previous);
        }

        return true;
    }

    // Not inlined: a frame that still exists while the worker is idle would keep the last item alive (I26).
    [MethodImpl(MethodImplOptions.NoInlining)]
    private bool TryRunNext()
    {
        if (_workers.Queue.Take() is not { } item)
        {
            _lateReport = null;
            return false;
        }

        StopSearching();
        var lane = item.Lane!;
        if (lane.IsBounded && lane.AdmitAsRoomAllows())
        {
            _workers.Notify();
        }

        if (IsLate(item))
        {
            _workers.Core.Drops.DropLate(item, _lateReport ??= new ErrorFigures(_workers.Core));
            return true;
        }

        // An interrupt that earlier work has left pending is not meant for this item.
        CurrentThread.DiscardInterrupt();
        Process(item);
        _lateReport = null;
        return true;
    }

    /// <summary>
    /// Whether the item has exceeded its queue timeout: then it is not started, although the timer has not processed it yet.
    /// </summary>
    private bool IsLate(WorkItem item) =>
        item.QueueLimit != PoolClock.Never && _workers.Core.Clock.Now >= PoolClock.Add(item.PostedAt, item.QueueLimit);

    private bool TrySearch()
    {
        for (var attempt = 0; attempt < SearchAttempts; attempt++)
        {
            if (_workers.Queue.HasRunnable || _inbox.HasWork)
            {
                return true;
            }

            Thread.SpinWait(SpinsPerAttempt);
        }

        return false;
    }

    /// <summary>Waits until there is work to do.</summary>
    /// <returns>False if the worker has left the worker set.</returns>
    private bool Park()
    {
        var isParked = _workers.TryPark(this);
        if (_searches)
        {
            _searches = false;
            _workers.StopSearchingIdle();
        }

        if (!isParked)
        {
            _workers.CheckAgain();
            return false;
        }

        // Between becoming idle with no searcher and the last check: a thread that queues work also has a fence between the two.
        Interlocked.MemoryBarrier();
        if (_workers.Queue.HasRunnable || _inbox.HasWork)
        {
            // Threads that queued work while this worker searched woke no other worker: if there is more than one item, this
            // worker must wake others for them.
            if (_workers.TryUnpark(this))
            {
                _searches = _workers.TryStartSearching();
                return true;
            }

            // If this worker was made to leave while others still relied on it, all of the items are left to other workers.
            _workers.CheckAgain();
        }

        WorkerSignal signal;
        using (_monitor.Enter())
        {
            while (_signal == WorkerSignal.None)
            {
                // A pending interrupt ends the wait and is discarded.
                _monitor.Wait();
            }

            signal = _signal;
            _signal = WorkerSignal.None;
        }

        _searches = signal == WorkerSignal.Search;
        return signal != WorkerSignal.End;
    }

    private void Pulse()
    {
        using (_monitor.Enter())
        {
            _monitor.Pulse();
        }
    }

    private void StopSearching()
    {
        if (_searches)
        {
            _searches = false;
            _workers.StopSearching();
        }
    }

    /// <summary>Performs the last actions of the thread.</summary>
    private void EndThread()
    {
        // Continuations may need the state; commands may not create a new one. Later continuations go to any worker: an endless
        // loop would otherwise keep the thread and the state alive.
        RunContinuations();
        DestroyState(IsReplaced ? WorkerDestroyReason.Tainted : EndReason);
        var (skipped, passedOn) = _inbox.Close();
        skipped.ForEach(static command => command.Skip(failure: null));
        passedOn.ForEach(continuation => _workers.Core.Context.Post(continuation.Callback, continuation.State));
        _current = null;
        _workers.Termination.OnEnded(this);
    }
}
