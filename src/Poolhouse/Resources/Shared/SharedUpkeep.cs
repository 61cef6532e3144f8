using Poolhouse.Resources.Engine;

namespace Poolhouse.Resources.Shared;

/// <summary>Timed maintenance of a shared pool's items: replaces those that are too old, unused or fail their probe.</summary>
// Runs with every check of the items' pool. That pool schedules checks for the ends of lifetimes and clears.
internal sealed class SharedUpkeep<T>(SharedItemSet<T> itemSet, ResourceRuntime<T> runtime, SharedRents<T> rents)
    where T : notnull
{
    /// <summary>Has the timer of the items' pool run the checks from now on.</summary>
    public void Begin() => runtime.TimedWork.Add(Check, PoolClock.Add(runtime.Clock.Now, itemSet.Settings.LeakThreshold));

    private void Check(long now)
    {
        // First, and scheduled at once: deadlines must not depend on the policy, which the rest may call, nor on the observer.
        runtime.ScheduleAt(itemSet.Room.EndTimedOut(now));
        runtime.ScheduleAt(CheckItems(now));
        rents.SearchLeaks(now);
    }

    /// <returns>When an item is due next.</returns>
    private long CheckItems(long now)
    {
        var next = PoolClock.Never;
        if (itemSet.IsClosed)
        {
            return next;
        }

        var settings = itemSet.Settings;
        foreach (var item in itemSet.Items)
        {
            // The idle time of an item in use begins now at the earliest.
            var idleEnds = PoolClock.Add(item.Uses == 0 ? item.UsedAt : now, settings.IdleTicks);
            var keepAlive = PoolClock.Add(item.ProbedAt, settings.KeepAliveTicks);
            if (item.IsExpired(now))
            {
                itemSet.MayContinue(item);
            }
            else if (keepAlive <= now)
            {
                itemSet.Probe(item, suspected: false);
            }

            // What is due already, and is not done now, is tried again after the same time.
            next = Math.Min(next, idleEnds > now ? idleEnds : PoolClock.Add(now, settings.IdleTicks));
            next = Math.Min(next, keepAlive > now ? keepAlive : PoolClock.Add(now, settings.KeepAliveTicks));
        }

        DeactivateUnused(now, settings);
        itemSet.KeepMinimum();
        return next;
    }

    private void DeactivateUnused(long now, SharedSettings settings)
    {
        var surplus = itemSet.Items.Length - settings.MinIdle;
        if (settings.IdleTicks != PoolClock.Never && surplus > 0)
        {
            // Destroyed and not returned to the engine, where they would be idle for the same time again.
            itemSet.DeactivateAll(
                item => item.Uses == 0 && now - item.UsedAt >= settings.IdleTicks && surplus-- > 0, DestroyReason.Idle);
        }
    }
}
