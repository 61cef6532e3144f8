using Poolhouse.Resources.Engine;

namespace Poolhouse.Resources.Shared;

/// <summary>Periodic maintenance of a shared pool's items: replaces those that are too old, unused or fail their probe.</summary>
// Locks: a gate guards when the next check is due; nothing is called under it.
internal sealed class SharedUpkeep<T>
    where T : notnull
{
    private readonly Gate _gate = new();
    private readonly SharedItemSet<T> _itemSet;
    private readonly ResourceRuntime<T> _runtime;
    private readonly SharedProbes<T> _probes;
    private readonly PoolClock _clock;
    private long _nextCheck;
    private long _clearedBy = PoolClock.Past;
    private long _clearInterval = PoolClock.Never;

    /// <param name="itemSet">The items; their settings exist already.</param>
    /// <param name="runtime">The runtime of the items' pool, whose timer runs the checks.</param>
    /// <param name="probes">The probes of the items.</param>
    public SharedUpkeep(SharedItemSet<T> itemSet, ResourceRuntime<T> runtime, SharedProbes<T> probes)
    {
        _itemSet = itemSet;
        _runtime = runtime;
        _probes = probes;
        _clock = runtime.Clock;
        _nextCheck = PoolClock.Add(_clock.Now, itemSet.Settings.CheckInterval);
        runtime.TimedWork.Add(Check, _nextCheck);
    }

    /// <summary>Searches for leaks, and schedules the next search; null if that is not needed.</summary>
    public Action<long>? SearchLeaks { get; set; }

    /// <summary>
    /// Shortens the interval of the checks, so that items that expire within the given time are replaced soon after.
    /// </summary>
    public void CheckWithin(long spread)
    {
        var now = _clock.Now;
        using (_gate.Enter())
        {
            // Several may overlap: the shortest interval serves all of them, until the last one has ended.
            _clearedBy = Math.Max(_clearedBy, PoolClock.Add(now, spread));
            _clearInterval = Math.Min(
                _clearInterval, Math.Max(_clock.Ticks(TimeSpan.FromMilliseconds(1)), spread / SharedSettings.ChecksPerInterval));
        }

        Schedule(now);
    }

    /// <summary>Schedules the next check by the current settings, unless it is due sooner.</summary>
    public void Schedule(long now)
    {
        long next;
        using (_gate.Enter())
        {
            next =
                _nextCheck = Math.Min(_nextCheck, PoolClock.Add(now, Math.Min(_itemSet.Settings.CheckInterval, _clearInterval)));
        }

        if (next != PoolClock.Never)
        {
            _runtime.ScheduleAt(next);
        }
    }

    /// <summary>Runs with every check of the items' pool.</summary>
    /// <returns>When the next check is due.</returns>
    private long Check(long now)
    {
        // First, and scheduled at once: deadlines must not depend on the policy, which the rest may call, nor on the observer.
        _runtime.ScheduleAt(_itemSet.Room.EndTimedOut(now));
        _runtime.ScheduleAt(CheckItems(now));
        SearchLeaks?.Invoke(now);
        return PoolClock.Never;
    }

    /// <summary>Checks the items when that is due.</summary>
    /// <returns>When the next check is due.</returns>
    private long CheckItems(long now)
    {
        if (_itemSet.IsClosed)
        {
            return PoolClock.Never;
        }

        var settings = _itemSet.Settings;
        long next;
        using (_gate.Enter())
        {
            if (now < _nextCheck)
            {
                return _nextCheck;
            }

            if (now >= _clearedBy)
            {
                _clearInterval = PoolClock.Never;
            }

            next = _nextCheck = PoolClock.Add(now, Math.Min(settings.CheckInterval, _clearInterval));
        }

        foreach (var item in _itemSet.Items)
        {
            if (item.IsExpired(now))
            {
                _itemSet.MayContinue(item);
            }
            else if (settings.KeepAliveTicks != PoolClock.Never && now - item.ProbedAt >= settings.KeepAliveTicks)
            {
                _probes.Start(item, suspected: false);
            }
        }

        DeactivateUnused(now, settings);
        _itemSet.KeepMinimum();
        return next;
    }

    private void DeactivateUnused(long now, SharedSettings settings)
    {
        var surplus = _itemSet.Items.Count - settings.MinIdle;
        if (settings.IdleTicks != PoolClock.Never && surplus > 0)
        {
            // Destroyed and not returned to the engine, where they would be idle for the same time again.
            _itemSet.DeactivateAll(
                item => item.Uses == 0 && now - item.UsedAt >= settings.IdleTicks && surplus-- > 0, DestroyReason.Idle);
        }
    }
}
