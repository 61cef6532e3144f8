namespace Poolhouse.Resources.Engine.PolicyCalls;

/// <summary>One call of a policy hook: in the background, with a deadline.</summary>
// Invariants
//   phases go Inactive -> Queued -> Running -> Inactive or Abandoned, the last two steps by one CAS: a hook that ends at its
//   deadline has one outcome. Work that was abandoned is never used again.
//   it is in the deadline monitor's list, under whose gate its links are, exactly while it is queued or running
//   the thread that abandons it releases what it held; the hook may continue, and its result is dropped or destroyed
//   the clock may jump past the deadline at any moment, even before the hook is called (a suspended machine). So the item of the
//   hook is read before the deadline is set, and afterwards the work must not read the entry. A hook that was abandoned before it
//   began is not called, except a destruction, which is called once in any case (I30)
internal abstract class PolicyCall<T>(ResourceRuntime<T> runtime) : IntrusiveList<PolicyCall<T>>.Node, IThreadPoolWorkItem
    where T : notnull
{
    private const int Inactive = 0;
    private const int Queued = 1;
    private const int Running = 2;
    private const int Abandoned = 3;

    private int _phase;
    private CancellationTokenSource? _cancellation;

    /// <summary>How long the hook may run, in timestamps.</summary>
    public abstract long Limit { get; }

    /// <summary>Whether the hook is cancelled when the pool is closed.</summary>
    public virtual bool EndsWithPool => false;

    /// <summary>When the hook is abandoned. Under the deadline monitor's gate.</summary>
    public long Deadline { get; set; } = PoolClock.Never;

    public bool IsQueued => Volatile.Read(ref _phase) == Queued;

    /// <summary>
    /// Why the hook cannot be called: there is no thread for it, if it needs a dedicated one, or no memory for its time limit.
    /// </summary>
    protected Exception? StartFailure { get; private set; }

    protected ResourceRuntime<T> Runtime => runtime;

    /// <summary>The settings when the hook started.</summary>
    protected ResourceSettings Settings { get; private set; } = runtime.Settings;

    /// <summary>Whether the hook is called even if it was abandoned before it began.</summary>
    protected virtual bool RunsInAnyCase => false;

    /// <summary>Whether the hook was abandoned: its item may be gone.</summary>
    protected bool IsAbandoned => Volatile.Read(ref _phase) == Abandoned;

    /// <summary>Cancelled at the deadline, and if <see cref="EndsWithPool"/> is true, when the pool is closed.</summary>
    // None if there was no memory for the source: the hook was not called, but it may be abandoned before it has failed.
    protected CancellationToken Token => _cancellation?.Token ?? CancellationToken.None;

    /// <summary>Queues the hook to run soon.</summary>
    /// <exception cref="OutOfMemoryException">There is not enough memory for it. Nothing has changed, and the hook will not
    /// run.</exception>
    public void Queue(bool onOwnThread = false)
    {
        // Listed first: work may be posted twice, and an earlier posting may start it as soon as its phase is Queued.
        runtime.Deadlines.Add(this);
        Volatile.Write(ref _phase, Queued);
        if (onOwnThread && TryStartThread())
        {
            return;
        }

        try
        {
            runtime.Scheduler.Post(this);
        }
        catch (Exception failure) when (WorkScheduler.IsLackOfMemory(failure))
        {
            // A blocked caller may have had it started on a dedicated thread.
            if (Interlocked.CompareExchange(ref _phase, Inactive, Queued) == Queued)
            {
                runtime.Deadlines.Remove(this);
                throw;
            }
        }
    }

    /// <summary>
    /// Queues the hook, or runs it at once on this thread if there is not enough memory. Not for the stacks of callers.
    /// </summary>
    public void QueueOrRun()
    {
        try
        {
            Queue();
        }
        catch (Exception failure) when (WorkScheduler.IsLackOfMemory(failure))
        {
            runtime.Deadlines.Add(this);
            Volatile.Write(ref _phase, Queued);
            Execute();
        }
    }

    /// <summary>Runs the hook, unless another thread has started it first.</summary>
    public void Execute()
    {
        if (Interlocked.CompareExchange(ref _phase, Running, Queued) == Queued)
        {
            Settings = runtime.Settings;
            try
            {
                try
                {
                    _cancellation ??= new CancellationTokenSource();
                }
                finally
                {
                    // In any case: a destruction runs without a token, and may hang.
                    runtime.Deadlines.Started(this);
                }
            }
            catch (Exception failure) when (WorkScheduler.IsLackOfMemory(failure))
            {
                StartFailure = failure;
            }

            // The clock may have jumped past the deadline. Then the item is gone.
            if (!IsAbandoned || RunsInAnyCase)
            {
                Run();
            }
        }
    }

    /// <summary>Abandons the hook, unless it has just ended. Under the deadline monitor's gate.</summary>
    public bool TryAbandon() => Interlocked.CompareExchange(ref _phase, Abandoned, Running) == Running;

    /// <summary>Releases the capacity that the hook occupied. Called by the thread that abandoned it.</summary>
    public void AfterAbandoned()
    {
        runtime.Events.CountAbandoned();
        OnAbandoned();
        Cancel();
    }

    /// <summary>
    /// Releases what cannot be released without code of the policy, which may block. Called after the capacity of everything
    /// abandoned was released and the next check is scheduled, and before any observer is notified.
    /// </summary>
    public virtual void EndAbandoned()
    {
    }

    /// <summary>Notifies the observer, which may block. Called after everything abandoned has ended.</summary>
    public virtual void ReportAbandoned()
    {
    }

    /// <summary>Cancels the hook. Cancellation callbacks are the hook's own code, so they run as separate work.</summary>
    public void Cancel()
    {
        if (_cancellation is { } cancellation)
        {
            try
            {
                runtime.Scheduler.Post(new Cancellation(cancellation));
            }
            catch (Exception failure) when (WorkScheduler.IsLackOfMemory(failure))
            {
                // The hook continues and is not waited for; its result is dropped or destroyed.
            }
        }
    }

    /// <summary>Runs the hook, or fails without it if there is a <see cref="StartFailure"/> and the hook takes a token.</summary>
    protected abstract void Run();

    /// <summary>Releases the capacity. The hook has not been cancelled yet.</summary>
    protected abstract void OnAbandoned();

    /// <summary>Marks the end of the hook. Returns false if it was abandoned, and its outcome no longer matters.</summary>
    protected bool TryFinish()
    {
        if (Interlocked.CompareExchange(ref _phase, Inactive, Running) != Running)
        {
            return false;
        }

        runtime.Deadlines.Remove(this);
        return true;
    }

    /// <summary>
    /// Starts a dedicated thread. A failure is reported on the thread pool: it notifies observers, and this may be the stack of a
    /// returning caller.
    /// </summary>
    private bool TryStartThread()
    {
        try
        {
            runtime.Scheduler.PostToOwnThread(this);
            return true;
        }
        catch (Exception failure) when (WorkScheduler.IsLackOfMemory(failure))
        {
            StartFailure = failure;
            return false;
        }
    }

    /// <summary>Prepares work that has run for its next use.</summary>
    protected void Reset()
    {
        if (_cancellation is { } cancellation && !cancellation.TryReset())
        {
            _cancellation = null;
        }

        Deadline = PoolClock.Never;
        StartFailure = null;
    }
}
