using Poolhouse.Kernel.Time;
using Poolhouse.Resources.Engine.Waiting;

namespace Poolhouse.Resources.Engine;

/// <content>Operations that pools expose: warm up, reconfigure, suspend, clear, trim, close.</content>
internal sealed partial class ResourceCore<T>
{
    /// <summary>The current generation: a creation that starts now is younger than every clear up to it.</summary>
    public int Generation => Volatile.Read(ref _generation);

    /// <summary>Has an entry validated for which no caller is waiting.</summary>
    public void Check(ResourceEntry<T> entry, long now)
    {
        var actions = DeferredActions<T>.None;
        using (_gate.Enter())
        {
            BeginValidation(entry, now, ref actions);
            Settle(now, ref actions);
        }

        Apply(ref actions);
    }

    /// <summary>Requests the given number of live items, until fewer are requested.</summary>
    public void SetWarmTarget(int count, long now)
    {
        var actions = DeferredActions<T>.None;
        using (_gate.Enter())
        {
            _warmTarget = count;
            Settle(now, ref actions);
        }

        Apply(ref actions);
    }

    /// <summary>Applies new settings. Items beyond a smaller capacity are destroyed as they become idle.</summary>
    public void Reconfigure(ResourceSettings settings, CoDelController? delays, long now)
    {
        var actions = DeferredActions<T>.None;
        using (_gate.Enter())
        {
            Volatile.Write(ref _settings, settings);
            _delays = delays;
            _delays?.Restart(now);
            _refill |= settings.MinIdle > 0;
            UpdateSlowPathReasons();
            RetireSurplus(ref actions);
            Settle(now, ref actions);
        }

        // Limits may be shorter now than when the next check was scheduled.
        actions.CheckNoLaterThan(now);
        Apply(ref actions);
    }

    public void Suspend(long now)
    {
        var actions = DeferredActions<T>.None;
        using (_gate.Enter())
        {
            _suspended = true;
            Settle(now, ref actions);
        }

        Apply(ref actions);
    }

    public void Resume(long now)
    {
        var actions = DeferredActions<T>.None;
        using (_gate.Enter())
        {
            _suspended = false;

            // Callers were not served on purpose; that says nothing about whether the pool can keep up.
            _delays?.Restart(now);
            actions.CheckNoLaterThan(NextQueueCheck(now));
            Settle(now, ref actions);
        }

        Apply(ref actions);
    }

    /// <summary>
    /// Lets items of the given generation or older expire within a time, each at a random moment of it; unless a clear in progress
    /// does that as soon.
    /// </summary>
    public void Clear(long spread, int since, long now)
    {
        var actions = DeferredActions<T>.None;
        using (_gate.Enter())
        {
            // A later report of the same event must not draw the moments again: the earliest of several draws is no longer spread evenly.
            var isNews = since >= _generation;
            if (!isNews && PoolClock.Add(now, spread) >= _clearedBy)
            {
                return;
            }

            var cleared = _generation - (isNews ? 0 : 1);
            Volatile.Write(ref _generation, cleared + 1);
            _clearedBy = PoolClock.Add(now, spread);
            foreach (var entry in _entries)
            {
                if (entry.Generation > cleared)
                {
                    continue;
                }

                // "At once" means before any time that a coarse clock may still show.
                var at = spread == 0 ? PoolClock.Past : now + (long)(spread * _random.NextDouble());
                if (at < entry.Expiry && entry.State != EntryState.Destroying)
                {
                    entry.ExpiryReason = DestroyReason.Cleared;
                    entry.Expire(at);
                    actions.CheckNoLaterThan(Math.Max(at, now));
                }
            }

            RetireExpired(now, ref actions);
            Settle(now, ref actions);
        }

        Apply(ref actions);
    }

    /// <summary>Requires validation of entries before their next lease, however recently they were used; or expires them at once.</summary>
    /// <param name="since">The newest generation that is affected.</param>
    /// <param name="affects">Selects the affected items; null for all. Called under the gate, so it must be code of the library.</param>
    /// <param name="expires">Whether they are expired.</param>
    /// <param name="now">The time.</param>
    public void RequireValidation(int since, Func<T, bool>? affects, bool expires, long now)
    {
        var actions = DeferredActions<T>.None;
        using (_gate.Enter())
        {
            foreach (var entry in _entries)
            {
                if (entry.Generation > since || entry.State == EntryState.Destroying || entry.Item is not { } item || affects?.Invoke(item) == false)
                {
                    continue;
                }

                if (expires)
                {
                    entry.ExpiryReason = DestroyReason.Cleared;
                    entry.ExpiresAt = PoolClock.Past;
                }
                else if (_settings.ValidateAfterIdle != PoolClock.Never)
                {
                    entry.Doubt();
                }
            }

            RetireExpired(now, ref actions);
            Settle(now, ref actions);
        }

        Apply(ref actions);
    }

