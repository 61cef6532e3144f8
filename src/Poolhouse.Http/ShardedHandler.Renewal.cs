using Poolhouse.Http.Internal;

namespace Poolhouse.Http;

/// <content>
/// Creates shards, and replaces them by age and when addresses change. Except for the initial creation, everything here runs in
/// the background.
/// </content>
public sealed partial class ShardedHandler
{
    private Shard CreateShard()
    {
        // Read before the handler is created, which may already use the credentials or addresses of that moment.
        var version = Volatile.Read(ref _version);
        var handler = _options.CreateHandler is { } create ? create() : new SocketsHttpHandler { CookieContainer = _cookies };
        return handler is null
            ? throw new InvalidOperationException(
                "ShardedHandlerOptions.CreateHandler returned null. Return a new handler each time.")
            : new Shard(handler, _timer.Now, CountDisposed) { Version = version };
    }

    private void CreateAll()
    {
        var made = 0;
        try
        {
            for (; made < _shards.Length; made++)
            {
                _shards[made] = CreateShard();
                _due[made] = DueAfter(_shards[made].CreatedAt);
            }
        }
        catch
        {
            foreach (var shard in _shards.AsSpan(0, made))
            {
                shard.Retire();
            }

            throw;
        }
    }

    private long DueAfter(long madeAt)
    {
        var lifetime = RenewalTimer.Ticks(_options.MaxLifetime);
        return lifetime == RenewalTimer.Never
            ? RenewalTimer.Never
            : madeAt + (long)(lifetime * (1 - (_options.LifetimeJitter * _options.Random.NextDouble())));
    }

    /// <summary>Has each shard replaced in the background at a random moment, unless it is replaced sooner.</summary>
    private void ClearWithin(long spread)
    {
        using (_gate.Enter())
        {
            Interlocked.Increment(ref _version);
            var now = _timer.Now;
            for (var slot = 0; slot < _due.Length; slot++)
            {
                ScheduleLocked(slot, now + (long)(spread * _options.Random.NextDouble()), RenewalReason.Cleared);
            }
        }
    }

    /// <summary>Has the shard in a slot replaced at the given time, unless it is replaced sooner.</summary>
    private void ScheduleLocked(int slot, long at, RenewalReason reason)
    {
        if (at < _due[slot])
        {
            (_due[slot], _reasons[slot]) = (at, reason);
            _timer.ScheduleAt(at);
        }
    }

    private void CountDisposed()
    {
        using (_gate.Enter())
        {
            _retiring--;
        }
    }

    /// <summary>
    /// Puts a new shard into a slot and retires the one that was there. If that one is newer, the new one is retired instead.
    /// </summary>
    private void Put(int slot, Shard shard, RenewalReason reason)
    {
        Shard retired;
        using (_gate.Enter())
        {
            // If the handler was disposed meanwhile, the new shard is retired like the others.
            var isSuperseded = _closed || shard.Version < _shards[slot].Version;
            retired = isSuperseded ? shard : _shards[slot];
            if (!isSuperseded)
            {
                Volatile.Write(ref _shards[slot], shard);
                if (shard.Version == Volatile.Read(ref _version))
                {
                    _due[slot] = RenewalTimer.Never;
                }

                ScheduleLocked(slot, DueAfter(shard.CreatedAt), RenewalReason.Lifetime);
                CountOf(reason)++;
            }

            _retiring++;
        }

        retired.Retire();
    }

    private ref long CountOf(RenewalReason reason)
    {
        switch (reason)
        {
            case RenewalReason.Moved:
                return ref _retiredForDns;
            case RenewalReason.Cleared:
                return ref _cleared;
            default:
                return ref _retiredForLifetime;
        }
    }

