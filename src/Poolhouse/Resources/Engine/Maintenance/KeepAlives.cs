using Poolhouse.Resources.Engine.Core;
using Poolhouse.Resources.Engine.Items;

namespace Poolhouse.Resources.Engine.Maintenance;

/// <summary>
/// Starts the keep-alives of idle items that are due, the longest due first, and few at a time. Under the core's gate.
/// </summary>
internal sealed class KeepAlives<T>(CoreState<T> state)
    where T : notnull
{
    // Enough for a large pool, and few enough to leave the others available to callers.
    private const int MaxConcurrent = 4;

    // Whether the last sweep left entries that are due, because enough were in progress: the end of one continues with them.
    private bool _moreAreDue;

    /// <summary>Starts as many as may be in progress at once.</summary>
    public void Begin(long now)
    {
        _moreAreDue = false;
        while (state.Settings.KeepAliveInterval != PoolClock.Never && FindStalest(now) is { } entry)
        {
            if (state.Counts.KeepingAlive >= MaxConcurrent)
            {
                _moreAreDue = true;
                return;
            }

            state.Idle.Remove(entry);
            state.SetState(entry, EntryState.KeepingAlive);
            state.Actions.Begin(entry);
        }
    }

    /// <summary>Continues with the others that are due if the entry was being kept alive.</summary>
    public void OnEnded(ResourceEntry<T> entry, long now)
    {
        if (_moreAreDue && entry.State == EntryState.KeepingAlive)
        {
            state.Actions.CheckNoLaterThan(now);
        }
    }

    /// <summary>When an idle entry is next due to be kept alive; one that is due already waits for another to finish.</summary>
    public long NextFor(ResourceEntry<T> entry, long now)
    {
        var due = PoolClock.Add(entry.FreshSince, state.Settings.KeepAliveInterval);
        return due > now ? due : PoolClock.Never;
    }

    private ResourceEntry<T>? FindStalest(long now)
    {
        ResourceEntry<T>? stalest = null;
        foreach (var entry in state.Entries)
        {
            if (entry.IsListed && now - entry.FreshSince >= state.Settings.KeepAliveInterval
                && (stalest is null || entry.FreshSince < stalest.FreshSince))
            {
                stalest = entry;
            }
        }

        return stalest;
    }
}
