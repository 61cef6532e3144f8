using Poolhouse.Kernel.Time;
using Poolhouse.Resources.Engine.PolicyCalls;

namespace Poolhouse.Resources.Shared;

/// <content>What happens with time: items that are old, unused or silent are replaced.</content>
internal sealed partial class SharedItemSet<T>
{
    /// <summary>How many items are being kept alive right now.</summary>
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

    /// <summary>Fewer than so many are at work only while the next one is being made, or cannot be.</summary>
    public void KeepMinimum()
    {
        if (Members.Count < _options.Items.MinIdle)
        {
            StartGrowing();
        }
    }

    /// <summary>A tick of the timer.</summary>
    private void Look()
    {
        var now = _clock.Now;
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
            // As if there had been none: the item is due again.
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

    /// <summary>Takes an item out of work that failed its probe; one that was suspected meanwhile is probed once more.</summary>
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
