using Poolhouse.Resources.Engine.Core;
using Poolhouse.Resources.Engine.Creating;
using Poolhouse.Resources.Engine.Items;
using Poolhouse.Resources.Engine.Maintenance;

namespace Poolhouse.Resources.Engine.Waiting;

/// <summary>
/// How callers of a resource pool enter its queue, get an entry, or fail because none can be created. Under the core's gate.
/// </summary>
// A waiter gets an entry only from the end of an operation on it: a lease, a creation, a validation, a keep-alive or a reset.
internal sealed class WaitingCallers<T>(CoreState<T> state, CreationPlanner<T> planner, SlowChecks<T> checks)
    where T : notnull
{
    private readonly CallerQueue<ResourceEntry<T>> _queue = state.Queue;

    /// <summary>Whether no caller is served on purpose, or because the first item is being created.</summary>
    private bool IsPaused => state.IsSuspended || (_queue.IsStarting && state.Counts.Creating > 0);

    /// <summary>Queues a caller that found no usable item, unless it may not wait.</summary>
    public WaitOutcome TryEnqueue(Waiter<ResourceEntry<T>> waiter, long now)
    {
        var admission = Admit(waiter, now);
        if (admission == WaitOutcome.None)
        {
            planner.CallerArrives(waiter.Deadline, now);
            _queue.Add(waiter, now, starts: state.Counts.Ready == 0 && !planner.InOutage);
            state.Actions.CheckNoLaterThan(waiter.Deadline);
            state.Actions.CheckNoLaterThan(_queue.NextStallCheck(now, IsPaused));
            state.Actions.CheckNoLaterThan(checks.NextCheck(now));
        }
        else if (admission == WaitOutcome.Shed)
        {
            _queue.Counters.Shed++;
        }

        return admission;
    }

    /// <summary>
    /// Queues a caller behind others in a full pool, if it may wait and that calls for no check other than that of its deadline.
    /// </summary>
    // While callers rely on validations, entries may be idle, and this caller needs one of them. Checks for slow validations
    // and resets are already scheduled: by the first caller, or when the validation or reset began.
    public bool TryFollow(Waiter<ResourceEntry<T>> waiter, long now)
    {
        if (_queue.MeasuresDelays || planner.InOutage || _queue.Count >= state.Settings.MaxWaiters
            || state.Counts.TimelyValidations > 0)
        {
            return false;
        }

        planner.CallerArrives(waiter.Deadline, now);
        _queue.Add(waiter, now, starts: false);
        return true;
    }

    /// <summary>Gives an entry to the caller at the head of the queue.</summary>
    /// <returns>The waiter to wake; null if that caller may not have it any more, or may be shed.</returns>
    public Waiter<ResourceEntry<T>>? TryServeHead(ResourceEntry<T> entry, long now)
    {
        if (_queue.TryServeHead(now) is not { } waiter)
        {
            return null;
        }

        entry.Waits++;
        entry.WaitTicks += Math.Max(0, now - waiter.EnqueuedAt);
        Give(entry, waiter, now);
        return waiter;
    }

    /// <summary>Gives an entry to the first caller that takes it.</summary>
    /// <returns>False if no caller is left.</returns>
    public bool TryServe(ResourceEntry<T> entry, bool isNew, long now)
    {
        if (_queue.MeasuresDelays && _queue.Count <= planner.CallersServedByCreation + (isNew ? 1 : 0))
        {
            _queue.RestartDelays(now);
        }

        if (_queue.TryServe(now, ref state.Actions.Woken) is not { } waiter)
        {
            return false;
        }

        Give(entry, waiter, now);
        return true;
    }

    /// <summary>Ends the waits whose timeout has elapsed, and sheds callers in a queue that is stalled.</summary>
    /// <returns>When to check again.</returns>
    public long EndTimedOut(long now) =>
        _queue.EndTimedOut(now, planner.CallersServedByCreation, IsPaused, ref state.Actions.Woken);

    /// <summary>Fails the callers that have waited for OutageTimeout while items cannot be created.</summary>
    /// <param name="now">The time.</param>
    /// <param name="attemptFailed">Whether the attempt that was due has just failed.</param>
    // Every section ends with this, so nothing but the check that is scheduled here decides how late a refusal is.
    public void EndInOutage(long now, bool attemptFailed = false)
    {
        if (_queue.Count > 0 && planner.Outage is { } outage)
        {
            var spared = CountSpared(outage, now, attemptFailed, callerArrives: false);
            state.Actions.CheckNoLaterThan(_queue.EndInOutage(outage, spared, now, ref state.Actions.Woken));
        }
    }

    /// <summary>Measures delays from now on, because callers were not served on purpose.</summary>
    public void RestartDelays(long now)
    {
        _queue.RestartDelays(now);
        state.Actions.CheckNoLaterThan(_queue.NextStallCheck(now, IsPaused));
    }

    /// <summary>
    /// Records that a creation has ended: the pool can serve callers from here on, or it is certain that it cannot soon.
    /// </summary>
    public void OnCreationEnded(long now)
    {
        if (_queue.IsStarting)
        {
            RestartDelays(now);
        }
    }

    private static void Give(ResourceEntry<T> entry, Waiter<ResourceEntry<T>> waiter, long now)
    {
        waiter.Grant = entry;
        entry.BeginUse(now);

        // Otherwise there is nothing to write: the end of the previous use has cleared it.
        if (waiter.Trace is { } trace)
        {
            entry.Trace = trace;
        }
    }

    /// <summary>
    /// The number of the first callers that are not refused although they may not wait for an attempt: those for which something
    /// is on its way, and one for which an attempt is due, because otherwise none would be made.
    /// </summary>
    private int CountSpared(OutageLimit outage, long now, bool attemptFailed, bool callerArrives) => outage.Timeout > 0 ? 0
        : state.Counts.SuppliesWithUpkeep + state.Idle.Count
            + (!attemptFailed && planner.IsAttemptDue(now, callerArrives) ? 1 : 0);

    private WaitOutcome Admit(Waiter<ResourceEntry<T>> waiter, long now)
    {
        if (state.Lifecycle != Lifecycle.Open)
        {
            return WaitOutcome.Closed;
        }

        // An item may have been returned since this caller checked, or may be on its way and not be reserved for another caller.
        var waiting = _queue.Count;
        var supplies = state.Counts.SuppliesWithUpkeep;
        if (planner.Outage is { Timeout: 0 } outage
            && waiting >= CountSpared(outage, now, attemptFailed: false, !waiter.IsForUpkeep))
        {
            waiter.Refuse(outage);
            return WaitOutcome.Failed;
        }

        // A slot of this pool is not free if other pools hold all of a shared capacity, and none of their items is idle.
        var free = state.SharedCapacity is { IsExhausted: true } ? 0 : state.Counts.Free(state.Settings.MaxSize);
        var coming = (long)supplies + free;
        return waiting < state.Settings.MaxWaiters + coming ? WaitOutcome.None
            : !state.IsSuspended && waiting < state.Settings.MaxWaiters + coming + state.Idle.Count ? WaitOutcome.None
            : WaitOutcome.Shed;
    }
}
