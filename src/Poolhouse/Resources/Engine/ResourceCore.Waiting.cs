using Poolhouse.Resources.Engine.Capacity;
using Poolhouse.Resources.Engine.Waiting;

namespace Poolhouse.Resources.Engine;

/// <content>How a caller enters the queue, and how it leaves: served, withdrawn or shed.</content>
internal sealed partial class ResourceCore<T>
{
    /// <summary>Queues a caller that found no usable item, together with the idle entry that it found too stale to use, if any.</summary>
    public EnqueueResult Enter(Waiter<T> waiter, ResourceEntry<T>? stale, long now)
    {
        var actions = DeferredActions<T>.None;
        EnqueueResult admission;
        using (_gate.Enter())
        {
            if (stale is not null)
            {
                BeginValidation(stale, now, ref actions);
            }

            admission = Admit(now);
            if (admission == EnqueueResult.Queued)
            {
                waiter.EnqueuedAt = now;
                if (_queue.Count == 0)
                {
                    _delays?.Began(now, starts: _live - _creating - _destroying == 0 && !_throttle.InOutage);
                }

                _queue.Add(waiter);
                actions.CheckNoLaterThan(waiter.Deadline);
                actions.CheckNoLaterThan(NextQueueCheck(now));
                actions.CheckNoLaterThan(NextLookAtChecks(now));

                // A full fence before the plan below sweeps the cells: see TryPutHot.
                UpdateSlowPathReasons();
            }
            else if (admission == EnqueueResult.Overloaded)
            {
                _counters.Shed++;
            }

            Settle(now, ref actions);
        }

        Apply(ref actions);
        return admission;
    }

    /// <summary>Removes a waiter whose outcome its caller has decided: it cancelled, or its timeout elapsed.</summary>
    /// <param name="waiter">The waiter.</param>
    /// <param name="now">The time.</param>
    /// <param name="wakes">Whether it must be woken, because the decision was not made by the waiting thread.</param>
    public void Withdraw(Waiter<T> waiter, long now, bool wakes = false)
    {
        var actions = DeferredActions<T>.None;
        using (_gate.Enter())
        {
            Dequeue(waiter, now);
            if (wakes)
            {
                actions.Wake(waiter);
            }

            Settle(now, ref actions);
        }

        Apply(ref actions);
    }

    /// <summary>
    /// Counts callers of a shared pool that wait for one of these items. Once this was called, the waiters here count as upkeep while there
    /// are no such callers: a shared pool also rents the items that are missing from its minimum.
    /// </summary>
    public void CountCallersBehind(int change, long now)
    {
        var actions = DeferredActions<T>.None;
        using (_gate.Enter())
        {
            _callersBehind = _callersBehind.GetValueOrDefault() + change;
            Settle(now, ref actions);
        }

        Apply(ref actions);
    }

    /// <summary>The entry that a waiter was given, even while the deciding thread is still writing it.</summary>
    public ResourceEntry<T> EntryOf(Waiter<T> waiter)
    {
        // The outcome is decided, and the entry written, in one section under the gate.
        using (_gate.Enter())
        {
            return waiter.Entry!;
        }
    }

    private EnqueueResult Admit(long now)
    {
        if (_lifecycle != Lifecycle.Open)
        {
            return EnqueueResult.Closed;
        }

        // An item may have been returned since this caller checked, or may be on its way and not be reserved for another caller.
        if (RefusesToWait(now) && _queue.Count >= SuppliesWithUpkeep + _idle.Count)
        {
            return EnqueueResult.Unavailable;
        }

        var coming = (long)SuppliesWithUpkeep + Math.Max(0, _settings.MaxSize - _live);
        if (_queue.Count < _settings.MaxWaiters + coming)
        {
            return EnqueueResult.Queued;
        }

        return !_suspended && _queue.Count < _settings.MaxWaiters + coming + _idle.Count ? EnqueueResult.Queued : EnqueueResult.Overloaded;
    }

    /// <summary>
    /// The number of waiting callers that have an item being created for them, or room for one: the pool keeps up with them by growing.
    /// </summary>
    private int Growth => _throttle.InOutage ? 0 : _creating + (_budget is { Want: CapacityWant.Caller } ? 0 : Math.Max(0, _settings.MaxSize - _live));

    private bool TryServe(ResourceEntry<T> entry, bool isNew, long now, ref DeferredActions<T> actions)
    {
        if (_delays is not null && _queue.Count <= Growth + (isNew ? 1 : 0))
        {
            _delays.Restart(now);
        }

        while (_queue.Head is { } waiter)
        {
            // Its timeout may have elapsed without a notification: the timer needs a thread-pool thread, and all of them may be blocked.
            var outcome = now >= waiter.Deadline ? WaitOutcome.TimedOut
                : _delays is not null && _delays.ShouldShed(waiter.EnqueuedAt, now) ? WaitOutcome.Shed
                : WaitOutcome.Given;

            // The only CAS. If it is lost, the caller cancelled or timed out, and has withdrawn or will do so; the entry goes to the next
            // waiter (I6).
            if (!waiter.TryComplete(outcome))
            {
                Unqueue(waiter);
                continue;
            }

            Dequeue(waiter, now);
            actions.Wake(waiter);
            if (outcome == WaitOutcome.Given)
            {
                waiter.Entry = entry;
                entry.BeginUse(now);
                entry.Trace = waiter.Trace;
                return true;
            }
        }

        return false;
    }

    /// <summary>Removes a decided waiter and counts its outcome: once, on the thread that decided it.</summary>
    private void Dequeue(Waiter<T> waiter, long now)
    {
        _counters.CountOutcome(waiter.Outcome, now - waiter.EnqueuedAt);
        Unqueue(waiter);
        if (_queue.Count == 0)
        {
            _delays?.Emptied(now);
        }
    }

    private void Unqueue(Waiter<T> waiter)
    {
        if (waiter.IsQueued)
        {
            _queue.Remove(waiter);
        }
    }
}
