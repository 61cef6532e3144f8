using Poolhouse.Kernel;
using Poolhouse.Kernel.Time;

namespace Poolhouse.Resources.Engine.PolicyCalls;

/// <summary>One call of a hook of the policy: in the background, under a deadline.</summary>
// Invariants
//   phases go Resting -> Queued -> Running -> Resting or GivenUp, the last two steps by one CAS: a hook that ends at its deadline has
//   one outcome. Work that was given up is never used again.
//   it is in the deadline monitor's list, under whose gate its links are, exactly while it is queued or running
//   who gives it up frees what it held; the hook may go on, and what it ends with is dropped or destroyed
//   the clock may jump past the deadline at any moment, also before the hook is called (a suspended machine). So the item of the hook
//   is read before the deadline is set, and afterwards the entry is not the work's to read. A hook that was given up before it began
//   is not called, except a destruction, which is called once whatever happens (I30)
internal abstract class PolicyCall<T>(ResourceRuntime<T> runtime) : IntrusiveNode<PolicyCall<T>>, IThreadPoolWorkItem
    where T : notnull
{
    private const int Resting = 0;
    private const int Queued = 1;
    private const int Running = 2;
    private const int GivenUp = 3;

    private int _phase;
    private CancellationTokenSource? _cancellation;

    /// <summary>How long the hook may run, in timestamps.</summary>
    public abstract long Limit { get; }

    /// <summary>Whether the hook should hear when the pool is closed.</summary>
    public virtual bool EndsWithPool => false;

    /// <summary>When the hook is given up. Under the deadline monitor's gate.</summary>
    public long Deadline { get; set; } = PoolClock.Never;

    public bool IsQueued => Volatile.Read(ref _phase) == Queued;

    /// <summary>Why there was no thread for it, if it needs one of its own.</summary>
    protected Exception? StartFailure { get; private set; }

    protected ResourceRuntime<T> Runtime => runtime;

    /// <summary>Whether the hook has nothing more to do: its item may be gone.</summary>
    protected bool IsGivenUp => Volatile.Read(ref _phase) == GivenUp;

    /// <summary>Cancelled at the deadline.</summary>
    protected CancellationToken Token => _cancellation!.Token;

    /// <summary>Has the hook run soon.</summary>
    /// <exception cref="OutOfMemoryException">There is no memory for it. Nothing has happened, and nothing will.</exception>
    public void Queue(bool onOwnThread = false)
    {
        // Listed first: work may be posted twice, and an earlier posting may come and start it as soon as it says that it is queued.
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
            // A blocked caller may have had it begun on a thread of its own.
            if (Interlocked.CompareExchange(ref _phase, Resting, Queued) == Queued)
            {
                runtime.Deadlines.Remove(this);
                throw;
            }
        }
    }

    /// <summary>The same on a thread of the pool's own, where the hook runs at once if it cannot be queued.</summary>
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

    /// <summary>Runs the hook, unless another thread was quicker.</summary>
    public void Execute()
    {
        if (Interlocked.CompareExchange(ref _phase, Running, Queued) == Queued)
        {
            _cancellation ??= new CancellationTokenSource();
            runtime.Deadlines.Started(this);
            Run();
        }
    }

    /// <summary>Gives the hook up, unless it has just ended. Under the deadline monitor's gate.</summary>
    public bool TryGiveUp() => Interlocked.CompareExchange(ref _phase, GivenUp, Running) == Running;

    /// <summary>For the one who gave it up: releases what it held, and runs nobody's code.</summary>
    public void AfterGivenUp()
    {
        runtime.CountAbandoned();
        Cancel();
        OnAbandoned();
    }

    /// <summary>Tells the observer, which may block. After everything that is overdue was released and the next look is arranged.</summary>
    public virtual void ReportGivenUp()
    {
    }

    /// <summary>Tells the hook to stop. The callbacks are its own code, so they run as work of their own.</summary>
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
                // The hook goes on and is not waited for; what it ends with is dropped or destroyed.
            }
        }
    }

    /// <summary>Runs the hook, or fails without it if there is a <see cref="StartFailure"/>.</summary>
    protected abstract void Run();

    protected abstract void OnAbandoned();

    /// <summary>For the hook's end. False: it was given up, and its outcome no longer matters.</summary>
    protected bool TryFinish()
    {
        if (Interlocked.CompareExchange(ref _phase, Resting, Running) != Running)
        {
            return false;
        }

        runtime.Deadlines.Remove(this);
        return true;
    }

    /// <summary>The failure is told on the thread pool: observers hear of it, and this may be the stack of one who returns.</summary>
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

    /// <summary>Makes work that has run ready for the next time.</summary>
    protected void Reset()
    {
        if (_cancellation is { } cancellation && !cancellation.TryReset())
        {
            _cancellation = null;
        }

        Deadline = PoolClock.Never;
    }
}
