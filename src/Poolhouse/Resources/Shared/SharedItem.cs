using Poolhouse.Resources.Engine;

namespace Poolhouse.Resources.Shared;

/// <summary>An item at work: leased from the engine once, used by many.</summary>
// Invariants
//   _state = the number of uses times OneUse, and the flags below
//   a retired member takes no new uses; whoever brings the state to "retired", with no uses and no probe, ends the engine's lease, and
//   that happens once. So a probe holds the item as a use does: nothing is destroyed, or put back to work, beside its hook
// Order of writes: the reason of a retirement comes before the state, which lets the last user go on and look. Locks: none.
internal sealed class SharedItem<T>(Lease<T> lease, long now)
    where T : notnull
{
    private const int Retired = 1;
    private const int Probed = 2;
    private const int ToBeProbedAgain = 4;
    private const int OneUse = 8;

    private int _state;

    // Why it is to be destroyed, plus one; 0: for no reason of its own.
    private int _reason;

    private int _isDetached;
    private long _usedAt = now;
    private long _caredForAt = now;

    public T Item { get; } = lease.Value;

    public int Uses => Volatile.Read(ref _state) / OneUse;

    /// <summary>Whether it takes no new uses any more: once it is, it stays so.</summary>
    public bool IsRetired => (Volatile.Read(ref _state) & Retired) != 0;

    /// <summary>Since when it has had no use; only of interest while it has none.</summary>
    public long UsedAt => Volatile.Read(ref _usedAt);

    /// <summary>When it was last known to work.</summary>
    public long ProbedAt
    {
        get => Volatile.Read(ref _caredForAt);
        set => Volatile.Write(ref _caredForAt, value);
    }

    public LeaseInfo Info => lease.Info;

    private ResourceEntry<T> Entry => (ResourceEntry<T>)lease.Slot!;

    /// <summary>Whether the engine would not rent it any more: too old, or cleared.</summary>
    public bool IsExpired(long now) => Entry.Expiry <= now;

    /// <summary>Whether it is merely old: then it may go on until its successor is there.</summary>
    public bool IsOnlyOld => Entry.ExpiryReason == DestroyReason.Lifetime;

    public bool TryEnter(int maxUses)
    {
        var state = Volatile.Read(ref _state);
        while ((state & Retired) == 0 && state / OneUse < maxUses)
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

    public void Leave(long now)
    {
        Volatile.Write(ref _usedAt, now);
        if (Interlocked.Add(ref _state, -OneUse) == Retired)
        {
            End();
        }
    }

    /// <summary>Takes no new uses from now on; the item goes when the last use ends.</summary>
    /// <param name="reason">Why it is to be destroyed; null: it goes back to the engine, which destroys what has expired.</param>
    /// <returns>False when it was retired before.</returns>
    public bool Retire(DestroyReason? reason)
    {
        if (reason is { } known)
        {
            // The first reason counts.
            Interlocked.CompareExchange(ref _reason, (int)known + 1, 0);
        }

        var before = Interlocked.Or(ref _state, Retired);
        if (before == 0)
        {
            End();
        }

        return (before & Retired) == 0;
    }

    /// <summary>Retires an item that somebody takes away: the engine forgets it at once.</summary>
    public void Detach()
    {
        // The caller's use is counted, so nobody else ends the lease; but two callers may come with the same wish.
        if (Interlocked.Exchange(ref _isDetached, 1) == 0)
        {
            lease.Detach();
        }

        Retire(reason: null);
    }

    /// <summary>Holds the item for a probe, one at a time.</summary>
    /// <param name="suspected">Whether a use has failed: then a probe that is under way, which may have passed by then, does not do.</param>
    /// <returns>False if it is retired, or being probed.</returns>
    public bool TryBeginProbe(bool suspected)
    {
        var state = Volatile.Read(ref _state);
        while ((state & Retired) == 0)
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

    /// <summary>For the one that began the probe; an item that failed it is retired before.</summary>
    /// <returns>Whether to probe once more: the item is still held.</returns>
    public bool EndProbe()
    {
        var state = Volatile.Read(ref _state);
        while (true)
        {
            var goesOn = (state & (ToBeProbedAgain | Retired)) == ToBeProbedAgain;
            var wanted = goesOn ? state & ~ToBeProbedAgain : state & ~(Probed | ToBeProbedAgain);
            var seen = Interlocked.CompareExchange(ref _state, wanted, state);
            if (seen == state)
            {
                if (wanted == Retired)
                {
                    End();
                }

                return goesOn;
            }

            state = seen;
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
