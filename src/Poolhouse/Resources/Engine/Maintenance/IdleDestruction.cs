using Poolhouse.Resources.Engine.Core;
using Poolhouse.Resources.Engine.Items;

namespace Poolhouse.Resources.Engine.Maintenance;

/// <summary>Destroys idle entries that are not wanted any more, the coldest first. Under the core's gate.</summary>
// An entry that is not idle now is checked under the gate before it can become idle (ResourceCore.OfferLocked). Only a
// return into a cell bypasses the gate: the returning thread checks afterwards whether there is a surplus or the pool is closing,
// but not again whether the entry has expired. One that expired, or was broken by its parent, during its return may stay in
// its cell: it is destroyed when it is rented or when the entries are next gathered, and is not rented before.
internal sealed class IdleDestruction<T>(CoreState<T> state)
    where T : notnull
{
    /// <summary>Destroys up to a number of entries.</summary>
    /// <returns>The number of entries.</returns>
    public int Destroy(int count, DestroyReason reason)
    {
        var destroyed = 0;
        state.Idle.Gather();
        for (; destroyed < count && state.Idle.Oldest is { } entry; destroyed++)
        {
            state.DestroyIdle(entry, reason);
        }

        return destroyed;
    }

    /// <summary>Destroys the expired entries.</summary>
    public void DestroyExpired(long now) => DestroyWhere(entry => now >= entry.Expiry ? entry.ExpiryReason : null);

    /// <summary>Lets all entries expire by the lifetime in the settings, unless they expire sooner.</summary>
    public void ApplyLifetime()
    {
        foreach (var entry in state.Entries)
        {
            var at = state.Settings.ExpiryOf(entry.CreatedAt, state.Settings.Options.Random.NextDouble());
            entry.TryExpire(at, DestroyReason.Lifetime);
        }
    }

    /// <summary>Destroys the entries whose items were broken by their parents.</summary>
    public void DestroyBrokenByParent() =>
        DestroyWhere(entry => state.Host.IsBrokenByParent(entry) ? DestroyReason.ParentInactive : null);

    /// <summary>
    /// Destroys the entries that have been idle for too long, down to the minimum. Cells must have been gathered.
    /// </summary>
    public void DestroyLongIdle(long now)
    {
        while (state.Idle.Oldest is { } entry && state.ExceedsMinimum
            && now - entry.IdleSince >= state.Settings.IdleTimeout)
        {
            state.DestroyIdle(entry, DestroyReason.Idle);
        }
    }

    /// <summary>Destroys entries beyond a smaller capacity.</summary>
    public void DestroySurplus()
    {
        state.Idle.Gather();
        while (state.HasSurplus && state.Idle.Oldest is { } entry)
        {
            state.DestroyIdle(entry, DestroyReason.Surplus);
        }
    }

    /// <summary>Destroys entries that are no longer needed, because no caller waits and new ones are rejected.</summary>
    public void DestroyIfDrained()
    {
        if (state.Lifecycle != Lifecycle.Open && state.Queue.Count == 0)
        {
            Destroy(int.MaxValue, DestroyReason.PoolDisposed);
        }
    }

    /// <summary>
    /// The time since which the coldest entry has been idle; <see cref="PoolClock.Never"/> if none is idle, or if a caller
    /// needs it.
    /// </summary>
    // Called outside a section that ends with a plan. So the cells are not emptied while a caller may need an entry: the return
    // that put it there would assume that it was found, and nothing would give it to the caller.
    public long OldestUnneeded()
    {
        if (state.CallersNeedIdleEntries)
        {
            return PoolClock.Never;
        }

        state.Idle.Gather();
        return state.Idle.Oldest is { } oldest ? oldest.IdleSince : PoolClock.Never;
    }

    private void DestroyWhere(Func<ResourceEntry<T>, DestroyReason?> reasonFor)
    {
        state.Idle.Gather();
        for (var entry = state.Idle.Oldest; entry is not null;)
        {
            var newer = entry.Newer;
            if (reasonFor(entry) is { } reason)
            {
                state.DestroyIdle(entry, reason);
            }

            entry = newer;
        }
    }
}
