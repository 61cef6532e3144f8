using System.Runtime.CompilerServices;
using System.Runtime.ExceptionServices;
using Poolhouse.Kernel.Time;
using Poolhouse.Resources.Engine.Core;
using Poolhouse.Resources.Engine.Items;
using Poolhouse.Resources.Engine.PolicyCalls;
using Poolhouse.Resources.Engine.Waiting;

namespace Poolhouse.Resources.Engine;

/// <summary>Rents items to callers: an idle item that is usable at once, or else one through the queue.</summary>
internal sealed class ResourceRents<T>(ResourceRuntime<T> runtime)
    where T : notnull
{
    private readonly ResourceCore<T> _core = runtime.Core;
    private readonly PoolClock _clock = runtime.Clock;
    private readonly PolicyChecks<T> _checks = runtime.Checks;
    private readonly WaiterCache<T> _waiters = new();

    /// <summary>Rents the item that this thread returned last, if it can be used without further checks.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool TryRentHot(out Lease<T> lease, out ResourceEntry<T>? unusable)
    {
        unusable = null;
        if (_core.TryTakeHot() is { } entry)
        {
            var now = _clock.Coarse;
            if (IsUsable(entry, now))
            {
                entry.BeginUse(now);
                lease = entry.BeginLease();
                return true;
            }

            unusable = entry;
        }

        lease = default;
        return false;
    }

    /// <summary>Rents an idle item without waiting.</summary>
    /// <param name="entry">An entry that was already taken and must be checked first, or null.</param>
    /// <param name="trace">Where the caller is, if that is tracked.</param>
    /// <param name="lease">The lease.</param>
    /// <param name="stale">An entry that must be validated before it can be used; the caller passes it on when it queues.</param>
    public bool TryRentIdle(ResourceEntry<T>? entry, LeaseTrace? trace, out Lease<T> lease, out ResourceEntry<T>? stale)
    {
        for (entry ??= _core.TryTakeIdle(); entry is not null; entry = _core.TryTakeIdle())
        {
            var now = _clock.Coarse;
            if (_checks.InspectIdle(_core.Settings, entry, now) is { } reason)
            {
                _core.Retire(entry, reason, now);
                continue;
            }

            if (PolicyChecks<T>.IsStale(_core.Settings, entry, now))
            {
                break;
            }

            entry.BeginUse(now);
            entry.Trace = trace;
            stale = null;
            lease = Begin(entry, trace);
            return true;
        }

        stale = entry;
        lease = default;
        return false;
    }

    public ValueTask<Lease<T>> WaitAsync(
        ResourceEntry<T>? stale, LeaseTrace? trace, long timeout, CancellationToken cancellationToken)
    {
        AsyncWaiter<T> waiter;
        long now;
        try
        {
            waiter = _waiters.TryTake() ?? new AsyncWaiter<T>(this, runtime.Scheduler);
            now = _clock.Coarse;
            waiter.Deadline = _clock.DeadlineAfter(now, timeout);
        }
        catch (Exception failure) when (WorkScheduler.IsLackOfMemory(failure))
        {
            CheckInBackground(stale);
            throw;
        }

        if (trace is not null)
        {
            waiter.Trace = trace;
        }

        waiter.Begin(cancellationToken);
        var task = waiter.Task;
        if (Refusal(_core.Enter(waiter, stale, now)) is { } refusal)
        {
            return ValueTask.FromException<Lease<T>>(refusal);
        }

        // A waiter that cannot be cancelled is not armed; it may even have been woken and be in use again by now.
        if (cancellationToken.CanBeCanceled)
        {
            waiter.Arm();
        }

        return task;
    }

    public Lease<T> Wait(ResourceEntry<T>? stale, LeaseTrace? trace, long timeout, CancellationToken cancellationToken)
    {
        SyncWaiter<T> waiter;
        long now;
        try
        {
            now = _clock.Coarse;
            waiter = new SyncWaiter<T>(this) { Deadline = _clock.DeadlineAfter(now, timeout), Trace = trace };
        }
        catch (Exception failure) when (WorkScheduler.IsLackOfMemory(failure))
        {
            CheckInBackground(stale);
            throw;
        }

        if (Refusal(_core.Enter(waiter, stale, now)) is { } refusal)
        {
            throw refusal;
        }

        waiter.Wait(cancellationToken);
        return Complete(waiter, cancellationToken);
    }

    /// <summary>
    /// Creates the exception for a caller with a timeout of zero, and validates the stale entry in the background.
    /// </summary>
    public PoolTimeoutException NoTimeToWait(ResourceEntry<T>? stale, LeaseTrace? trace)
    {
        CheckInBackground(stale);
        return RentErrors.TimedOut(runtime, TimeSpan.Zero, trace);
    }

    /// <summary>
    /// Validates an entry that a caller has taken and will not use, if there is one: it is in no store, so it would be lost (I6).
    /// </summary>
    public void CheckInBackground(ResourceEntry<T>? entry)
    {
        if (entry is not null)
        {
            _core.Check(entry, _clock.Coarse);
        }
    }

    /// <summary>
    /// Turns the outcome of a wait into a lease or an exception. Called once per wait: on the thread that blocked, or by the
    /// wake-up of an asynchronous caller.
    /// </summary>
    public Lease<T> Complete(Waiter<T> waiter, CancellationToken cancellationToken)
    {
        var outcome = waiter.Outcome;
        if (outcome == WaitOutcome.Served && !runtime.Events.ReportsWaits)
        {
            return Begin(waiter.Entry!, waiter.Trace);
        }

        var elapsed = _clock.Span(Math.Max(0, _clock.Now - waiter.EnqueuedAt));

        // Its message shows the pool as it was when the wait ended, not as it is after the observer has run.
        var failure = FailureOf(waiter, elapsed, cancellationToken);
        runtime.Events.ReportWait(outcome, elapsed, waiter.IsSynchronous);
        return failure is null ? Begin(waiter.Entry!, waiter.Trace) : throw Rethrow(failure);
    }

    /// <summary>
    /// Ends a wait whose caller will not take the outcome: its thread was interrupted, or there is not enough memory to wait.
    /// </summary>
    public void Abandon(Waiter<T> waiter)
    {
        if (waiter.TryComplete(WaitOutcome.Cancelled))
        {
            Withdraw(waiter);
        }

        runtime.Events.ReportWait(waiter.Outcome, _clock.Span(Math.Max(0, _clock.Now - waiter.EnqueuedAt)), waiter.IsSynchronous);
        if (waiter.Outcome == WaitOutcome.Served)
        {
            _core.EntryOf(waiter).BeginLease().Dispose();
        }
    }

    /// <summary>Removes a waiter from the queue after the waiting thread has decided its outcome.</summary>
    public void Withdraw(Waiter<T> waiter) => _core.Withdraw(waiter, _clock.Now);

    /// <summary>Removes a cancelled waiter from the queue and wakes it.</summary>
    public void EndCancelled(Waiter<T> waiter) => _core.Withdraw(waiter, _clock.Now, wakes: true);

    public bool IsPast(long deadline) => _clock.Now >= deadline;

    public TimeSpan Until(long deadline, TimeSpan atMost) => runtime.Until(deadline, atMost);

    public void RunQueuedOnOwnThreads() => runtime.RunQueuedOnOwnThreads();

    /// <summary>Caches a waiter that no other thread can reach any more for the next caller.</summary>
    public void Recycle(AsyncWaiter<T> waiter) => _waiters.Put(waiter);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private bool IsUsable(ResourceEntry<T> entry, long now)
    {
        var settings = _core.Settings;
        return now < entry.ExpiresAt && now - entry.FreshSince < settings.FreshFor
            && !(settings.CallsIsBroken && _checks.IsBroken(entry.Item));
    }

    private Lease<T> Begin(ResourceEntry<T> entry, LeaseTrace? trace)
    {
        trace?.BeginLease(runtime.Events.Pool.Name, _clock, entry.RentedAt);
        return entry.BeginLease();
    }

    private Exception? Refusal(EnqueueResult admission) => admission switch
    {
        EnqueueResult.Closed => RentErrors.Closed(runtime.Events.Pool.Name),
        EnqueueResult.Overloaded => RentErrors.Overloaded(runtime),
        EnqueueResult.Unavailable => RentErrors.Unavailable(runtime, TimeSpan.Zero),
        _ => null,
    };

    private Exception? FailureOf(Waiter<T> waiter, TimeSpan elapsed, CancellationToken cancellationToken) => waiter.Outcome switch
    {
        WaitOutcome.Served => null,
        WaitOutcome.TimedOut => RentErrors.TimedOut(runtime, elapsed, waiter.Trace),
        WaitOutcome.Cancelled => new OperationCanceledException(cancellationToken),
        WaitOutcome.Failed => waiter.Failure ?? RentErrors.Unavailable(runtime, elapsed),
        WaitOutcome.Shed => RentErrors.Shed(runtime, elapsed),
        _ => RentErrors.Closed(runtime.Events.Pool.Name),
    };

    /// <summary>Throws an exception; the policy's own exception keeps its original stack trace.</summary>
    private static Exception Rethrow(Exception failure)
    {
        ExceptionDispatchInfo.Throw(failure);
        return failure;
    }
}
