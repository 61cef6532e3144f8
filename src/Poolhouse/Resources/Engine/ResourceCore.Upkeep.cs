using Poolhouse.Kernel.Time;
using Poolhouse.Resources.Engine.PolicyCalls;
using Poolhouse.Resources.Engine.Waiting;

namespace Poolhouse.Resources.Engine;

/// <content>Timed work: timeouts, trimming, expiry, keep-alive and leak detection.</content>
internal sealed partial class ResourceCore<T>
    where T : notnull
{
    // How many items are kept alive at once: enough for a large pool, and few enough to leave the others available to callers.
    private const int MostKeepAlives = 4;

    // Idle entries that will expire soon, as of the last sweep: their replacements are created while they are still usable.
    private int _expiringSoon;

    // Whether the last sweep left entries that are due to be kept alive, because enough were in progress: the end of one continues with them.
    private bool _keepAlivesAreDue;

    /// <summary>Ends the waits whose timeout has elapsed, and sheds callers in a queue that is stalled.</summary>
    /// <returns>When to check again.</returns>
    public long Expire(long now)
    {
        var actions = DeferredActions<T>.None;
        var next = PoolClock.Never;
        using (_gate.Enter())
        {
            var standsStill = StandsStill(now);
            var growth = Growth;
            for (var waiter = _queue.Head; waiter is not null;)
            {
                var following = waiter.Next;
                var outcome = now >= waiter.Deadline ? WaitOutcome.TimedOut
                    : standsStill && growth-- <= 0 && _delays!.IsTooLong(waiter.EnqueuedAt, now) ? WaitOutcome.Shed
                    : WaitOutcome.None;
                if (outcome == WaitOutcome.None)
                {
                    next = Math.Min(next, waiter.Deadline);
                }
                else if (waiter.TryComplete(outcome))
                {
                    Dequeue(waiter, now);
                    actions.Wake(waiter);
                }

                waiter = following;
            }

            next = Math.Min(next, NextQueueCheck(now));
            next = Math.Min(next, FindOverdue(now, ref actions));

            // An attempt that only now became due: the retry after a failed creation.
            Settle(now, ref actions);
        }

        Apply(ref actions);
        return next;
    }

    /// <summary>Whether no caller was served for too long, although the pool is neither suspended nor creating its first item.</summary>
    private bool StandsStill(long now) => NextQueueCheck(now) <= now && _delays!.StandsStill(_queue.Head!.EnqueuedAt, now);

    /// <summary>When to check whether the queue is stalled.</summary>
    private long NextQueueCheck(long now) =>
        _delays is null || _suspended || _queue.Head is not { } head || (_delays.IsStarting && _creating > 0)
            ? PoolClock.Never
            : Math.Max(now, _delays.NextCheck(head.EnqueuedAt));

    /// <summary>
    /// When to check for overdue validations and resets, for a caller that starts to wait; earlier callers have already scheduled theirs.
    /// </summary>
    private long NextLookAtChecks(long now) => Math.Min(
        _validating > _overdueValidations ? PoolClock.Add(now, _settings.ValidatePatience) : PoolClock.Never,
        _resetting > _overdueResets ? PoolClock.Add(now, _settings.ResetPatience) : PoolClock.Never);

    /// <summary>While callers wait, stops relying on checks that have taken too long: other items are found or created for them.</summary>
    /// <returns>When the next check is overdue.</returns>
    private long FindOverdue(long now, ref DeferredActions<T> actions)
    {
        var next = PoolClock.Never;
        if (_queue.Count == 0 || _validating + _resetting == Overdue)
        {
            return next;
        }

        foreach (var entry in _entries)
        {
            if (entry.IsOverdue || entry.State is not EntryState.Validating and not EntryState.Resetting)
            {
                continue;
            }

            var due = PoolClock.Add(entry.CheckedSince, PatienceWith(entry));
            if (now < due)
            {
                next = Math.Min(next, due);
            }
            else
            {
                CountOverdue(entry, 1);
                FailDependentWaiters(entry.State, now, ref actions);
            }
        }

        return next;
    }

    private long PatienceWith(ResourceEntry<T> entry) =>
        entry.State == EntryState.Resetting ? _settings.ResetPatience : _settings.ValidatePatience;

    private void CountOverdue(ResourceEntry<T> entry, int change)
    {
        entry.IsOverdue = change > 0;
        _overdueValidations += entry.State == EntryState.Validating ? change : 0;
        _overdueResets += entry.State == EntryState.Resetting ? change : 0;
    }

    /// <summary>Trims idle items, retires expired ones, keeps items alive, refills the pool and checks for leaks.</summary>
    /// <param name="now">The time.</param>
    /// <param name="leaks">Receives the leases that have exceeded the leak threshold, each once.</param>
    /// <returns>When to check again.</returns>
    public long Sweep(long now, ICollection<(long LeasedFor, LeaseTrace? Trace)> leaks)
    {
        var actions = DeferredActions<T>.None;
        var next = PoolClock.Never;
        using (_gate.Enter())
        {
            if (_lifecycle == Lifecycle.Closed)
            {
                return next;
            }

            RetireExpired(now, ref actions);
            while (_idle.Oldest is { } entry && _idle.Count > _settings.MinIdle && now - entry.IdleSince >= _settings.IdleTimeout)
            {
                _idle.Remove(entry);
                Retire(entry, DestroyReason.Idle, ref actions);
            }

            BeginKeepAlives(now, ref actions);
            _expiringSoon = 0;
            foreach (var entry in _entries)
            {
                InspectEntry(entry, now, leaks);
                next = Math.Min(next, NextCheck(entry, now));
            }

            if (_settings.MinIdle > 0)
            {
                _refill = true;
                next = Math.Min(next, PoolClock.Add(now, _settings.RefillInterval));
            }

            Settle(now, ref actions);
        }

        Apply(ref actions);
        return next;
    }

    /// <summary>When an entry next needs a check.</summary>
    private long NextCheck(ResourceEntry<T> entry, long now)
    {
        if (entry.State == EntryState.Destroying)
        {
            return PoolClock.Never;
        }

        // For an entry that may become idle by then, the time starts now; for an idle entry it has started already.
        var leased = !entry.IsListed;
        var idleEnds = PoolClock.Add(leased ? now : entry.IdleSince, _settings.IdleTimeout);
        var keepAlive = leased ? PoolClock.Add(now, _settings.KeepAliveInterval) : NextKeepAlive(entry, now);

        // The use of a shared item may not have begun: RentedAt is never, then.
        var leak = PoolClock.Add(entry.IsLeased && entry.LeakedUse != entry.Uses ? Math.Min(entry.RentedAt, now) : now, _settings.LeakThreshold);
        var next = Math.Min(idleEnds > now ? idleEnds : PoolClock.Add(now, _settings.IdleTimeout), Math.Min(keepAlive, leak));
        var ahead = entry.Expiry - _settings.ReplaceAhead;
        next = Math.Min(next, ahead > now ? ahead : entry.Expiry > now ? entry.Expiry : PoolClock.Never);
        return Math.Max(next, now + 1);
    }

    /// <summary>When an entry is next due to be kept alive; an overdue one already waits for another to finish.</summary>
    private long NextKeepAlive(ResourceEntry<T> entry, long now)
    {
        var due = PoolClock.Add(entry.FreshSince, _settings.KeepAliveInterval);
        return due > now ? due : PoolClock.Never;
    }

    /// <summary>Starts to keep idle entries alive that are due, the longest overdue first; a few at a time.</summary>
    private void BeginKeepAlives(long now, ref DeferredActions<T> actions)
    {
        _keepAlivesAreDue = false;
        while (_settings.KeepAliveInterval != PoolClock.Never && FindStalest(now) is { } entry)
        {
            if (_keepingAlive >= MostKeepAlives)
            {
                _keepAlivesAreDue = true;
                return;
            }

            _idle.Remove(entry);
            SetState(entry, EntryState.KeepingAlive);
            actions.Begin(entry);
        }
    }

    private ResourceEntry<T>? FindStalest(long now)
    {
        ResourceEntry<T>? stalest = null;
        foreach (var entry in _entries)
        {
            if (entry.IsListed && now - entry.FreshSince >= _settings.KeepAliveInterval && (stalest is null || entry.FreshSince < stalest.FreshSince))
            {
                stalest = entry;
            }
        }

        return stalest;
    }

    private void OnKeepAliveEnded(ResourceEntry<T> entry, long now, ref DeferredActions<T> actions)
    {
        if (_keepAlivesAreDue && entry.State == EntryState.KeepingAlive)
        {
            actions.CheckNoLaterThan(now);
        }
    }

    private void InspectEntry(ResourceEntry<T> entry, long now, ICollection<(long LeasedFor, LeaseTrace? Trace)> leaks)
    {
        if (entry.IsListed)
        {
            _expiringSoon += _settings.MinIdle > 0 && now >= entry.Expiry - _settings.ReplaceAhead ? 1 : 0;
        }
        else if (entry.Uses is var use && entry.IsLeased && entry.LeakedUse != use && now - entry.RentedAt >= _settings.LeakThreshold)
        {
            try
            {
                // The lease may end and the next begin meanwhile. The use was read first, so the time is that of this use or of a later one.
                leaks.Add((now - entry.RentedAt, entry.Trace));
                entry.LeakedUse = use;
                _counters.Leaks++;
            }
            catch (Exception failure) when (WorkScheduler.IsLackOfMemory(failure))
            {
                // The next sweep reports it.
            }
        }
    }

    /// <summary>The number of idle entries that will expire soon; some that the last sweep counted may have been rented or destroyed since.</summary>
    private int CountExpiringSoon(long now)
    {
        if (_expiringSoon > 0)
        {
            _expiringSoon = 0;
            foreach (var entry in _entries)
            {
                _expiringSoon += entry.IsListed && now >= entry.Expiry - _settings.ReplaceAhead ? 1 : 0;
            }
        }

        return _expiringSoon;
    }

    private void RetireExpired(long now, ref DeferredActions<T> actions)
    {
        _idle.Gather();
        for (var entry = _idle.Oldest; entry is not null;)
        {
            var newer = entry.Newer;
            if (now >= entry.Expiry)
            {
                _idle.Remove(entry);
                Retire(entry, entry.ExpiryReason, ref actions);
            }

            entry = newer;
        }
    }
}
