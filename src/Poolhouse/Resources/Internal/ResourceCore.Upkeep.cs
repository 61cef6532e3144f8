namespace Poolhouse.Resources;

/// <content>What happens with time, and what operators ask for.</content>
internal sealed partial class ResourceCore<T>
    where T : notnull
{
    // Idle entries that will expire soon, as the last sweep saw it: their replacements are made while they still serve.
    private int _expiringSoon;

    /// <summary>Which clears a creation that begins now is younger than.</summary>
    public int Generation => Volatile.Read(ref _generation);

    /// <summary>How many items are alive and not under creation.</summary>
    public int Ready
    {
        get
        {
            lock (_gate)
            {
                return _live - _creating - _destroying;
            }
        }
    }

    /// <summary>How many creations have failed in a row.</summary>
    public int Failures
    {
        get
        {
            lock (_gate)
            {
                return _throttle.Failures;
            }
        }
    }

    /// <summary>Has an entry validated that nobody waits for.</summary>
    public void Check(ResourceEntry<T> entry)
    {
        var effects = Effects<T>.None;
        lock (_gate)
        {
            BeginValidation(entry, ref effects);
        }

        Apply(ref effects);
    }

    /// <summary>Asks for so many items alive, until asked for fewer.</summary>
    public void SetWarmTarget(int count, long now)
    {
        var effects = Effects<T>.None;
        lock (_gate)
        {
            _warmTarget = count;
            Plan(now, ref effects);
        }

        Apply(ref effects);
    }

    /// <summary>Puts other settings in force. What is alive beyond a smaller bound goes as it becomes idle.</summary>
    public void Reconfigure(ResourceSettings settings, DelayController? delays, long now)
    {
        var effects = Effects<T>.None;
        lock (_gate)
        {
            Volatile.Write(ref _settings, settings);
            _delays = delays;
            _refill |= settings.MinIdle > 0;
            UpdateDetour();
            RetireSurplus(ref effects);
            Plan(now, ref effects);
            AssertInvariants();
        }

        // Limits may be shorter now than when the next look was planned.
        effects.LookNoLaterThan(now);
        Apply(ref effects);
    }

    public void Suspend()
    {
        lock (_gate)
        {
            _suspended = true;
            UpdateDetour();
        }
    }

    public void Resume(long now)
    {
        var effects = Effects<T>.None;
        lock (_gate)
        {
            _suspended = false;

            // Nobody was served on purpose; that says nothing about whether the pool can keep up.
            _delays?.Forget();
            UpdateDetour();
            Plan(now, ref effects);
            AssertInvariants();
        }

        Apply(ref effects);
    }

    /// <summary>Lets everything alive expire within a time, each at a random moment of it, unless that happened since the given generation.</summary>
    public void Clear(long spread, int since, long now)
    {
        var effects = Effects<T>.None;
        lock (_gate)
        {
            if (since < _generation)
            {
                return;
            }

            Volatile.Write(ref _generation, _generation + 1);
            foreach (var entry in _entries)
            {
                // At once means before any time that a coarse clock may still show.
                var at = spread == 0 ? PoolClock.Past : now + (long)(spread * _random.NextDouble());
                if (at < entry.ExpiresAt && entry.Activity != EntryActivity.Destroying)
                {
                    entry.ExpiryReason = DestroyReason.Cleared;
                    entry.ExpiresAt = at;
                    effects.LookNoLaterThan(Math.Max(at, now));
                }
            }

            RetireExpired(now, ref effects);
            Plan(now, ref effects);
            AssertInvariants();
        }

        Apply(ref effects);
    }

    /// <summary>Destroys idle entries, coldest first.</summary>
    /// <returns>How many.</returns>
    public int RetireIdle(int count, DestroyReason reason, long now)
    {
        var effects = Effects<T>.None;
        var retired = 0;
        lock (_gate)
        {
            _idle.Gather();
            for (; retired < count && _idle.Oldest is { } entry; retired++)
            {
                _idle.Remove(entry);
                Retire(entry, reason, ref effects);
            }

            Plan(now, ref effects);
            AssertInvariants();
        }

        Apply(ref effects);
        return retired;
    }

    /// <summary>Since when the coldest entry has been idle; never, if none is or somebody waits.</summary>
    public long OldestIdle()
    {
        lock (_gate)
        {
            _idle.Gather();
            return _queue.Count == 0 && _idle.Oldest is { } oldest ? oldest.IdleSince : PoolClock.Never;
        }
    }

    /// <summary>Closes a pool that has neither items nor callers.</summary>
    public bool TryCloseUnused()
    {
        lock (_gate)
        {
            if (_live > 0 || _queue.Count > 0 || _lifecycle != Lifecycle.Open)
            {
                return false;
            }

            _lifecycle = Lifecycle.Closed;
            UpdateDetour();
            return true;
        }
    }

    /// <summary>Begins what a place that became free in a shared budget allows.</summary>
    public void PlanAgain(long now)
    {
        var effects = Effects<T>.None;
        lock (_gate)
        {
            Plan(now, ref effects);
        }

        Apply(ref effects);
    }

    /// <summary>Lets nobody in any more. Draining serves those who wait; otherwise they hear that the pool is closed.</summary>
    public void Close(bool drain, long now)
    {
        var effects = Effects<T>.None;
        lock (_gate)
        {
            if (_lifecycle == Lifecycle.Closed || (drain && _lifecycle == Lifecycle.Draining))
            {
                return;
            }

            _lifecycle = drain ? Lifecycle.Draining : Lifecycle.Closed;
            UpdateDetour();
            while (!drain && _queue.Head is { } waiter)
            {
                if (waiter.TryDecide(WaitOutcome.Closed))
                {
                    Dequeue(waiter, now);
                    effects.Wake(waiter);
                }
                else
                {
                    Unqueue(waiter);
                }
            }

            RetireIdleIfDrained(ref effects);
            AssertInvariants();
        }

        Apply(ref effects);
    }

    /// <summary>How far a closing is: whether nobody waits and nothing is alive, and whether nothing is alive but leases.</summary>
    public (bool Empty, bool AtRest) GetClosingState()
    {
        lock (_gate)
        {
            var underWay = _creating + _validating + _resetting + _destroying;
            return (_live == 0 && _queue.Count == 0, _lifecycle == Lifecycle.Closed && underWay == 0);
        }
    }

    /// <summary>Ends the waits whose time is up, and sheds those who stand in a queue that does not move.</summary>
    /// <returns>When to look again.</returns>
    public long Expire(long now)
    {
        var effects = Effects<T>.None;
        var next = PoolClock.Never;
        lock (_gate)
        {
            var standsStill = _delays is not null && !_suspended && _queue.Head is { } head && _delays.StandsStill(head.EnqueuedAt, now);
            for (var waiter = _queue.Head; waiter is not null;)
            {
                var following = waiter.Next;
                var outcome = now >= waiter.Deadline ? WaitOutcome.TimedOut
                    : standsStill && _delays!.IsTooLong(now - waiter.EnqueuedAt) ? WaitOutcome.Shed
                    : WaitOutcome.None;
                if (outcome == WaitOutcome.None)
                {
                    next = Math.Min(next, waiter.Deadline);
                }
                else if (waiter.TryDecide(outcome))
                {
                    Dequeue(waiter, now);
                    effects.Wake(waiter);
                }

                waiter = following;
            }

            if (_delays is not null && !_suspended && _queue.Head is { } first)
            {
                next = Math.Min(next, Math.Max(now + 1, _delays.NextLook(first.EnqueuedAt)));
            }

            // An attempt that was due only now: the retry after a failed creation.
            Plan(now, ref effects);
            RetireIdleIfDrained(ref effects);
            AssertInvariants();
        }

        Apply(ref effects);
        return next;
    }

    /// <summary>Trims, retires what is too old, keeps alive, fills up and looks for leaks.</summary>
    /// <param name="now">The time.</param>
    /// <param name="leaks">Gets the leases that have lasted suspiciously long, each once.</param>
    /// <returns>When to look again.</returns>
    public long Sweep(long now, ICollection<(long LeasedFor, LeaseTrace? Trace)> leaks)
    {
        var effects = Effects<T>.None;
        var next = PoolClock.Never;
        lock (_gate)
        {
            if (_lifecycle == Lifecycle.Closed)
            {
                return next;
            }

            RetireExpired(now, ref effects);
            while (_idle.Oldest is { } entry && _idle.Count > _settings.MinIdle && now - entry.IdleSince >= _settings.IdleTimeout)
            {
                _idle.Remove(entry);
                Retire(entry, DestroyReason.Idle, ref effects);
            }

            _expiringSoon = 0;
            foreach (var entry in _entries)
            {
                LookAt(entry, now, leaks, ref effects);
                next = Math.Min(next, NextLook(entry, now));
            }

            if (_settings.MinIdle > 0)
            {
                _refill = true;
                next = Math.Min(next, PoolClock.Add(now, _settings.RefillInterval));
            }

            Plan(now, ref effects);
            AssertInvariants();
        }

        Apply(ref effects);
        return next;
    }

    public ResourcePoolStatistics GetStatistics(long now, PoolClock clock, long doubleReturns, long destroyFailures, long abandoned)
    {
        lock (_gate)
        {
            var uses = _counters.Uses;
            var useTicks = _counters.UseTicks;
            var oldest = 0L;
            foreach (var entry in _entries)
            {
                uses += entry.Uses;
                useTicks += entry.UseTicks;
                oldest = Math.Max(oldest, entry.IsLeased ? now - entry.RentedAt : 0);
            }

            var idle = _idle.Count;
            var leased = Math.Max(0, _live - idle - _creating - _validating - _resetting - _destroying);
            var hits = Math.Max(0, uses - _counters.Waits);
            var discarded = _counters.Destroyed[(int)DestroyReason.Discarded];
            return new ResourcePoolStatistics
            {
                Rented = uses,
                Hits = hits,
                Misses = uses - hits,
                Returned = Math.Max(0, uses - leased - _counters.Detached),
                Created = _counters.Created,
                Destroyed = _counters.Destroyed.Sum(),
                Surplus = _counters.Destroyed[(int)DestroyReason.Surplus],
                Refused = _counters.Destroyed[(int)DestroyReason.ResetFailed],
                Trimmed = _counters.Trimmed,
                Discarded = discarded,
                Detached = _counters.Detached,
                DoubleReturns = doubleReturns,
                DestroyFailures = destroyFailures,
                Retained = idle,
                Leased = leased,
                PeakLive = _counters.PeakLive,
                MaxSize = _settings.MaxSize,
                Live = _live,
                Creating = _creating,
                Validating = _validating,
                Resetting = _resetting,
                Destroying = _destroying,
                Waiting = _queue.Count,
                OldestLease = clock.Span(oldest),
                Timeouts = _counters.Timeouts,
                Cancellations = _counters.Cancellations,
                Shed = _counters.Shed,
                CreateFailures = _counters.CreateFailures,
                Abandoned = abandoned,
                LeaksSuspected = _counters.Leaks,
                WaitTime = clock.Span(_counters.WaitTicks),
                CreateTime = clock.Span(_counters.CreateTicks),
                UseTime = clock.Span(useTicks),
                InOutage = _throttle.InOutage,
                Suspended = _suspended,
                DestroyedByReason = _counters.Destroyed,
            };
        }
    }

    /// <summary>Counts an item whose creation had been given up when it finished, and which never had a place.</summary>
    public void CountCreatedTooLate()
    {
        lock (_gate)
        {
            _counters.Created++;
            _counters.Destroyed[(int)DestroyReason.CreatedTooLate]++;
        }
    }

    /// <summary>What creations are failing with, and the time until the next attempt.</summary>
    public (Exception? LastFailure, long RetryAfter) GetOutage(long now)
    {
        lock (_gate)
        {
            return (_throttle.LastFailure, _throttle.InOutage ? Math.Max(0, _throttle.RetryAt - now) : 0);
        }
    }

    /// <summary>What somebody who waits now is waiting for.</summary>
    public RentPhase GetPhase()
    {
        lock (_gate)
        {
            return _suspended ? RentPhase.Suspended
                : _throttle.InOutage ? RentPhase.Outage
                : _validating > 0 ? RentPhase.Validate
                : _creating > 0 ? RentPhase.Create
                : _resetting > 0 ? RentPhase.Reset
                : _destroying > 0 ? RentPhase.Destroy
                : RentPhase.Return;
        }
    }

    /// <summary>How many items are leased to the flow that this trace comes from.</summary>
    public int CountLeasesOf(LeaseTrace trace)
    {
        lock (_gate)
        {
            return _entries.Count(entry => entry.Trace is { } other && other.IsOfSameFlow(trace));
        }
    }

    /// <summary>When an entry next needs a look.</summary>
    private long NextLook(ResourceEntry<T> entry, long now)
    {
        if (entry.Activity == EntryActivity.Destroying)
        {
            return PoolClock.Never;
        }

        // Whatever may be idle by then begins to count now; what is idle has begun to.
        var leased = !entry.IsListed;
        var idleEnds = PoolClock.Add(leased ? now : entry.IdleSince, _settings.IdleTimeout);
        var keepAlive = PoolClock.Add(leased ? now : entry.FreshSince, _settings.KeepAliveInterval);
        var leak = PoolClock.Add(entry.IsLeased && !entry.LeakReported ? entry.RentedAt : now, _settings.LeakThreshold);
        var next = Math.Min(idleEnds > now ? idleEnds : PoolClock.Add(now, _settings.IdleTimeout), Math.Min(keepAlive, leak));
        var ahead = entry.ExpiresAt - _settings.ReplaceAhead;
        next = Math.Min(next, ahead > now ? ahead : entry.ExpiresAt > now ? entry.ExpiresAt : PoolClock.Never);
        return Math.Max(next, now + 1);
    }

    private void LookAt(ResourceEntry<T> entry, long now, ICollection<(long LeasedFor, LeaseTrace? Trace)> leaks, ref Effects<T> effects)
    {
        if (entry.IsListed)
        {
            _expiringSoon += _settings.MinIdle > 0 && now >= entry.ExpiresAt - _settings.ReplaceAhead ? 1 : 0;
            if (now - entry.FreshSince >= _settings.KeepAliveInterval)
            {
                _idle.Remove(entry);
                SetActivity(entry, EntryActivity.KeepingAlive);
                effects.Begin(entry);
            }
        }
        else if (entry.IsLeased && !entry.LeakReported && now - entry.RentedAt >= _settings.LeakThreshold)
        {
            entry.LeakReported = true;
            _counters.Leaks++;
            leaks.Add((now - entry.RentedAt, entry.Trace));
        }
    }

    /// <summary>How many idle entries will expire soon: of those that the last sweep saw, some may have been rented or destroyed since.</summary>
    private int CountExpiringSoon(long now)
    {
        if (_expiringSoon > 0)
        {
            _expiringSoon = _entries.Count(entry => entry.IsListed && now >= entry.ExpiresAt - _settings.ReplaceAhead);
        }

        return _expiringSoon;
    }

    private void RetireExpired(long now, ref Effects<T> effects)
    {
        _idle.Gather();
        for (var entry = _idle.Oldest; entry is not null;)
        {
            var newer = entry.Newer;
            if (now >= entry.ExpiresAt)
            {
                _idle.Remove(entry);
                Retire(entry, entry.ExpiryReason, ref effects);
            }

            entry = newer;
        }
    }

    private void RetireSurplus(ref Effects<T> effects)
    {
        _idle.Gather();
        while (_live - _destroying > _settings.MaxSize && _idle.Oldest is { } entry)
        {
            _idle.Remove(entry);
            Retire(entry, DestroyReason.Surplus, ref effects);
        }
    }

    /// <summary>When nobody new comes and nobody waits, idle entries have no use any more.</summary>
    private void RetireIdleIfDrained(ref Effects<T> effects)
    {
        if (_lifecycle == Lifecycle.Open || _queue.Count > 0)
        {
            return;
        }

        _idle.Gather();
        while (_idle.Oldest is { } entry)
        {
            _idle.Remove(entry);
            Retire(entry, DestroyReason.PoolDisposed, ref effects);
        }
    }
}
