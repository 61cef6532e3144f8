using Poolhouse.Kernel.Time;
using Poolhouse.Resources.Engine.PolicyCalls;
using Poolhouse.Resources.Engine.Waiting;

namespace Poolhouse.Resources.Engine;

/// <content>The effects that are started after the gate was left.</content>
// Each effect is removed from the batch before it is started. An effect that cannot start for lack of memory keeps what it holds (capacity, an
// entry, a decided waiter) and is started by the next section under the gate, at the latest by that of the scheduled check. So no exception
// reaches a caller or returner whose own operation is complete, and later effects are not skipped.
internal sealed partial class ResourceCore<T>
{
    // Accessed under the gate, like the flag that indicates whether there are any.
    private DeferredActions<T> _postponed = DeferredActions<T>.None;
    private bool _hasPostponed;

    /// <summary>Whether an effect could not be started yet. Under the gate, or where nothing else runs.</summary>
    internal bool HasPostponed => _hasPostponed;

    private void Apply(ref DeferredActions<T> actions)
    {
        var postponed = DeferredActions<T>.None;
        var isPostponed = false;
        while (actions.TakeWoken() is { } waiter)
        {
            if (!TryWake(waiter))
            {
                postponed.Wake(waiter);
                isPostponed = true;
            }
        }

        while (actions.TakeEntry() is { } entry)
        {
            if (!TryBegin(entry))
            {
                postponed.Begin(entry);
                isPostponed = true;
            }
        }

        for (; actions.SynchronousCreations > 0; actions.SynchronousCreations--)
        {
            if (!TryBeginCreate(synchronously: true))
            {
                postponed.SynchronousCreations++;
                isPostponed = true;
            }
        }

        for (; actions.Creations > 0; actions.Creations--)
        {
            if (!TryBeginCreate(synchronously: false))
            {
                postponed.Creations++;
                isPostponed = true;
            }
        }

        if (actions.NextCheckAt != PoolClock.Never && !TryLookAt(actions.NextCheckAt))
        {
            postponed.CheckNoLaterThan(actions.NextCheckAt);
            isPostponed = true;
        }

        isPostponed |= !TryShare(ref actions);
        isPostponed |= !IsOpen && !TryClose();
        if (isPostponed)
        {
            Postpone(ref postponed, actions.Now);
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

    private bool TryShare(ref DeferredActions<T> actions)
    {
        if (_budget is not null && (actions.CapacityFreed > 0 || actions.WantWithdrawn))
        {
            _budget.Release(actions.CapacityFreed, actions.CapacityYielded);
        }

        try
        {
            if (_budget is not null && actions.CapacityMissing)
            {
                _budget.RequestReclaim();
            }

            return true;
        }
        catch (Exception failure) when (WorkScheduler.IsLackOfMemory(failure))
        {
            // The next plan is refused the slot again, and requests it again.
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

    private void Postpone(ref DeferredActions<T> actions, long now)
    {
        using (_gate.Enter())
        {
            _postponed.Add(ref actions);
            _hasPostponed = true;
        }

        // Without a timer as well, the next rent or return resumes the work.
        TryLookAt(PoolClock.Add(now, Settings.RetryDelay));
    }

    private void TakeUpPostponed(ref DeferredActions<T> actions)
    {
        if (_hasPostponed)
        {
            actions.Add(ref _postponed);
            _hasPostponed = false;
        }
    }
}
