using Poolhouse.Resources.Engine.Items;
using Poolhouse.Resources.Engine.Waiting;

namespace Poolhouse.Resources.Engine.Core;

/// <summary>
/// Timed work on a <see cref="ResourceCore{T}"/>, and the operations that pools expose: warm up, reconfigure, suspend, clear,
/// trim, close.
/// </summary>
// Has no state of its own, and is a value for that reason: each operation is one section under the gate of the core, whose
// invariants hold.
internal readonly struct CoreOperators<T>(ResourceCore<T> core, Gate gate, CoreState<T> state)
    where T : notnull
{
    /// <summary>Ends the waits whose timeout has elapsed, and sheds callers in a queue that is stalled.</summary>
    /// <returns>When to check again.</returns>
    // The plan at the end of the section includes an attempt that only now became due: the retry after a failed creation.
    public long Expire(long now)
    {
        using var section = core.EnterGate(now);
        return Math.Min(core.Callers.EndTimedOut(now), core.Checks.Find(now));
    }

    /// <summary>Trims idle items, destroys expired ones, keeps items alive and refills the pool.</summary>
    /// <returns>When to check again.</returns>
    public long Sweep(long now)
    {
        using var section = core.EnterGate(now);
        return core.Sweeper.Sweep(now);
    }

    /// <summary>Requests the given number of live items, until fewer are requested.</summary>
    public void SetWarmTarget(int count, long now)
    {
        using var section = core.EnterGate(now);
        core.Planner.WarmTarget = count;
    }

    /// <summary>Applies new settings. Items beyond a smaller capacity are destroyed as they become idle.</summary>
    public void Reconfigure(ResourceSettings settings, CoDelController? delays, long now)
    {
        using var section = core.EnterGate(now);
        var isLifetimeShorter = settings.MaxLifetime < state.Settings.MaxLifetime;
        core.Planner.OnRoom(now);
        core.SetSettingsLocked(settings);
        state.Queue.Reconfigure(delays, now);
        core.Minimum.Refill();
        core.UpdateSlowPathReasonsLocked();
        if (isLifetimeShorter)
        {
            core.Destruction.ApplyLifetime();
            core.Destruction.DestroyExpired(now);
        }

        core.Destruction.DestroySurplus();

        // Limits may be shorter now than when the next check was scheduled.
        state.Actions.CheckNoLaterThan(now);
    }

    public void Suspend(long now)
    {
        using var section = core.EnterGate(now);
        state.IsSuspended = true;
    }

    public void Resume(long now)
    {
        using var section = core.EnterGate(now);
        state.IsSuspended = false;

        // Callers were not served on purpose; that says nothing about whether the pool can keep up.
        core.Callers.RestartDelays(now);
    }

    /// <summary>
    /// Lets items of the given generation or older expire within a time, each at a random moment of it; has no effect if an
    /// earlier clear after the same event does so at least as soon.
    /// </summary>
    public void Clear(long spread, int since, long now)
    {
        using var section = core.EnterGate(now);
        core.Clearing.Clear(spread, since, now);
    }

    /// <summary>Lets the given entries expire within a time, each at a random moment of it.</summary>
    public void Clear(long spread, HashSet<ResourceEntry<T>> affected, long now)
    {
        using var section = core.EnterGate(now);
        core.Clearing.Clear(spread, affected, now);
    }

    /// <summary>Lets a live entry expire at the given time, unless it expires sooner.</summary>
    public void ExpireAt(ResourceEntry<T> entry, long at, long now)
    {
        using var section = core.EnterGate(now);
        core.Clearing.Expire(entry, at, now);
    }

    /// <summary>The items, and their entries.</summary>
    public List<(ResourceEntry<T> Entry, T Item)> GetItems(long now)
    {
        using var section = core.EnterGate(now);
        return core.Clearing.GetItems();
    }

    /// <summary>
    /// Requires validation of entries before their next lease, however recently they were used.
    /// </summary>
    /// <param name="since">The newest generation that is affected.</param>
    /// <param name="affected">The affected entries; null for all.</param>
    /// <param name="now">The time.</param>
    public void RequireValidation(int since, HashSet<ResourceEntry<T>>? affected, long now)
    {
        using var section = core.EnterGate(now);
        core.Clearing.RequireValidation(since, affected, now);
    }

    /// <summary>Destroys idle entries, coldest first.</summary>
    /// <returns>The number of entries.</returns>
    public int DestroyIdle(int count, DestroyReason reason, long now)
    {
        using var section = core.EnterGate(now);
        return core.Destruction.Destroy(count, reason);
    }

    /// <summary>
    /// Destroys the idle entries whose items were broken by their parents. That must be visible before the call.
    /// </summary>
    public void DestroyBrokenByParent(long now)
    {
        using var section = core.EnterGate(now);
        core.Destruction.DestroyBrokenByParent();
    }

    /// <summary>
    /// The time since which the coldest entry has been idle; <see cref="PoolClock.Never"/> if none is idle, or if a caller
    /// waits here for whom no other entry is being validated.
    /// </summary>
    public long OldestIdle()
    {
        using (gate.Enter())
        {
            return core.Destruction.OldestUnneeded();
        }
    }

    /// <summary>
    /// Rejects new callers. Draining still serves the waiting ones; otherwise their waits fail because the pool is closed.
    /// </summary>
    public void Close(bool drain, long now)
    {
        using var section = core.EnterGate(now);
        if (state.Lifecycle == Lifecycle.Closed || (drain && state.Lifecycle == Lifecycle.Draining))
        {
            return;
        }

        state.Lifecycle = drain ? Lifecycle.Draining : Lifecycle.Closed;
        core.UpdateSlowPathReasonsLocked();
        if (!drain)
        {
            state.Queue.Close(now, ref state.Actions.Woken);
        }
    }

    /// <summary>Closes a pool that has neither items nor callers, keeps no minimum, and does not warm up.</summary>
    public bool TryCloseUnused()
    {
        using (gate.Enter())
        {
            var isNeeded = state.Queue.Count > 0 || core.Planner.WarmTarget > 0 || state.Settings.MinIdle > 0;
            if (isNeeded || state.Counts.Live > 0 || state.Lifecycle != Lifecycle.Open)
            {
                return false;
            }

            state.Lifecycle = Lifecycle.Closed;
            core.UpdateSlowPathReasonsLocked();
            core.AssertInvariantsLocked();
            return true;
        }
    }

    /// <summary>
    /// The progress of closing: whether no caller waits and nothing is alive or postponed, and whether only leases are alive.
    /// </summary>
    public (bool Empty, bool Quiescent) GetClosingState()
    {
        using (gate.Enter())
        {
            return (
                state.Counts.Live == 0 && state.Queue.Count == 0 && !state.HasPostponed,
                state.Lifecycle == Lifecycle.Closed && state.Counts.InProgress == 0);
        }
    }
}