    /// <summary>Begins one renewal that is due, or the look-up, and schedules the next check.</summary>
    // User code may block. So the next check is scheduled before it runs, and takes over the rest of the work that is due now: on
    // another thread while this one is blocked.
    private void Look(long now)
    {
        long next;
        int slot;
        bool resolve;
        var reason = RenewalReason.Lifetime;
        using (_gate.Enter())
        {
            slot = FindDueLocked(now);
            resolve = slot < 0 && _nextResolve <= now;
            if (slot >= 0)
            {
                (reason, _due[slot], _renewing[slot]) = (_reasons[slot], RenewalTimer.Never, true);
            }
            else if (resolve)
            {
                _nextResolve = RenewalTimer.Never;
            }

            next = NextCheckLocked(now);
        }

        _timer.ScheduleAt(next);
        if (slot >= 0)
        {
            _ = RenewAsync(slot, reason);
        }
        else if (resolve)
        {
            _ = LookUpAsync();
        }
    }

    /// <summary>A slot whose renewal is due and can begin; -1 if there is none.</summary>
    private int FindDueLocked(long now)
    {
        for (var slot = 0; slot < _due.Length; slot++)
        {
            if (_due[slot] <= now && !_renewing[slot])
            {
                return slot;
            }
        }

        return -1;
    }

    /// <summary>When the next work is due. What became due during a renewal of its slot is scheduled after that.</summary>
    private long NextCheckLocked(long now)
    {
        var next = _nextResolve;
        for (var slot = 0; slot < _due.Length; slot++)
        {
            if (_due[slot] > now || !_renewing[slot])
            {
                next = Math.Min(next, _due[slot]);
            }
        }

        return next;
    }

    private async Task RenewAsync(int slot, RenewalReason reason)
    {
        var version = Volatile.Read(ref _version);
        var shard = await TryCreateWarmAsync().ConfigureAwait(false);
        if (shard is not null)
        {
            Put(slot, shard, reason);
        }

        using (_gate.Enter())
        {
            _renewing[slot] = false;

            // Not if the shard was replaced meanwhile.
            if (shard is null && _shards[slot].Version <= version)
            {
                ScheduleLocked(slot, _timer.Now + _retryDelay.Ticks, reason);
            }

            // If it became due during this renewal, the check has left it out.
            _timer.ScheduleAt(_due[slot]);
        }
    }

    private async Task LookUpAsync()
    {
        var hasMoved = await _watch.HasChangedAsync(_whenClosed).ConfigureAwait(false);
        using (_gate.Enter())
        {
            var now = _timer.Now;
            if (hasMoved)
            {
                Interlocked.Increment(ref _version);
                for (var slot = 0; slot < _due.Length; slot++)
                {
                    ScheduleLocked(slot, now, RenewalReason.Moved);
                }
            }

            _nextResolve = now + _options.ResolveInterval.Ticks;
            _timer.ScheduleAt(_nextResolve);
        }
    }

#pragma warning disable CA1031 // A failure in the background reaches no caller: it is counted, and the current shard stays.
    private async Task<Shard?> TryCreateWarmAsync()
    {
        Shard shard;
        try
        {
            shard = CreateShard();
        }
        catch (Exception)
        {
            using (_gate.Enter())
            {
                _createFailures++;
            }

            return null;
        }

        // Again if the app has warmed up the shards with another plan meanwhile: the new one is not among them yet.
        for (WarmUpPlan? last = null; Volatile.Read(ref _warmUp) is { } plan && plan != last; last = plan)
        {
            try
            {
                await WarmUpAsync(plan, shard, _whenClosed).ConfigureAwait(false);
            }
            catch (Exception)
            {
                // Without a warm-up it is still preferable to a shard that is due for replacement.
            }
        }

        return shard;
    }
#pragma warning restore CA1031

    private static async Task WarmUpAsync(WarmUpPlan plan, Shard shard, CancellationToken cancellationToken)
    {
        // Holds a reference to the shard, so that it is not disposed during the requests of the warm-up.
        if (shard.TryBegin())
        {
            try
            {
                await plan.RunAsync(shard.Invoker, cancellationToken).ConfigureAwait(false);
            }
            finally
            {
                shard.End();
            }
        }
    }
}
