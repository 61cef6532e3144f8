using Poolhouse.Kernel.Time;
using Poolhouse.Resources.Engine.Items;
using Poolhouse.Resources.Engine.Waiting;

namespace Poolhouse.Resources.Engine.Core;

/// <content>Timed work, and the operations that pools expose: warm up, reconfigure, suspend, clear, trim, close.</content>
internal sealed partial class ResourceCore<T>
{
    /// <summary>Ends the waits whose timeout has elapsed, and sheds callers in a queue that is stalled.</summary>
    /// <returns>When to check again.</returns>
    // The plan at the end of the section includes an attempt that only now became due: the retry after a failed creation.
    public long Expire(long now)
    {
        using var section = EnterGate(now);
        var next = _callers.EndTimedOut(now);
        _checks.Find(now, out var nextSlow);
        return Math.Min(next, nextSlow);
    }

    /// <summary>Trims idle items, destroys expired ones, keeps items alive, refills the pool and checks for leaks.</summary>
    /// <param name="now">The time.</param>
    /// <param name="leaks">Receives the leases that have exceeded the leak threshold, each once.</param>
    /// <returns>When to check again.</returns>
    public long Sweep(long now, ICollection<(long Number, long LeasedFor, LeaseTrace? Trace)> leaks)
    {
        using var section = EnterGate(now);
        return _sweeper.Sweep(now, leaks);
    }

    /// <summary>Requests the given number of live items, until fewer are requested.</summary>
    public void SetWarmTarget(int count, long now)
    {
        using var section = EnterGate(now);
        _planner.WarmTarget = count;
    }

    /// <summary>Applies new settings. Items beyond a smaller capacity are destroyed as they become idle.</summary>
    public void Reconfigure(ResourceSettings settings, CoDelController? delays, long now)
    {
        using var section = EnterGate(now);
        var isLifetimeShorter = settings.MaxLifetime < _state.Settings.MaxLifetime;
        _state.Settings = settings;
        Volatile.Write(ref _settings, settings);
        _state.Queue.Reconfigure(delays, now);
        _minimum.Refill();
        UpdateSlowPathReasonsLocked();
        if (isLifetimeShorter)
        {
            _destruction.ApplyLifetime();
            _destruction.DestroyExpired(now);
        }

        _destruction.DestroySurplus();

        // Limits may be shorter now than when the next check was scheduled.
        _state.Actions.CheckNoLaterThan(now);
    }

    public void Suspend(long now)
    {
        using var section = EnterGate(now);
        _state.IsSuspended = true;
    }

    public void Resume(long now)
    {
        using var section = EnterGate(now);
        _state.IsSuspended = false;

        // Callers were not served on purpose; that says nothing about whether the pool can keep up.
        _callers.RestartDelays(now);
    }

    /// <summary>
    /// Lets items of the given generation or older expire within a time, each at a random moment of it; has no effect if an
    /// earlier clear after the same event does so at least as soon.
    /// </summary>
    public void Clear(long spread, int since, long now)
    {
        using var section = EnterGate(now);
        _clearing.Clear(spread, since, now);
    }

    /// <summary>Lets the given entries expire within a time, each at a random moment of it.</summary>
    public void Clear(long spread, HashSet<ResourceEntry<T>> affected, long now)
    {
        using var section = EnterGate(now);
        _clearing.Clear(spread, affected, now);
    }

    /// <summary>Lets a live entry expire at the given time, unless it expires sooner.</summary>
    public void ExpireAt(ResourceEntry<T> entry, long at, long now)
    {
        using var section = EnterGate(now);
        if (at < entry.Expiry && entry.State != EntryState.Destroying)
        {
            entry.ExpiryReason = DestroyReason.Cleared;
            entry.Expire(at);
            _state.Actions.CheckNoLaterThan(Math.Max(at, now));
        }
    }

    /// <summary>The items, and their entries.</summary>
    public List<(ResourceEntry<T> Entry, T Item)> GetItems(long now)
    {
        using var section = EnterGate(now);
        return _clearing.GetItems();
    }

    /// <summary>
    /// Requires validation of entries before their next lease, however recently they were used.
    /// </summary>
    /// <param name="since">The newest generation that is affected.</param>
    /// <param name="affected">The affected entries; null for all.</param>
    /// <param name="now">The time.</param>
    public void RequireValidation(int since, HashSet<ResourceEntry<T>>? affected, long now)
    {
        using var section = EnterGate(now);
        _clearing.RequireValidation(since, affected, now);
    }

    /// <summary>Destroys idle entries, coldest first.</summary>
    /// <returns>The number of entries.</returns>
    public int DestroyIdle(int count, DestroyReason reason, long now)
    {
        using var section = EnterGate(now);
        return _destruction.Destroy(count, reason);
    }

    /// <summary>
    /// Destroys the idle entries whose items were broken by their parents. That must be visible before the call.
    /// </summary>
    public void DestroyBrokenByParent(long now)
    {
        using var section = EnterGate(now);
        _destruction.DestroyBrokenByParent();
    }

    /// <summary>
    /// The time since which the coldest entry has been idle; <see cref="PoolClock.Never"/> if none is idle, or if a caller
    /// waits here for whom no other entry is being validated.
    /// </summary>
    public long OldestIdle()
    {
        using (_gate.Enter())
        {
            return _destruction.OldestUnneeded();
        }
    }

    /// <summary>
    /// Ends waits for which an outage has lasted too long: for a blocked caller, because a timer may not be able to.
    /// </summary>
    // Without the gate, because the next call sees an outage that begins now.
    public void EndInOutage(long now)
    {
        if (_planner.InOutage)
        {
            using var section = EnterGate(now);
        }
    }

    /// <summary>Starts the work that a slot released in a shared capacity allows.</summary>
    public void Plan(long now)
    {
        using var section = EnterGate(now);
        _state.Actions.AnswersOffer = true;
    }

    /// <summary>
    /// Rejects new callers. Draining still serves the waiting ones; otherwise their waits fail because the pool is closed.
    /// </summary>
    public void Close(bool drain, long now)
    {
        using var section = EnterGate(now);
        if (_state.Lifecycle == Lifecycle.Closed || (drain && _state.Lifecycle == Lifecycle.Draining))
        {
            return;
        }

        _state.Lifecycle = drain ? Lifecycle.Draining : Lifecycle.Closed;
        UpdateSlowPathReasonsLocked();
        if (!drain)
        {
            _state.Queue.Close(now, ref _state.Actions.Woken);
        }
    }

    /// <summary>Closes a pool that has neither items nor callers, keeps no minimum, and does not warm up.</summary>
    public bool TryCloseUnused()
    {
        using (_gate.Enter())
        {
            var isNeeded = _state.Queue.Count > 0 || _planner.WarmTarget > 0 || _state.Settings.MinIdle > 0;
            if (isNeeded || _state.Counts.Live > 0 || _state.Lifecycle != Lifecycle.Open)
            {
                return false;
            }

            _state.Lifecycle = Lifecycle.Closed;
            UpdateSlowPathReasonsLocked();
            AssertInvariantsLocked();
            return true;
        }
    }

    /// <summary>
    /// The progress of closing: whether no caller waits and nothing is alive or postponed, and whether only leases are alive.
    /// </summary>
    public (bool Empty, bool Quiescent) GetClosingState()
    {
        using (_gate.Enter())
        {
            return (
                _state.Counts.Live == 0 && _state.Queue.Count == 0 && !_state.HasPostponed,
                _state.Lifecycle == Lifecycle.Closed && _state.Counts.InProgress == 0);
        }
    }
}
