using System.Runtime.CompilerServices;
using Poolhouse.Kernel.Threading;
using Poolhouse.Kernel.Time;
using Poolhouse.Resources.Engine.Items;
using Poolhouse.Resources.Engine.PolicyCalls;
using Poolhouse.Resources.Engine.Waiting;

namespace Poolhouse.Resources.Engine.Core;

/// <summary>Starts the actions of a section after it has left the gate.</summary>
// Each action is removed from the batch before it is started. An action that cannot start for lack of memory keeps what it holds
// (capacity, an entry, a decided waiter) and is started by the next section under the gate, at the latest by that of the
// scheduled check. So no exception reaches a caller or returner whose own operation is complete, and later actions are not
// skipped.
// Locks: the gate of the core, only to postpone an action.
internal sealed class DeferredActionRunner<T>(Gate gate, CoreState<T> state)
    where T : notnull
{
    private readonly IEngineHost<T> _host = state.Host;

    public void Apply(ref DeferredActions<T> actions)
    {
        var postponed = DeferredActions<T>.None;
        var isPostponed = false;
        while (actions.Woken.Take() is { } waiter)
        {
            if (!TryWake(waiter))
            {
                postponed.Woken.Add(waiter);
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

        if (actions.NextCheckAt != PoolClock.Never && !TrySchedule(actions.NextCheckAt))
        {
            postponed.CheckNoLaterThan(actions.NextCheckAt);
            isPostponed = true;
        }

        isPostponed |= !TryUpdateSharedCapacity(ref actions);
        if (isPostponed)
        {
            Postpone(ref postponed, actions.Now);
        }

        // Last, because an empty pool stops its timer: one that has postponed work is not empty.
        if (actions.IsClosing && !TryReportClosing())
        {
            Postpone(ref postponed, actions.Now);
        }
    }

    /// <summary>Wakes one waiter, without a batch of actions.</summary>
    public void Wake(Waiter<ResourceEntry<T>> waiter, long now)
    {
        if (!TryWake(waiter))
        {
            WakeLater(waiter, now);
        }
    }

    /// <summary>Schedules the next check, without a batch of actions.</summary>
    public void Schedule(long time, long now)
    {
        if (!TrySchedule(time))
        {
            ScheduleLater(time, now);
        }
    }

    // Retried as a batch, which postpones what cannot be started.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private void WakeLater(Waiter<ResourceEntry<T>> waiter, long now)
    {
        var actions = DeferredActions<T>.None;
        actions.Now = now;
        actions.Woken.Add(waiter);
        Apply(ref actions);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void ScheduleLater(long time, long now)
    {
        var actions = DeferredActions<T>.None;
        actions.Now = now;
        actions.CheckNoLaterThan(time);
        Apply(ref actions);
    }

    private static bool TryWake(Waiter<ResourceEntry<T>> waiter)
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
                _host.BeginDestroy(entry, entry.ExpiryReason);
            }
            else
            {
                _host.BeginCheck(entry, keepAlive: entry.State == EntryState.KeepingAlive);
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
            _host.BeginCreate(synchronously);
            return true;
        }
        catch (Exception failure) when (WorkScheduler.IsLackOfMemory(failure))
        {
            return false;
        }
    }

    private bool TrySchedule(long time)
    {
        try
        {
            _host.ScheduleAt(time);
            return true;
        }
        catch (Exception failure) when (WorkScheduler.IsLackOfMemory(failure))
        {
            return false;
        }
    }

    private bool TryUpdateSharedCapacity(ref DeferredActions<T> actions)
    {
        if (state.SharedCapacity is not { } capacity)
        {
            return true;
        }

        if (actions.CapacityFreed > 0 || (actions.WantWithdrawn && !actions.AnswersOffer))
        {
            capacity.Release(actions.CapacityFreed, actions.CapacityYielded);
        }

        try
        {
            if (actions.CapacityMissing)
            {
                capacity.RequestReclaim();
            }

            return true;
        }
        catch (Exception failure) when (WorkScheduler.IsLackOfMemory(failure))
        {
            // The next plan does not get the slot either, and repeats the request.
            return false;
        }
    }

    private bool TryReportClosing()
    {
        try
        {
            _host.Closing();
            return true;
        }
        catch (Exception failure) when (WorkScheduler.IsLackOfMemory(failure))
        {
            // Every section of a draining or closed pool reports this again at its end, at the latest that of the next check.
            return false;
        }
    }

    private void Postpone(ref DeferredActions<T> actions, long now)
    {
        long retryDelay;
        using (gate.Enter())
        {
            state.Postpone(ref actions);
            retryDelay = state.Settings.RetryDelay;
        }

        // If this fails too, the next rent or return that enters the gate resumes the work.
        TrySchedule(PoolClock.Add(now, retryDelay));
    }
}
