using Poolhouse.Kernel.Time;
using Poolhouse.Resources.Engine.Capacity;

namespace Poolhouse.Resources.Engine;

/// <content>Decides what to create and validate, for which callers, and handles the results.</content>
internal sealed partial class ResourceCore<T>
{
    /// <summary>Records that a creation started here has succeeded.</summary>
    /// <exception cref="OutOfMemoryException">There is not enough memory for one more entry. The creation is still in progress.</exception>
    public void Created(ResourceEntry<T> entry, bool synchronously, long ticks, long now)
    {
        var actions = DeferredActions<T>.None;
        using (_gate.Enter())
        {
            _entries.EnsureCapacity(_entries.Count + 1);
            EndCreation(synchronously, now, ref actions);
            entry.Index = _entries.Count;
            _entries.Add(entry);
            _counters.Created++;
            _counters.CreateTicks += ticks;
            if (entry.Generation == _generation)
            {
                Dispatch(entry, isNew: true, doubtful: false, now, ref actions);
            }
            else
            {
                // Cleared during the creation: it may have been created from the state that was cleared.
                Retire(entry, DestroyReason.Cleared, ref actions);
            }

            _throttle.Succeeded(moreWanted: Wanted(now) > 0, _settings.MaxConcurrentCreates);
            actions.CheckNoLaterThan(NextCheck(entry, now));
            Settle(now, ref actions);
        }

        Apply(ref actions);
    }

    /// <summary>Records that a creation started here has failed or was abandoned.</summary>
    /// <returns>The delay until the next attempt.</returns>
    public long CreateFailed(Exception failure, bool permanent, bool synchronously, long now)
    {
        var actions = DeferredActions<T>.None;
        long pause;
        using (_gate.Enter())
        {
            EndCreation(synchronously, now, ref actions);
            _live--;
            actions.CapacityFreed++;
            _refill |= _settings.MinIdle > 0;
            _counters.CreateFailures++;
            _throttle.Failed(failure, permanent, now, _settings.RetryDelay, _settings.MaxRetryDelay);
            if (_settings.FailsFast || permanent)
            {
                FailWaiters(failure, now, ref actions);
            }

            pause = Math.Max(0, RetryAt - now);
            Settle(now, ref actions);
        }

        Apply(ref actions);
        return pause;
    }

    /// <summary>Starts the work that the waiting callers, the minimum and a warm-up need, and no more.</summary>
    private void StartNeededWork(long now, ref DeferredActions<T> actions)
    {
        RetireIdleIfDrained(ref actions);
        var lacksCapacity = _lifecycle != Lifecycle.Closed && !TryBeginNeededWork(now, ref actions);
        if (!lacksCapacity && _budget is not null && _budget.Want != CapacityWant.None)
        {
            // Whatever the slot was wanted for has arrived, has left, or must wait for another event.
            _budget.WithdrawWant();
            actions.WantWithdrawn = true;
        }
    }

    /// <returns>False if the shared capacity has no slot for it.</returns>
    private bool TryBeginNeededWork(long now, ref DeferredActions<T> actions)
    {
        // Entries that became idle while a caller was about to enter the queue, or while the pool was suspended; they are validated in the
        // background. Creations and resets in progress do not justify leaving them idle: those may take long, and may fail (I5).
        while (!_suspended && _queue.Count > _validating - _overdueValidations && _idle.TryTake() is { } entry)
        {
            BeginValidation(entry, now, ref actions);
        }

        // Without a free slot, the wanted work can wait for one: its release plans again.
        var wanted = _live < _settings.MaxSize ? Wanted(now) : 0;
        if (wanted <= 0)
        {
            return true;
        }

        var allowance = _throttle.Allowance(now >= RetryAt, _settings.StartsSlowly && _live - _creating - _destroying > 0, _settings.MaxConcurrentCreates);
        var room = Math.Min(Math.Min(wanted, _settings.MaxSize - _live), allowance - _creating);
        var hasCapacity = true;
        for (; hasCapacity && room > 0; room--)
        {
            var forCaller = !_suspended && _queue.Count > Supplies;
            hasCapacity = _budget is null || _budget.TryTake(now, forCaller);
            if (hasCapacity)
            {
                BeginCreation(ref actions);
            }
            else
            {
                actions.CapacityMissing = forCaller;
            }
        }

        // Once the prober is in progress, its end plans again; a check scheduled for a time in the past would recur at once, endlessly.
        if (_throttle.InOutage && RetryAt > now)
        {
            actions.CheckNoLaterThan(RetryAt);
        }

        return hasCapacity;
    }

