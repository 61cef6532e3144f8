using Poolhouse.Resources.Engine.Core;
using Poolhouse.Resources.Engine.Items;
using Poolhouse.Resources.Engine.PolicyCalls;

namespace Poolhouse.Resources.Engine.Maintenance;

/// <summary>
/// The periodic check of all items: it trims idle ones, destroys expired ones, keeps items alive and finds leaks. Under the
/// core's gate.
/// </summary>
internal sealed class Sweeper<T>(
    CoreState<T> state, IdleDestruction<T> destruction, KeepAlives<T> keepAlives, IdleMinimum<T> minimum)
    where T : notnull
{
    /// <param name="now">The time.</param>
    /// <param name="leaks">Receives the leases that have exceeded the leak threshold, each once.</param>
    /// <returns>When to check again.</returns>
    public long Sweep(long now, ICollection<(long Number, long LeasedFor, LeaseTrace? Trace)> leaks)
    {
        var next = PoolClock.Never;
        if (state.Lifecycle == Lifecycle.Closed)
        {
            return next;
        }

        destruction.DestroyExpired(now);
        destruction.DestroyLongIdle(now);
        keepAlives.Begin(now);
        minimum.BeginSweep();
        foreach (var entry in state.Entries)
        {
            InspectEntry(entry, now, leaks);
            next = Math.Min(next, NextCheck(entry, now));
        }

        if (state.Settings.MinIdle > 0)
        {
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

        var leak = PoolClock.Add(
            entry.IsLeased && entry.LeakedUse != entry.Uses ? Math.Min(entry.RentedAt, now) : now, settings.LeakThreshold);
        var next = Math.Min(idleEnds > now ? idleEnds : PoolClock.Add(now, settings.IdleTimeout), Math.Min(keepAlive, leak));
        var ahead = entry.Expiry - settings.ReplaceAhead;
        next = Math.Min(next, ahead > now ? ahead : entry.Expiry > now ? entry.Expiry : PoolClock.Never);
        return Math.Max(next, now + 1);
    }

    private void InspectEntry(
        ResourceEntry<T> entry, long now, ICollection<(long Number, long LeasedFor, LeaseTrace? Trace)> leaks)
    {
        if (entry.IsListed)
        {
            minimum.Inspect(entry, now);
        }
        else if (entry.IsLeak(state.Settings.LeakThreshold, now, out var use, out var leasedFor))
        {
            try
            {
                leaks.Add((entry.Number, leasedFor, entry.Trace));
                entry.LeakedUse = use;
                state.Counters.Leaks++;
            }
            catch (Exception failure) when (WorkScheduler.IsLackOfMemory(failure))
            {
                // The next sweep reports it.
            }
        }
    }
}
