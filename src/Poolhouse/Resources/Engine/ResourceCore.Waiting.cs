using Poolhouse.Resources.Engine.Capacity;
using Poolhouse.Resources.Engine.Waiting;

namespace Poolhouse.Resources.Engine;

/// <content>How a caller gets into the queue, and how it gets out: served, withdrawn or shed.</content>
internal sealed partial class ResourceCore<T>
{
    /// <summary>Queues a caller that found nothing, together with the idle entry that it found too stale to use, if any.</summary>
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

    /// <summary>Takes a waiter out whose outcome its caller has decided: it cancelled, or its time was up.</summary>
    /// <param name="waiter">The waiter.</param>
    /// <param name="now">The time.</param>
    /// <param name="wakes">Whether it must be woken, because the decision was not made by the thread that waits.</param>
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
    /// are none: a shared pool rents also what its minimum lacks.
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

    /// <summary>What a waiter was given, also while the one who decided so is still writing it down.</summary>
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

        // Something may have come back since this caller looked, or may be on its way and not for somebody else.
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

    /// <summary>How many of those who wait have an item under creation for them, or room for one: the pool keeps up with them by growing.</summary>
    private int Growth => _throttle.InOutage ? 0 : _creating + (_budget is { Want: CapacityWant.Caller } ? 0 : Math.Max(0, _settings.MaxSize - _live));

    private bool TryServe(ResourceEntry<T> entry, bool isNew, long now, ref DeferredActions<T> actions)
    {
        if (_delays is not null && _queue.Count <= Growth + (isNew ? 1 : 0))
        {
            _delays.Restart(now);
        }

        while (_queue.Head is { } waiter)
        {
            // Its time may be up although nobody has told it: the timer needs a thread-pool thread, and all of them may be blocked.
            var outcome = now >= waiter.Deadline ? WaitOutcome.TimedOut
                : _delays is not null && _delays.ShouldShed(waiter.EnqueuedAt, now) ? WaitOutcome.Shed
                : WaitOutcome.Given;

            // The one CAS. Lost: the caller cancelled or ran out of time, and will withdraw or has; the entry goes to the next (I6).
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

    /// <summary>Takes out a decided waiter and counts its outcome: once, by the one who decided.</summary>
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
