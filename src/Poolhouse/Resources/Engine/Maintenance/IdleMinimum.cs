using Poolhouse.Resources.Engine.Core;
using Poolhouse.Resources.Engine.Items;

namespace Poolhouse.Resources.Engine.Maintenance;

/// <summary>Decides when a pool creates items for its minimum of idle ones. Under the core's gate.</summary>
// A pool refills after it has lost an item and when it is swept, not on every rent, so a burst does not make it grow.
internal sealed class IdleMinimum<T>(CoreState<T> state)
    where T : notnull
{
    private bool _refills = state.Settings.MinIdle > 0;

    /// <summary>Has the pool refilled up to its minimum, if it has one.</summary>
    public void Refill() => _refills |= state.Settings.MinIdle > 0;

    /// <summary>
    /// The number of items to create for the minimum, beyond those in progress; not positive if there are none.
    /// </summary>
    public int Missing(int waiting, long now)
    {
        if (!_refills)
        {
            return 0;
        }

        var supplies = state.Settings.MinIdleCountsAll
            ? state.Counts.NotDestroying
            : state.Idle.Count + state.Counts.SuppliesWithUpkeep - waiting;
        var missing = state.Settings.MinIdle - (supplies - CountExpiringSoon(now));
        _refills = missing > 0;
        return missing;
    }

    /// <summary>The number of idle entries whose replacements are created while they are still usable.</summary>
    private int CountExpiringSoon(long now)
    {
        var expiring = 0;
        foreach (var entry in state.Entries)
        {
            expiring += entry.IsListed && now >= entry.Expiry - state.Settings.ReplaceAhead ? 1 : 0;
        }

        return expiring;
    }
}