    /// <summary>Whether there are callers that wait until a creation succeeds.</summary>
    private bool CallersWaitOutOutages => _queue.Count > 0 && _callersBehind != 0 && !_suspended && !_settings.FailsFast;

    /// <summary>When the next creation may be attempted, while in an outage.</summary>
    private long RetryAt =>
        _settings.CallersBackOff && _callersBehind > 0 ? _throttle.FailedAt : _throttle.RetryAt(CallersWaitOutOutages);

    /// <summary>Whether callers without an item on its way are refused: nothing can be created yet.</summary>
    private bool RefusesToWait(long now) =>
        (_settings.FailsFast || _throttle.IsPermanent) && !_suspended && _throttle.InOutage && now < RetryAt;

    /// <summary>The number of further creations that are needed, beyond those in progress.</summary>
    private int Wanted(long now)
    {
        var waiting = _suspended ? 0 : _queue.Count;
        var wanted = waiting - Supplies;
        if (_lifecycle != Lifecycle.Open)
        {
            return wanted;
        }

        wanted = Math.Max(wanted, _warmTarget - (_live - _destroying));
        if (_refill)
        {
            var missing = _settings.MinIdle - (_idle.Count - CountExpiringSoon(now)) - SuppliesWithUpkeep + waiting;
            _refill = missing > 0;
            wanted = Math.Max(wanted, missing);
        }

        return wanted;
    }

    private void BeginCreation(ref DeferredActions<T> actions)
    {
        _live++;
        _creating++;
        _counters.PeakLive = Math.Max(_counters.PeakLive, _live);
        if (_settings.CreatesSynchronously && _queue.SynchronousCount > _creatingSynchronously)
        {
            _creatingSynchronously++;
            actions.SynchronousCreations++;
        }
        else
        {
            actions.Creations++;
        }
    }

    private void EndCreation(bool synchronously, long now, ref DeferredActions<T> actions)
    {
        _creating--;
        _creatingSynchronously -= synchronously ? 1 : 0;
        if (_delays is { IsStarting: true })
        {
            // From here on the pool can serve callers, or it is certain that it cannot soon.
            _delays.Restart(now);
            actions.CheckNoLaterThan(NextQueueCheck(now));
        }
    }

    private void BeginValidation(ResourceEntry<T> entry, long now, ref DeferredActions<T> actions)
    {
        SetState(entry, EntryState.Validating);
        RelyOn(entry, now, ref actions);
        actions.Begin(entry);
    }

    /// <summary>Marks the start of a check that callers may rely on for a limited time.</summary>
    private void RelyOn(ResourceEntry<T> entry, long now, ref DeferredActions<T> actions)
    {
        entry.CheckedSince = now;
        if (_queue.Count > 0)
        {
            actions.CheckNoLaterThan(PoolClock.Add(now, PatienceWith(entry)));
        }
    }

    /// <summary>Fails the waiters if no live item could be returned and nothing can be created yet.</summary>
    private void FailWaitersForNothing(long now, ref DeferredActions<T> actions)
    {
        if (_queue.Count > 0 && _live == _destroying && RefusesToWait(now))
        {
            FailWaiters(failure: null, now, ref actions);
        }
    }

    /// <summary>Fails waiters after an item that a caller was waiting for turned out to be unusable and no other is on its way.</summary>
    private void FailDependentWaiters(EntryState activity, long now, ref DeferredActions<T> actions)
    {
        if (activity is not EntryState.None and not EntryState.Destroying && _queue.Count > SuppliesWithUpkeep + _idle.Count && RefusesToWait(now))
        {
            FailWaiters(failure: null, now, ref actions);
        }
    }

    /// <summary>Fails the oldest caller with the failure itself; the others only if no item that would serve them can be returned.</summary>
    private void FailWaiters(Exception? failure, long now, ref DeferredActions<T> actions)
    {
        while (_queue.Head is { } waiter)
        {
            if (waiter.TryComplete(WaitOutcome.Failed))
            {
                waiter.Failure = failure;
                Dequeue(waiter, now);
                actions.Wake(waiter);
                failure = null;
                if (_live - _destroying > 0)
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
}
