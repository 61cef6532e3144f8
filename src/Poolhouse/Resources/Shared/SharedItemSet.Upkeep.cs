using Poolhouse.Kernel.Time;
using Poolhouse.Resources.Engine.PolicyCalls;

namespace Poolhouse.Resources.Shared;

/// <content>Periodic maintenance: replaces items that are too old, unused or fail their probe.</content>
internal sealed partial class SharedItemSet<T>
{
    /// <summary>The number of items being kept alive right now.</summary>
    public int Probing
    {
        get
        {
            using (_gate.Enter())
            {
                return _probes.Count;
            }
        }
    }

    /// <summary>Restores the minimum number of active items. Fewer are active only while the next one is being created, or cannot be.</summary>
    public void KeepMinimum()
    {
        if (Members.Count < Settings.MinIdle)
        {
            StartGrowing();
        }
    }

    /// <summary>Runs with the other checks of the items' pool, and does something at regular intervals.</summary>
    /// <returns>When to look again.</returns>
    private long Look(long now)
    {
        var settings = Settings;
        long next;
        using (_gate.Enter())
        {
            if (_isClosed || now < _nextLook)
            {
                return _isClosed ? PoolClock.Never : _nextLook;
            }

            if (now >= _clearedBy)
            {
                _clearInterval = PoolClock.Never;
            }

            next = _nextLook = PoolClock.Add(now, Math.Min(settings.LookInterval, _clearInterval));
        }

        foreach (var member in Volatile.Read(ref _members))
        {
            if (member.IsExpired(now))
            {
                MayContinue(member);
            }
            else if (settings.KeepAliveTicks != PoolClock.Never && now - member.ProbedAt >= settings.KeepAliveTicks)
            {
                StartProbe(member, suspected: false);
            }
        }

        RetireUnused(now, settings);
        KeepMinimum();
        return next;
    }

    /// <summary>Has the items checked often enough that those that expire within a time are replaced soon after.</summary>
    private void LookWithin(long spread)
    {
        var now = _clock.Now;
        using (_gate.Enter())
        {
            // Several may overlap: the shortest interval serves all of them, until the last one has ended.
            _clearedBy = Math.Max(_clearedBy, PoolClock.Add(now, spread));
            _clearInterval = Math.Min(_clearInterval, Math.Max(_clock.Ticks(TimeSpan.FromMilliseconds(1)), spread / SharedSettings.LooksPerSpan));
        }

        ScheduleLook(now);
    }

    private void ScheduleLook(long now)
    {
        long next;
        using (_gate.Enter())
        {
            next = _nextLook = Math.Min(_nextLook, PoolClock.Add(now, Math.Min(Settings.LookInterval, _clearInterval)));
        }

        if (next != PoolClock.Never)
        {
            _items.Runtime.ScheduleAt(next);
        }
    }

    private void RetireUnused(long now, SharedSettings settings)
    {
        var surplus = Members.Count - settings.MinIdle;
        if (settings.IdleTicks != PoolClock.Never && surplus > 0)
        {
            RetireAll(member => member.Uses == 0 && now - member.UsedAt >= settings.IdleTicks && surplus-- > 0);
        }
    }

    private void StartProbe(SharedItem<T> member, bool suspected)
    {
        if (_keepsAlive && member.TryBeginProbe(suspected))
        {
            QueueProbe(member);
        }
    }

    private void QueueProbe(SharedItem<T> member)
    {
        var probe = new SharedProbe<T>(this, _items.Runtime, member);
        using (_gate.Enter())
        {
            _probes.Add(probe);
        }

        try
        {
            probe.Queue();
        }
        catch (Exception failure) when (WorkScheduler.IsLackOfMemory(failure))
        {
            // Undo the probe: the item is due again.
            using (_gate.Enter())
            {
                _probes.Remove(probe);
            }

            while (member.EndProbe())
            {
                // Suspected meanwhile: there is no memory for that probe either.
            }
        }
    }

    /// <summary>Retires an item that failed its probe; an item that was suspected meanwhile is probed once more.</summary>
    public void EndProbe(SharedProbe<T> probe, SharedItem<T> member, bool isAlive)
    {
        if (isAlive)
        {
            member.ProbedAt = _clock.Now;
        }
        else
        {
            Retire(member, DestroyReason.KeepAliveFailed);
        }

        using (_gate.Enter())
        {
            _probes.Remove(probe);
        }

        if (member.EndProbe())
        {
            QueueProbe(member);
        }
    }
}
