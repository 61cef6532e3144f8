namespace Poolhouse.Resources;

/// <content>What is begun once the gate is open.</content>
// Each effect is taken out before it is begun. One that cannot begin for lack of memory keeps what it holds (capacity, an entry, a decided
// waiter) and is begun by the next section under the gate, at the latest by that of the look that is asked for. So nothing is thrown at a
// caller or returner whose own operation is done, and the effects behind it are not skipped.
internal sealed partial class ResourceCore<T>
{
    // Under the gate, as the flag that says whether there are any.
    private DeferredActions<T> _postponed = DeferredActions<T>.None;
    private bool _hasPostponed;

    /// <summary>Whether something could not be begun yet. Under the gate, or where nothing else runs.</summary>
    internal bool HasPostponed => _hasPostponed;

    private void Apply(ref DeferredActions<T> effects)
    {
        var postponed = DeferredActions<T>.None;
        var isPostponed = false;
        while (effects.TakeWoken() is { } waiter)
        {
            if (!TryWake(waiter))
            {
                postponed.Wake(waiter);
                isPostponed = true;
            }
        }

        while (effects.TakeEntry() is { } entry)
        {
            if (!TryBegin(entry))
            {
                postponed.Begin(entry);
                isPostponed = true;
            }
        }

        for (; effects.SynchronousCreations > 0; effects.SynchronousCreations--)
        {
            if (!TryBeginCreate(synchronously: true))
            {
                postponed.SynchronousCreations++;
                isPostponed = true;
            }
        }

        for (; effects.Creations > 0; effects.Creations--)
        {
            if (!TryBeginCreate(synchronously: false))
            {
                postponed.Creations++;
                isPostponed = true;
            }
        }

        if (effects.NextCheckAt != PoolClock.Never && !TryLookAt(effects.NextCheckAt))
        {
            postponed.CheckNoLaterThan(effects.NextCheckAt);
            isPostponed = true;
        }

        isPostponed |= !TryShare(ref effects);
        isPostponed |= !IsOpen && !TryClose();
        if (isPostponed)
        {
            Postpone(ref postponed, effects.Now);
        }
    }

    private static bool TryWake(Waiter<T> waiter)
    {
        try
        {
            waiter.Wake();
            return true;
        }
        catch (Exception failure) when (WorkScheduler.IsLackOfMemory(failure))
        {
            return false;
        }
    }

    private bool TryBegin(ResourceEntry<T> entry)
    {
        try
        {
            if (entry.State == EntryState.Destroying)
            {
                _work.BeginDestroy(entry, entry.ExpiryReason);
            }
            else
            {
                _work.BeginCheck(entry, keepAlive: entry.State == EntryState.KeepingAlive);
            }

            return true;
        }
        catch (Exception failure) when (WorkScheduler.IsLackOfMemory(failure))
        {
            return false;
        }
    }

    private bool TryBeginCreate(bool synchronously)
    {
        try
        {
            _work.BeginCreate(synchronously);
            return true;
        }
        catch (Exception failure) when (WorkScheduler.IsLackOfMemory(failure))
        {
            return false;
        }
    }

    private bool TryLookAt(long time)
    {
        try
        {
            _work.ScheduleAt(time);
            return true;
        }
        catch (Exception failure) when (WorkScheduler.IsLackOfMemory(failure))
        {
            return false;
        }
    }

    private bool TryShare(ref DeferredActions<T> effects)
    {
        if (_budget is not null && (effects.CapacityFreed > 0 || effects.WantWithdrawn))
        {
            _budget.Release(effects.CapacityFreed, effects.CapacityYielded);
        }

        try
        {
            if (_budget is not null && effects.CapacityMissing)
            {
                _budget.RequestReclaim();
            }

            return true;
        }
        catch (Exception failure) when (WorkScheduler.IsLackOfMemory(failure))
        {
            // The next plan is refused the place again, and presses again.
            return false;
        }
    }

    private bool TryClose()
    {
        try
        {
            _work.Closing();
            return true;
        }
        catch (Exception failure) when (WorkScheduler.IsLackOfMemory(failure))
        {
            // Every section of a closed pool ends here.
            return false;
        }
    }

    private void Postpone(ref DeferredActions<T> effects, long now)
    {
        using (_gate.Enter())
        {
            _postponed.Add(ref effects);
            _hasPostponed = true;
        }

        // Without a timer either, the next rent or return takes it up.
        TryLookAt(PoolClock.Add(now, Settings.RetryDelay));
    }

    private void TakeUpPostponed(ref DeferredActions<T> effects)
    {
        if (_hasPostponed)
        {
            effects.Add(ref _postponed);
            _hasPostponed = false;
        }
    }
}
