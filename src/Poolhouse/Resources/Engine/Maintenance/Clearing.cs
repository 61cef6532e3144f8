using Poolhouse.Resources.Engine.Core;
using Poolhouse.Resources.Engine.Items;

namespace Poolhouse.Resources.Engine.Maintenance;

/// <summary>Expires the items that exist when a pool is cleared, or requires their validation. Under the core's gate.</summary>
// Each clear ends a generation. An item belongs to the generation in which its creation began, so that one that was created from
// the state that was cleared is destroyed when the creation succeeds.
internal sealed class Clearing<T>(CoreState<T> state, IdleDestruction<T> destruction)
    where T : notnull
{
    private readonly Random _random = state.Settings.Options.Random;
    private int _generation;

    // The time by which everything older than the generation has expired.
    private long _clearedBy = PoolClock.Past;

    /// <summary>
    /// The current generation: a creation that starts now is younger than every clear up to it. Also outside the gate.
    /// </summary>
    public int Generation => Volatile.Read(ref _generation);

    /// <summary>
    /// Lets items of the given generation or older expire within a time, each at a random moment of it; has no effect if an
    /// earlier clear after the same event does so at least as soon.
    /// </summary>
    public void Clear(long spread, int since, long now)
    {
        // A later report of the same event must not draw new random moments: the earliest of several is no longer spread
        // evenly.
        var isNewEvent = since >= _generation;
        if (!isNewEvent && PoolClock.Add(now, spread) >= _clearedBy)
        {
            return;
        }

        var cleared = _generation - (isNewEvent ? 0 : 1);
        Volatile.Write(ref _generation, cleared + 1);
        _clearedBy = PoolClock.Add(now, spread);
        foreach (var entry in state.Entries)
        {
            if (entry.Generation <= cleared)
            {
                ExpireWithin(spread, entry, now);
            }
        }

        destruction.DestroyExpired(now);
    }

    /// <summary>
    /// Lets the given entries expire within a time, each at a random moment of it. Those that are gone are skipped.
    /// </summary>
    public void Clear(long spread, HashSet<ResourceEntry<T>> affected, long now)
    {
        foreach (var entry in state.Entries)
        {
            if (affected.Contains(entry))
            {
                ExpireWithin(spread, entry, now);
            }
        }

        destruction.DestroyExpired(now);
    }

    /// <summary>The items, and their entries.</summary>
    public List<(ResourceEntry<T> Entry, T Item)> GetItems()
    {
        var items = new List<(ResourceEntry<T>, T)>();
        foreach (var entry in state.Entries)
        {
            if (entry.State != EntryState.Destroying && entry.Item is { } item)
            {
                items.Add((entry, item));
            }
        }

        return items;
    }

    /// <summary>
    /// Requires validation of entries before their next lease, however recently they were used.
    /// </summary>
    /// <param name="since">The newest generation that is affected.</param>
    /// <param name="affected">The affected entries; null for all.</param>
    /// <param name="now">The time.</param>
    public void RequireValidation(int since, HashSet<ResourceEntry<T>>? affected, long now)
    {
        foreach (var entry in state.Entries)
        {
            if (entry.Generation > since || entry.State == EntryState.Destroying || entry.Item is null
                || affected?.Contains(entry) == false)
            {
                continue;
            }

            if (state.Settings.ValidateAfterIdle != PoolClock.Never)
            {
                entry.MarkStale();
            }
        }

        destruction.DestroyExpired(now);
    }

    /// <summary>Lets a live entry expire at the given time, unless it expires sooner.</summary>
    public void Expire(ResourceEntry<T> entry, long at, long now)
    {
        if (entry.TryExpire(at, DestroyReason.Cleared))
        {
            state.Actions.CheckNoLaterThan(Math.Max(at, now));
        }
    }

    private void ExpireWithin(long spread, ResourceEntry<T> entry, long now)
    {
        // "At once" means before any time that a coarse clock may still show.
        Expire(entry, spread == 0 ? PoolClock.Past : now + (long)(spread * _random.NextDouble()), now);
    }
}
