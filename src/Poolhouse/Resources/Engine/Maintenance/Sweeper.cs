using Poolhouse.Resources.Engine.Core;
using Poolhouse.Resources.Engine.Items;

namespace Poolhouse.Resources.Engine.Maintenance;

/// <summary>
/// The periodic check of all items: it trims idle ones, destroys expired ones and keeps items alive. Under the core's gate.
/// </summary>
internal sealed class Sweeper<T>(
    CoreState<T> state, IdleDestruction<T> destruction, KeepAlives<T> keepAlives, IdleMinimum<T> minimum)
    where T : notnull
{
    /// <returns>When to check again.</returns>
    public long Sweep(long now)
    {
        var next = PoolClock.Never;
        if (state.Lifecycle == Lifecycle.Closed)
        {
            return next;
        }

        destruction.DestroyExpired(now);
        destruction.DestroyLongIdle(now);
        keepAlives.Begin(now);
        foreach (var entry in state.Entries)
        {
            next = Math.Min(next, NextCheck(entry, now));
        }

        if (state.Settings.MinIdle > 0)
        {
            minimum.CountExpiringSoon(now);
            minimum.Refill();
            next = Math.Min(next, PoolClock.Add(now, state.Settings.RefillInterval));
        }

        return next;
    }

    /// <summary>When an entry next needs a check.</summary>
    public long NextCheck(ResourceEntry<T> entry, long now)
    {
        if (entry.State == EntryState.Destroying)
        {
            return PoolClock.Never;
        }

        // For an entry that may become idle by then, the time starts now; for an idle entry it has started already.
        var settings = state.Settings;
        var mayBeLeased = !entry.IsListed;
        var idleEnds = PoolClock.Add(mayBeLeased ? now : entry.IdleSince, settings.IdleTimeout);
        var keepAlive = mayBeLeased ? PoolClock.Add(now, settings.KeepAliveInterval) : keepAlives.NextFor(entry, now);
        var next = Math.Min(idleEnds > now ? idleEnds : PoolClock.Add(now, settings.IdleTimeout), keepAlive);
        var ahead = entry.Expiry - settings.ReplaceAhead;
        next = Math.Min(next, ahead > now ? ahead : entry.Expiry > now ? entry.Expiry : PoolClock.Never);
        return Math.Max(next, now + 1);
    }
}
