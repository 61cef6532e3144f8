using Poolhouse.Resources.Engine.Items;
using Poolhouse.Resources.Engine.PolicyCalls;
using Poolhouse.Resources.Engine.Waiting;

namespace Poolhouse.Resources.Engine.Core;

/// <summary>Starts the actions of a section after it has left the gate.</summary>
// Each action is removed from the batch before it is started. If one cannot start for lack of memory, it keeps what it holds
// (capacity, an entry, a decided waiter), and the next section under the gate starts it and the rest of the batch, at the latest
// that of the scheduled check. So no exception reaches a caller or returner whose own operation is complete.
// Locks: the gate of the core, only to postpone actions.
internal sealed class DeferredActionRunner<T>(Gate gate, CoreState<T> state)
    where T : notnull
{
    private readonly IEngineHost<T> _host = state.Host;

    public void Apply(ref DeferredActions<T> actions)
    {
        Wake(ref actions.Woken, actions.Now);
        ResourceEntry<T>? entry = null;
        try
        {
            while ((entry = actions.TakeEntry()) is not null)
            {
                Begin(entry);
            }

            for (; actions.SynchronousCreations > 0; actions.SynchronousCreations--)
            {
                _host.BeginCreate(synchronously: true);
            }

            for (; actions.Creations > 0; actions.Creations--)
            {
                _host.BeginCreate(synchronously: false);
            }

            if (actions.NextCheckAt != PoolClock.Never)
            {
                _host.ScheduleAt(actions.NextCheckAt);
            }

            UpdateSharedCapacity(ref actions);

            // Last, because an empty pool stops its timer. Every section of a draining or closed pool reports this.
            if (actions.IsClosing)
            {
                _host.Closing();
            }
        }
        catch (Exception failure) when (WorkScheduler.IsLackOfMemory(failure))
        {
            if (entry is not null)
            {
                actions.Begin(entry);
            }

            Postpone(ref actions, actions.Now);
        }
    }

    /// <summary>Wakes callers, without a batch of actions.</summary>
    // One by one: a caller whose wait has ended does not depend on what another one lacks.
    public void Wake(ref WokenCallers woken, long now)
    {
        while (woken.Take() is { } caller)
        {
            Wake(caller, now);
        }
    }

    /// <summary>Wakes one caller, without a batch of actions.</summary>
    public void Wake(WokenCallers.Caller caller, long now)
    {
        try
        {
            caller.Wake();
        }
        catch (Exception failure) when (WorkScheduler.IsLackOfMemory(failure))
        {
            var actions = DeferredActions<T>.None;
            actions.Woken.Add(caller);
            Postpone(ref actions, now);
        }
    }

    /// <summary>Schedules the next check, without a batch of actions.</summary>
    public void Schedule(long time, long now)
    {
        try
        {
            _host.ScheduleAt(time);
        }
        catch (Exception failure) when (WorkScheduler.IsLackOfMemory(failure))
        {
            var actions = DeferredActions<T>.None;
            actions.CheckNoLaterThan(time);
            Postpone(ref actions, now);
        }
    }

    private void Begin(ResourceEntry<T> entry)
    {
        if (entry.State == EntryState.Destroying)
        {
            _host.BeginDestroy(entry, entry.ExpiryReason);
        }
        else
        {
            _host.BeginCheck(entry, keepAlive: entry.State == EntryState.KeepingAlive);
        }
    }

    private void UpdateSharedCapacity(ref DeferredActions<T> actions)
    {
        if (state.SharedCapacity is not { } capacity)
        {
            return;
        }

        var (freed, yielded) = (actions.CapacityFreed, actions.CapacityYielded);
        (actions.CapacityFreed, actions.CapacityYielded) = (0, 0);
        if (freed > 0 || (actions.WantWithdrawn && !actions.AnswersOffer))
        {
            capacity.Release(freed, yielded);
        }

        if (actions.CapacityMissing)
        {
            capacity.RequestReclaim();
        }
    }

    private void Postpone(ref DeferredActions<T> actions, long now)
    {
        long next;
        using (gate.Enter())
        {
            // A deadline among the actions is not postponed.
            var (check, retry) = (actions.NextCheckAt, PoolClock.Add(now, state.Settings.RetryDelay));
            next = check > now ? Math.Min(check, retry) : retry;
            state.Postpone(ref actions);
        }

        try
        {
            _host.ScheduleAt(next);
        }
        catch (Exception failure) when (WorkScheduler.IsLackOfMemory(failure))
        {
            // The next rent or return that enters the gate resumes the work.
        }
    }
}
