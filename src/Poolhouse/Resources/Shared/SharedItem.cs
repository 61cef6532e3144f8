using Poolhouse.Resources.Engine;
using Poolhouse.Resources.Engine.Items;

namespace Poolhouse.Resources.Shared;

/// <summary>An active item: leased from the engine once, used by many callers.</summary>
// Invariants
//   _state = the number of uses times OneUse, and the flags below
//   a full item takes no new uses until one of its uses ends that is not handed over; it has at least one, so one will end
//   an inactive item takes no new uses; the thread that brings the state to "inactive", with no uses and no probe, ends the
//   engine's lease, exactly once. So a probe holds the item as a use does: nothing is destroyed, or made active again, while its
//   hook runs
// Order of writes: the reason of a deactivation is written before the state; the thread that ends the engine's lease reads it
// after the state.
// Locks: none.
internal sealed class SharedItem<T>(Lease<T> lease, long now)
    where T : notnull
{
    private const int Inactive = 1;
    private const int Probed = 2;
    private const int ToBeProbedAgain = 4;
    private const int Full = 8;
    private const int OneUse = 16;

    private readonly TimeSpan _idleBefore = lease.Info.IdleTime;
    private int _state;

    // The destroy reason plus one; 0 for no specific reason.
    private int _reason;

    private int _isDetached;
    private int _ends;
    private long _usedAt = now;
    private long _probedAt = now;

    public T Value { get; } = lease.Value;

    public int Uses => Volatile.Read(ref _state) / OneUse;

    /// <summary>The number of uses as a measure for the choice of an item: one that is full is chosen last.</summary>
    public int Load
    {
        get
        {
            var state = Volatile.Read(ref _state);
            return (state & Full) == 0 ? state / OneUse : int.MaxValue;
        }
    }

    /// <summary>How many children have ended on the item; counted by nested pools only.</summary>
    public int Ends => Volatile.Read(ref _ends);

    /// <summary>Whether the item takes no new uses any more. Never reverts to false.</summary>
    public bool IsInactive => (Volatile.Read(ref _state) & Inactive) != 0;

    /// <summary>Since when the item has had no use; meaningful only while it has none.</summary>
    public long UsedAt => Volatile.Read(ref _usedAt);

    /// <summary>When the item was last known to work.</summary>
    public long ProbedAt
    {
        get => Volatile.Read(ref _probedAt);
        set => Volatile.Write(ref _probedAt, value);
    }

    /// <summary>Usage information about the item, which it keeps after one of its users has detached it.</summary>
    public LeaseInfo Info => lease.Slot!.Owner.GetInfo(lease.Slot) with { IdleTime = _idleBefore };

    public ResourceEntry<T> Entry => (ResourceEntry<T>)lease.Slot!;

    /// <summary>Whether the engine would no longer rent the item: it is too old, or was cleared.</summary>
    public bool IsExpired(long now) => Entry.Expiry <= now;

    /// <summary>Whether the item has only exceeded its lifetime: then it may be used until its successor is ready.</summary>
    public bool IsOnlyOld => Entry.ExpiryReason == DestroyReason.Lifetime;

    /// <summary>The generation of clears in which the item was created.</summary>
    public int Generation => Entry.Generation;

    public bool TryEnter(int maxUses)
    {
        var state = Volatile.Read(ref _state);
        while ((state & (Inactive | Full)) == 0 && state / OneUse < maxUses)
        {
            var seen = Interlocked.CompareExchange(ref _state, state + OneUse, state);
            if (seen == state)
            {
                return true;
            }

            state = seen;
        }

        return false;
    }

    /// <summary>Whether the uses that the item counts may be handed over: it is neither inactive nor over its limit.</summary>
    // Also those of a full item: it has room for one use when one of its uses has ended, and stays full.
    public bool IsWithin(int maxUses)
    {
        var state = Volatile.Read(ref _state);
        return (state & Inactive) == 0 && state / OneUse <= maxUses;
    }

    /// <summary>Ends a use, with a full fence. A full item has room again.</summary>
    public void Leave(long now)
    {
        Volatile.Write(ref _usedAt, now);
        var state = Interlocked.Add(ref _state, -OneUse);
        if ((state & (Inactive | Full)) != 0)
        {
            LeaveInactiveOrFull(state);
        }
    }

    /// <summary>
    /// Called before a child ends on the item: an attempt during which that happens does not prove that the item is full.
    /// </summary>
    public void CountEnd() => Interlocked.Increment(ref _ends);

    /// <summary>Ends a use for which the item turned out to have no room: it is full until another of its uses ends.</summary>
    /// <returns>False if this is the only use, which is then not ended: an item that is not used is not full.</returns>
    public bool TryLeaveAsFull(long now)
    {
        Volatile.Write(ref _usedAt, now);
        var state = Volatile.Read(ref _state);
        while (state / OneUse > 1)
        {
            var seen = Interlocked.CompareExchange(ref _state, (state - OneUse) | Full, state);
            if (seen == state)
            {
                return true;
            }

            state = seen;
        }

        return false;
    }

    /// <summary>Permits new uses of a full item.</summary>
    /// <returns>Whether it was full.</returns>
    public bool ClearFull()
    {
        var before = Interlocked.And(ref _state, ~Full);
        var wasFull = (before & Full) != 0;
        if (wasFull && before == (Inactive | Full))
        {
            End();
        }

        return wasFull;
    }

    /// <summary>Stops new uses of the item; it is destroyed when the last use ends.</summary>
    /// <param name="reason">Why it is to be destroyed; null to return it to the engine, which destroys it if it has
    /// expired.</param>
    /// <returns>False if it was already inactive.</returns>
    public bool Deactivate(DestroyReason? reason)
    {
        if (reason is { } known)
        {
            // The first reason counts.
            Interlocked.CompareExchange(ref _reason, (int)known + 1, 0);
        }

        var before = Interlocked.Or(ref _state, Inactive);
        if (before == 0)
        {
            End();
        }

        return (before & Inactive) == 0;
    }

    /// <summary>Deactivates an item that a caller detaches: the engine forgets it at once.</summary>
    public void Detach()
    {
        // The caller's use is counted, so no other thread ends the lease; but two callers may detach at the same time.
        if (Interlocked.Exchange(ref _isDetached, 1) == 0)
        {
            lease.Detach();
        }

        Deactivate(reason: null);
    }

    /// <summary>Holds the item for a probe, one at a time.</summary>
    /// <param name="suspected">Whether a use has failed: a probe already in progress, which may have passed by then, is then not
    /// sufficient.</param>
    /// <returns>False if the item is inactive, or already being probed.</returns>
    public bool TryBeginProbe(bool suspected)
    {
        var state = Volatile.Read(ref _state);
        while ((state & Inactive) == 0)
        {
            var isProbed = (state & Probed) != 0;
            var wanted = !isProbed ? state | Probed : suspected ? state | ToBeProbedAgain : state;
            var seen = Interlocked.CompareExchange(ref _state, wanted, state);
            if (seen == state)
            {
                return !isProbed;
            }

            state = seen;
        }

        return false;
    }

    /// <summary>
    /// Ends the probe. Called by the thread that began it; an item that failed the probe has been deactivated before.
    /// </summary>
    /// <returns>Whether to probe again: the item is then still held.</returns>
    public bool EndProbe()
    {
        var state = Volatile.Read(ref _state);
        while (true)
        {
            var probesAgain = (state & (ToBeProbedAgain | Inactive)) == ToBeProbedAgain;
            var wanted = probesAgain ? state & ~ToBeProbedAgain : state & ~(Probed | ToBeProbedAgain);
            var seen = Interlocked.CompareExchange(ref _state, wanted, state);
            if (seen == state)
            {
                if (wanted == Inactive)
                {
                    End();
                }

                return probesAgain;
            }

            state = seen;
        }
    }

    // The thread that brings the state to "inactive" ends the lease: the one that leaves last, or the one that then clears the
    // flag.
    private void LeaveInactiveOrFull(int state)
    {
        if (state == Inactive)
        {
            End();
        }
        else if ((state & Full) != 0)
        {
            ClearFull();
        }
    }

    private void End()
    {
        if (Volatile.Read(ref _isDetached) != 0)
        {
            return;
        }

        var reason = Volatile.Read(ref _reason);
        if (reason != 0)
        {
            Entry.DiscardReason = (DestroyReason)(reason - 1);
            lease.Discard();
        }
        else
        {
            lease.Dispose();
        }
    }
}
