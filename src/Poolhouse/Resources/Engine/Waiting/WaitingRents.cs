using System.Runtime.ExceptionServices;
using Poolhouse.Resources.Engine.Items;
using Poolhouse.Resources.Engine.PolicyCalls;

namespace Poolhouse.Resources.Engine.Waiting;

/// <summary>The rents that wait in the <see cref="CallerQueue{TGrant}"/> of a pool, and how their waits end.</summary>
/// <typeparam name="TGrant">What a caller waits for.</typeparam>
/// <typeparam name="T">The type of the item.</typeparam>
internal abstract class WaitingRents<TGrant, T>(ResourceRuntime<T> runtime, PoolEvents<T> events)
    where TGrant : class
    where T : notnull
{
    private readonly PoolClock _clock = runtime.Clock;
    private readonly WaiterCache<TGrant, T> _waiters = new();

    protected ResourceRuntime<T> Runtime => runtime;

    /// <param name="stale">What the caller found and must not use without a check, or null.</param>
    /// <param name="trace">Where the caller is, if that is tracked.</param>
    /// <param name="timeout">How long the caller may wait.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    public ValueTask<Lease<T>> WaitAsync(
        TGrant? stale, LeaseTrace? trace, long timeout, CancellationToken cancellationToken)
    {
        AsyncWaiter<TGrant, T> waiter;
        long now;
        try
        {
            waiter = _waiters.TryTake() ?? new AsyncWaiter<TGrant, T>(this, runtime.Scheduler);
            now = _clock.Coarse;
            waiter.Deadline = _clock.DeadlineAfter(now, timeout);
        }
        catch (Exception failure) when (WorkScheduler.IsLackOfMemory(failure))
        {
            ValidateInBackground(stale);
            throw;
        }

        if (trace is not null)
        {
            waiter.Trace = trace;
        }

        waiter.Begin(cancellationToken);
        var task = waiter.Task;
        if (Enter(waiter, stale, now) is var refused and not WaitOutcome.None)
        {
            return ValueTask.FromException<Lease<T>>(Refusal(refused, waiter));
        }

        // A waiter that cannot be cancelled is not armed; it may even have been woken and be in use again by now.
        if (cancellationToken.CanBeCanceled)
        {
            waiter.Arm();
        }

        return task;
    }

    /// <summary>
    /// Does the same as <see cref="WaitAsync(TGrant, LeaseTrace, long, CancellationToken)"/> for a blocking caller.
    /// </summary>
    public Lease<T> Wait(TGrant? stale, LeaseTrace? trace, long timeout, CancellationToken cancellationToken)
    {
        SyncWaiter<TGrant, T> waiter;
        long now;
        try
        {
            now = _clock.Coarse;
            waiter = new SyncWaiter<TGrant, T>(this, runtime) { Deadline = _clock.DeadlineAfter(now, timeout), Trace = trace };
        }
        catch (Exception failure) when (WorkScheduler.IsLackOfMemory(failure))
        {
            ValidateInBackground(stale);
            throw;
        }

        if (Enter(waiter, stale, now) is var refused and not WaitOutcome.None)
        {
            throw Refusal(refused, waiter);
        }

        waiter.Wait(cancellationToken);
        return Complete(waiter, cancellationToken);
    }

    /// <summary>
    /// Turns the outcome of a wait into a lease or an exception. Called once per wait: on the thread that blocked, or by the
    /// wake-up of an asynchronous caller.
    /// </summary>
    public Lease<T> Complete(Waiter<TGrant> waiter, CancellationToken cancellationToken)
    {
        var outcome = waiter.Outcome;
        if (outcome == WaitOutcome.Served && !events.ReportsWaits)
        {
            return Begin(waiter.Grant!, waiter.Trace);
        }

        var elapsed = TimeOf(waiter);

        // Its message shows the pool as it was when the wait ended, not as it is after the observer has run.
        var failure = outcome switch
        {
            WaitOutcome.Served => null,
            WaitOutcome.Cancelled => new OperationCanceledException(cancellationToken),
            _ => ErrorOf(outcome, waiter, elapsed),
        };
        events.ReportWait(outcome, elapsed, waiter.IsSynchronous);
        if (failure is not null)
        {
            // The policy's own exception keeps its original stack trace.
            ExceptionDispatchInfo.Throw(failure);
        }

        return Begin(waiter.Grant!, waiter.Trace);
    }

    /// <summary>
    /// Ends a wait whose caller will not take the outcome: its thread was interrupted, or there is not enough memory to wait.
    /// </summary>
    public void Abandon(Waiter<TGrant> waiter)
    {
        if (waiter.TryComplete(WaitOutcome.Cancelled))
        {
            Withdraw(waiter);
        }

        events.ReportWait(waiter.Outcome, TimeOf(waiter), waiter.IsSynchronous);
        if (waiter.Outcome == WaitOutcome.Served)
        {
            ReturnUnused(waiter);
        }
    }

    /// <summary>Removes a waiter from the queue after the waiting thread has decided its outcome.</summary>
    public void Withdraw(Waiter<TGrant> waiter) => Withdraw(waiter, _clock.Now, wakes: false);

    /// <summary>Removes a cancelled waiter from the queue and wakes it.</summary>
    public void EndCancelled(Waiter<TGrant> waiter) => Withdraw(waiter, _clock.Now, wakes: true);

    /// <summary>Ends waits for which an outage has lasted too long.</summary>
    public abstract void EndInOutage();

    /// <summary>Caches a waiter that no other thread can reach any more for the next caller.</summary>
    public void Recycle(AsyncWaiter<TGrant, T> waiter) => _waiters.Put(waiter);

    /// <summary>Queues a caller, if it may wait, together with what it found too stale to use, if anything.</summary>
    /// <returns>None if it waits.</returns>
    protected abstract WaitOutcome Enter(Waiter<TGrant> waiter, TGrant? stale, long now);

    /// <summary>Removes a waiter whose outcome is decided.</summary>
    protected abstract void Withdraw(Waiter<TGrant> waiter, long now, bool wakes);

    /// <summary>Begins the lease of a caller that was served.</summary>
    protected abstract Lease<T> Begin(TGrant grant, LeaseTrace? trace);

    /// <summary>Takes back what a caller was given that does not use it.</summary>
    protected abstract void ReturnUnused(Waiter<TGrant> waiter);

    /// <summary>Checks what a caller has taken and will not use, if there is any: it would be lost (I6).</summary>
    public abstract void ValidateInBackground(TGrant? stale);

    /// <summary>Creates the exception for a caller that may not wait because too many others do.</summary>
    protected abstract Exception Overloaded();

    /// <summary>Creates the exception for a wait that failed, timed out or was ended by the pool.</summary>
    protected abstract Exception ErrorOf(WaitOutcome outcome, Waiter<TGrant> waiter, TimeSpan elapsed);

    private Exception Refusal(WaitOutcome outcome, Waiter<TGrant> waiter) =>
        outcome == WaitOutcome.Shed ? Overloaded() : ErrorOf(outcome, waiter, TimeSpan.Zero);

    private TimeSpan TimeOf(Waiter<TGrant> waiter) => _clock.Span(Math.Max(0, _clock.Now - waiter.EnqueuedAt));
}
