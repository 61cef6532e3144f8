using Poolhouse.Resources.Engine.Core;
using Poolhouse.Resources.Engine.Items;

namespace Poolhouse.Resources.Engine.Maintenance;

/// <summary>Decides when a pool creates items for its minimum of idle ones. Under the core's gate.</summary>
// A pool refills after it has lost an item and when it is swept, not on every rent, so a burst does not make it grow.
internal sealed class IdleMinimum<T>(CoreState<T> state)
    where T : notnull
{
    private bool _refills = state.Settings.MinIdle > 0;

    // Idle entries whose replacements are created while they are still usable. Not counted between sweeps as long as there are
    // none, because each plan of a growing pool asks for it.
    private int _expiringSoon;

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
        if (_expiringSoon > 0)
        {
            // Some that the last sweep counted may have been rented or destroyed since.
            CountExpiringSoon(now);
        }

        var missing = state.Settings.MinIdle - (supplies - _expiringSoon);
        _refills = missing > 0;
        return missing;
    }

    /// <summary>Counts the idle entries that will expire soon. Called by each sweep.</summary>
    public void CountExpiringSoon(long now)
    {
        _expiringSoon = 0;
        foreach (var entry in state.Entries)
        {
            _expiringSoon += entry.IsListed && now >= entry.Expiry - state.Settings.ReplaceAhead ? 1 : 0;
        }
    }
}
