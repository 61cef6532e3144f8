using Poolhouse.Kernel.Time;
using Poolhouse.Resources.Engine.Core;
using Poolhouse.Resources.Engine.Creating;
using Poolhouse.Resources.Engine.Items;
using Poolhouse.Resources.Engine.Maintenance;

namespace Poolhouse.Resources.Engine.Waiting;

/// <summary>
/// How callers enter the queue, and how their waits end: served, timed out, shed, failed or closed. Under the core's gate.
/// </summary>
// A waiter gets an entry only from the end of an operation on it: a lease, a creation, a validation, a keep-alive or a reset.
// The offer takes the head of the queue, and one CAS decides between it, a cancellation and a timeout. If the offer loses, it
// moves on to the next waiter (I6). The thread that decides a waiter removes it from the queue, counts its outcome and has it
// woken, each once. Only a cancelled or timed-out waiter may still be in the queue when its outcome is decided.
internal sealed class WaitingCallers<T>(
    CoreState<T> state, CreationPlanner<T> planner, OverdueChecks<T> checks, CoDelController? delays)
    where T : notnull
{
    private CoDelController? _delays = delays;

    /// <summary>Queues a caller that found no usable item, unless it may not wait.</summary>
    public EnqueueResult TryEnqueue(Waiter<T> waiter, long now)
    {
        var admission = Admit(now);
        if (admission == EnqueueResult.Queued)
        {
            waiter.EnqueuedAt = now;
            if (state.Queue.Count == 0)
            {
                _delays?.OnFirstCaller(now, starts: state.Counts.Ready == 0 && !planner.InOutage);
            }

            planner.CallerArrives(waiter.Deadline, now);
            state.Queue.Add(waiter);
            state.Actions.CheckNoLaterThan(waiter.Deadline);
            state.Actions.CheckNoLaterThan(NextStallCheck(now));
            state.Actions.CheckNoLaterThan(checks.NextCheck(now));
        }
        else if (admission == EnqueueResult.Overloaded)
        {
            state.Counters.Shed++;
        }

        return admission;
    }

    /// <summary>
    /// Queues a caller behind others in a full pool, if it may wait and that calls for no check other than that of its deadline.
    /// </summary>
    // While callers rely on validations, entries may be idle, and this caller needs one of them. Checks for overdue validations
    // and resets are already scheduled: by the first caller, or when the validation or reset began.
    public bool TryFollow(Waiter<T> waiter, long now)
    {
        if (_delays is not null || planner.InOutage || state.Queue.Count >= state.Settings.MaxWaiters
            || state.Counts.TimelyValidations > 0)
        {
            return false;
        }

        waiter.EnqueuedAt = now;
        planner.CallerArrives(waiter.Deadline, now);
        state.Queue.Add(waiter);
        return true;
    }

    /// <summary>Records that an entry becomes idle while no caller waits.</summary>
    public void OnIdle(long now) => _delays?.Restart(now);

    /// <summary>Gives an entry to the caller at the head of the queue.</summary>
    /// <returns>The waiter to wake; null if that caller may not have it any more, or may be shed.</returns>
    public Waiter<T>? TryServeHead(ResourceEntry<T> entry, long now)
    {
        // If the CAS is lost, the waiter stays where it is: the offer that follows skips it.
        if (_delays is not null || state.Queue.Head is not { } waiter || IsOverdue(waiter, now)
            || !waiter.TryComplete(WaitOutcome.Served))
        {
            return null;
        }

        state.Queue.Remove(waiter);
        entry.Waits++;
        entry.WaitTicks += Math.Max(0, now - waiter.EnqueuedAt);
        Give(entry, waiter, now);
        return waiter;
    }

    /// <summary>Gives an entry to the first caller that takes it.</summary>
    /// <returns>False if no caller is left.</returns>
    public bool TryServe(ResourceEntry<T> entry, bool isNew, long now)
    {
        if (_delays is not null && state.Queue.Count <= planner.CallersServedByCreation + (isNew ? 1 : 0))
        {
            _delays.Restart(now);
        }

        while (state.Queue.Head is { } waiter)
        {
            // Its timeout may have elapsed without a notification: the timer needs a thread-pool thread, and all of them may be
            // blocked.
            var outcome = IsOverdue(waiter, now) ? WaitOutcome.TimedOut
                : _delays is not null && _delays.ShouldShed(waiter.EnqueuedAt, now) ? WaitOutcome.Shed
                : WaitOutcome.Served;

            // The only CAS. If it is lost, the caller cancelled or timed out, and has withdrawn or will do so; the entry goes to
            // the next waiter (I6).
            if (!waiter.TryComplete(outcome))
            {
                Unqueue(waiter);
                continue;
            }

            Dequeue(waiter, now);
            state.Actions.Wake(waiter);
            if (outcome == WaitOutcome.Served)
            {
                Give(entry, waiter, now);
                return true;
            }
        }

        return false;
    }

    /// <summary>Removes a decided waiter and counts its outcome: once, on the thread that decided it.</summary>
    public void Dequeue(Waiter<T> waiter, long now)
    {
        state.Counters.CountOutcome(waiter.Outcome, Math.Max(0, now - waiter.EnqueuedAt));
        Unqueue(waiter);
        if (state.Queue.Count == 0)
        {
            _delays?.OnEmptied(now);
        }
    }

    /// <summary>Ends the waits whose timeout has elapsed, and sheds callers in a queue that is stalled.</summary>
    /// <returns>When to check again.</returns>
    public long EndOverdue(long now)
    {
        var next = PoolClock.Never;
        var isStalled = IsStalled(now);
        var servedByCreation = planner.CallersServedByCreation;
        for (var waiter = state.Queue.Head; waiter is not null;)
        {
            var following = waiter.Next;
            var outcome = now >= waiter.Deadline ? WaitOutcome.TimedOut
                : isStalled && servedByCreation-- <= 0 && _delays!.IsTooLong(waiter.EnqueuedAt, now) ? WaitOutcome.Shed
                : WaitOutcome.None;
            if (outcome == WaitOutcome.None)
            {
                next = Math.Min(next, waiter.Deadline);
            }
            else if (waiter.TryComplete(outcome))
            {
                Dequeue(waiter, now);
                state.Actions.Wake(waiter);
            }

            waiter = following;
        }

        return Math.Min(next, NextStallCheck(now));
    }

    /// <summary>Ends all waits, because the pool is closed.</summary>
    public void Close(long now)
    {
        while (state.Queue.Head is { } waiter)
        {
            if (waiter.TryComplete(WaitOutcome.Closed))
            {
                Dequeue(waiter, now);
                state.Actions.Wake(waiter);
            }
            else
            {
                Unqueue(waiter);
            }
        }
    }

    /// <summary>
    /// Fails the oldest caller with the failure itself; the others only in an outage, and only if no item that would serve them
    /// can be returned.
    /// </summary>
    public void Fail(Exception? failure, long now)
    {
        while (state.Queue.Head is { } waiter)
        {
            if (waiter.TryComplete(WaitOutcome.Failed))
            {
                waiter.Failure = failure;
                Dequeue(waiter, now);
                state.Actions.Wake(waiter);
                failure = null;
                if (state.Counts.NotDestroying > 0 || !planner.InOutage)
                {
                    return;
                }
            }
            else
            {
                Unqueue(waiter);
            }
        }
    }

    /// <summary>Fails the callers if no live item could be returned and nothing can be created yet.</summary>
    public void FailIfNoneCanBeServed(long now)
    {
        if (state.Queue.Count > 0 && state.Counts.NotDestroying == 0 && planner.MustFailFast(now))
        {
            Fail(failure: null, now);
        }
    }

    /// <summary>
    /// Fails a caller after an item on its way turned out to be unusable, or may hang, and no other is on its way.
    /// </summary>
    public void FailDependent(long now)
    {
        if (state.Queue.Count > state.Counts.SuppliesWithUpkeep + state.Idle.Count && planner.MustFailFast(now))
        {
            Fail(failure: null, now);
        }
    }

    /// <summary>Applies new settings for overload.</summary>
    public void Reconfigure(CoDelController? delays, long now)
    {
        _delays = delays;
        _delays?.Restart(now);
    }

    /// <summary>Measures delays from now on, because callers were not served on purpose.</summary>
    public void RestartDelays(long now)
    {
        _delays?.Restart(now);
        state.Actions.CheckNoLaterThan(NextStallCheck(now));
    }

    /// <summary>
    /// Records that a creation has ended: the pool can serve callers from here on, or it is certain that it cannot soon.
    /// </summary>
    public void OnCreationEnded(long now)
    {
        if (_delays is { IsStarting: true })
        {
            RestartDelays(now);
        }
    }

    private static void Give(ResourceEntry<T> entry, Waiter<T> waiter, long now)
    {
        waiter.Entry = entry;
        entry.BeginUse(now);

        // Otherwise there is nothing to write: the end of the previous use has cleared it.
        if (waiter.Trace is { } trace)
        {
            entry.Trace = trace;
        }
    }

    private EnqueueResult Admit(long now)
    {
        if (state.Lifecycle != Lifecycle.Open)
        {
            return EnqueueResult.Closed;
        }

        // An item may have been returned since this caller checked, or may be on its way and not be reserved for another caller.
        var waiting = state.Queue.Count;
        var supplies = state.Counts.SuppliesWithUpkeep;
        if (planner.MustFailFast(now) && waiting >= supplies + state.Idle.Count)
        {
            return EnqueueResult.Unavailable;
        }

        // A slot of this pool is not free if other pools hold all of a shared capacity, and none of their items is idle.
        var free = state.SharedCapacity is { IsExhausted: true } ? 0 : state.Counts.Free(state.Settings.MaxSize);
        var coming = (long)supplies + free;
        return waiting < state.Settings.MaxWaiters + coming ? EnqueueResult.Queued
            : !state.IsSuspended && waiting < state.Settings.MaxWaiters + coming + state.Idle.Count ? EnqueueResult.Queued
            : EnqueueResult.Overloaded;
    }

    /// <summary>
    /// Whether no caller was served for too long, although the pool is neither suspended nor creating its first item.
    /// </summary>
    private bool IsStalled(long now) => NextStallCheck(now) <= now && _delays!.TryDetectStall(state.Queue.Head!.EnqueuedAt, now);

    /// <summary>When to check whether the queue is stalled.</summary>
    private long NextStallCheck(long now) =>
        _delays is null || state.IsSuspended || state.Queue.Head is not { } head
            || (_delays.IsStarting && state.Counts.Creating > 0)
            ? PoolClock.Never
            : Math.Max(now, _delays.NextCheck(head.EnqueuedAt));

    /// <summary>Whether the timeout of a caller has certainly elapsed, given a time that may be the coarse one.</summary>
    // Otherwise the wait would end before its deadline when the coarse clock is ahead. A caller that is late by less than this is
    // served.
    private bool IsOverdue(Waiter<T> waiter, long now) => now - state.Settings.ClockLag >= waiter.Deadline;

    private void Unqueue(Waiter<T> waiter)
    {
        if (waiter.IsQueued)
        {
            state.Queue.Remove(waiter);
        }
    }
}