    /// <summary>Destroys idle entries, coldest first.</summary>
    /// <returns>The number of entries.</returns>
    public int RetireIdle(int count, DestroyReason reason, long now)
    {
        var actions = DeferredActions<T>.None;
        var retired = 0;
        using (_gate.Enter())
        {
            _idle.Gather();
            for (; retired < count && _idle.Oldest is { } entry; retired++)
            {
                _idle.Remove(entry);
                Retire(entry, reason, ref actions);
            }

            Settle(now, ref actions);
        }

        Apply(ref actions);
        return retired;
    }

    /// <summary>Destroys the idle entries whose items were revoked. That must be visible before the call.</summary>
    // An entry that is not idle now is checked under the gate before it can become so (Dispatch). Only a return into a cell
    // bypasses the gate: the returning thread checks again afterwards.
    public void RetireRevoked(long now)
    {
        var actions = DeferredActions<T>.None;
        using (_gate.Enter())
        {
            _idle.Gather();
            for (var entry = _idle.Oldest; entry is not null;)
            {
                var newer = entry.Newer;
                if (_work.IsRevoked(entry))
                {
                    _idle.Remove(entry);
                    Retire(entry, DestroyReason.ParentRetired, ref actions);
                }

                entry = newer;
            }

            Settle(now, ref actions);
        }

        Apply(ref actions);
    }

    /// <summary>
    /// Since when the coldest entry has been idle; never, if none is, or if a caller waits here for whom no other entry is being validated.
    /// </summary>
    public long OldestIdle()
    {
        using (_gate.Enter())
        {
            _idle.Gather();
            var isSpare = _suspended || _queue.Count <= _validating - _overdueValidations;
            return isSpare && _idle.Oldest is { } oldest ? oldest.IdleSince : PoolClock.Never;
        }
    }

    /// <summary>Closes a pool that has neither items nor callers, and does not warm up.</summary>
    public bool TryCloseUnused()
    {
        using (_gate.Enter())
        {
            if (_live > 0 || _queue.Count > 0 || _warmTarget > 0 || _lifecycle != Lifecycle.Open)
            {
                return false;
            }

            _lifecycle = Lifecycle.Closed;
            UpdateSlowPathReasons();
            return true;
        }
    }

    /// <summary>Starts the work that a slot released in a shared capacity allows.</summary>
    public void Reconsider(long now)
    {
        var actions = DeferredActions<T>.None;
        using (_gate.Enter())
        {
            Settle(now, ref actions);
        }

        // The shared capacity, which makes this call, continues with the next pool by itself.
        actions.WantWithdrawn = false;

        Apply(ref actions);
    }

    /// <summary>Rejects new callers. Draining still serves the waiting ones; otherwise their waits fail because the pool is closed.</summary>
    public void Close(bool drain, long now)
    {
        var actions = DeferredActions<T>.None;
        using (_gate.Enter())
        {
            if (_lifecycle == Lifecycle.Closed || (drain && _lifecycle == Lifecycle.Draining))
            {
                return;
            }

            _lifecycle = drain ? Lifecycle.Draining : Lifecycle.Closed;
            UpdateSlowPathReasons();
            while (!drain && _queue.Head is { } waiter)
            {
                if (waiter.TryComplete(WaitOutcome.Closed))
                {
                    Dequeue(waiter, now);
                    actions.Wake(waiter);
                }
                else
                {
                    Unqueue(waiter);
                }
            }

            Settle(now, ref actions);
        }

        Apply(ref actions);
    }

    /// <summary>The progress of closing: whether no caller waits and nothing is alive, and whether nothing is alive but leases.</summary>
    public (bool Empty, bool AtRest) GetClosingState()
    {
        using (_gate.Enter())
        {
            var underWay = _creating + _validating + _keepingAlive + _resetting + _destroying;
            return (_live == 0 && _queue.Count == 0, _lifecycle == Lifecycle.Closed && underWay == 0);
        }
    }

    private void RetireSurplus(ref DeferredActions<T> actions)
    {
        _idle.Gather();
        while (_live - _destroying > _settings.MaxSize && _idle.Oldest is { } entry)
        {
            _idle.Remove(entry);
            Retire(entry, DestroyReason.Surplus, ref actions);
        }
    }

    /// <summary>Retires idle entries that have no use any more, because no caller waits and new ones are rejected.</summary>
    private void RetireIdleIfDrained(ref DeferredActions<T> actions)
    {
        if (_lifecycle == Lifecycle.Open || _queue.Count > 0)
        {
            return;
        }

        _idle.Gather();
        while (_idle.Oldest is { } entry)
        {
            _idle.Remove(entry);
            Retire(entry, DestroyReason.PoolDisposed, ref actions);
        }
    }
}
