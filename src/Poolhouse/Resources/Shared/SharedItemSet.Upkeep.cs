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
        if (Members.Count < _options.Items.MinIdle)
        {
            StartGrowing();
        }
    }

    /// <summary>Runs with the other checks of the items' pool, and does something at regular intervals.</summary>
    /// <returns>When to look again.</returns>
    private long Look(long now)
    {
        var next = Volatile.Read(ref _nextLook);
        if (now < next || IsClosed)
        {
            return IsClosed ? PoolClock.Never : next;
        }

        next = PoolClock.Add(now, _lookInterval);
        Volatile.Write(ref _nextLook, next);
        foreach (var member in Volatile.Read(ref _members))
        {
            if (member.IsExpired(now))
            {
                MayContinue(member);
            }
            else if (_careTicks != PoolClock.Never && now - member.ProbedAt >= _careTicks)
            {
                StartProbe(member, suspected: false);
            }
        }

        RetireUnused(now);
        KeepMinimum();
        return next;
    }

    private void RetireUnused(long now)
    {
        var surplus = Members.Count - _options.Items.MinIdle;
        if (_idleTicks != PoolClock.Never && surplus > 0)
        {
            RetireAll(member => member.Uses == 0 && now - member.UsedAt >= _idleTicks && surplus-- > 0);
        }
    }

    private void StartProbe(SharedItem<T> member, bool suspected)
    {
        if (_caresFor && member.TryBeginProbe(suspected))
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
