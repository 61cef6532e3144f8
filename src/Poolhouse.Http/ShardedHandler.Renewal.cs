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
#pragma warning disable CA2000 // The shard disposes it.
        var handler = _options.CreateHandler is { } create ? create() : new SocketsHttpHandler();
#pragma warning restore CA2000
        return handler is null
            ? throw new InvalidOperationException(
                "ShardedHandlerOptions.CreateHandler returned null. Return a new handler each time.")
            : new Shard(handler, _timer.Now, CountDisposed);
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
            var now = _timer.Now;
            for (var slot = 0; slot < _due.Length; slot++)
            {
                var at = now + (long)(spread * _options.Random.NextDouble());
                if (at < _due[slot])
                {
                    _due[slot] = at;
                    _clearing[slot] = true;
                    _timer.ScheduleAt(at);
                }
            }
        }
    }

    private void CountDisposed()
    {
        using (_gate.Enter())
        {
            _retiring--;
        }
    }

    /// <summary>Puts a new shard into a slot and retires the one that was there.</summary>
    private void Put(int slot, Shard shard, ref long count)
    {
        Shard retired;
        using (_gate.Enter())
        {
            // If the handler was disposed meanwhile, the new shard is retired like the others.
            retired = _closed ? shard : _shards[slot];
            if (!_closed)
            {
                Volatile.Write(ref _shards[slot], shard);
                _due[slot] = DueAfter(shard.CreatedAt);
                _clearing[slot] = false;
                _timer.ScheduleAt(_due[slot]);
                count++;
            }

            _retiring++;
        }

        retired.Retire();
    }

    /// <summary>Runs the periodic work.</summary>
    private long Look(long now)
    {
        var next = RenewalTimer.Never;
        var old = new List<int>();
        bool resolve;
        using (_gate.Enter())
        {
            for (var slot = 0; slot < _due.Length; slot++)
            {
                if (_due[slot] <= now && !_renewing[slot])
                {
                    _renewing[slot] = true;
                    old.Add(slot);
                }
                else if (_due[slot] > now)
                {
                    next = Math.Min(next, _due[slot]);
                }
            }

            resolve = _nextResolve <= now;
            _nextResolve = resolve ? RenewalTimer.Never : _nextResolve;
            next = Math.Min(next, _nextResolve);
        }

        foreach (var slot in old)
        {
            _ = RenewAgedAsync(slot);
        }

        if (resolve)
        {
            _ = LookUpAsync();
        }

        return next;
    }

    private async Task RenewAgedAsync(int slot)
    {
        if (await TryCreateWarmAsync().ConfigureAwait(false) is { } shard)
        {
            Put(slot, shard, ref (_clearing[slot] ? ref _cleared : ref _retiredForLifetime));
        }

        using (_gate.Enter())
        {
            _renewing[slot] = false;
            if (_due[slot] <= _timer.Now)
            {
                _due[slot] = _timer.Now + _retryDelay.Ticks;
            }

            _timer.ScheduleAt(_due[slot]);
        }
    }

    private async Task LookUpAsync()
    {
        if (await _watch.HasChangedAsync(_whenClosed).ConfigureAwait(false))
        {
            await Task.WhenAll(Enumerable.Range(0, _shards.Length).Select(RenewMovedAsync)).ConfigureAwait(false);
        }

        using (_gate.Enter())
        {
            _nextResolve = _timer.Now + _options.ResolveInterval.Ticks;
            _timer.ScheduleAt(_nextResolve);
        }
    }

    private async Task RenewMovedAsync(int slot)
    {
        if (await TryCreateWarmAsync().ConfigureAwait(false) is { } shard)
        {
            Put(slot, shard, ref _retiredForDns);
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

        if (Volatile.Read(ref _warmUp) is { } plan)
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
