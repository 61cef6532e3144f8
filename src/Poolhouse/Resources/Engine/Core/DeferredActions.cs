using Poolhouse.Resources.Engine.Items;
using Poolhouse.Resources.Engine.Waiting;

namespace Poolhouse.Resources.Engine.Core;

/// <summary>
/// The work to be started after the gate has been left: no external code runs under it (I25). Allocates nothing: the objects
/// are chained by their own links.
/// </summary>
internal struct DeferredActions<T>
    where T : notnull
{
    /// <summary>Waiters whose outcome is decided, in the order of the decisions.</summary>
    // A field, because it is a struct that is changed in place.
    public WokenCallers Woken;

    // Entries whose operation (validation, keep-alive or destruction) is to start.
    private ResourceEntry<T>? _firstEntry;

    /// <summary>The time of the section that decided on these actions.</summary>
    public long Now { get; set; }

    /// <summary>Creations to start asynchronously.</summary>
    public int Creations { get; set; }

    /// <summary>Creations to start on dedicated threads.</summary>
    public int SynchronousCreations { get; set; }

    /// <summary>Slots released to the capacity that several pools share.</summary>
    public int CapacityFreed { get; set; }

    /// <summary>The number of these that were released because this pool yielded to another.</summary>
    public int CapacityYielded { get; set; }

    /// <summary>Whether this pool no longer wants a slot of the shared capacity, so that another pool may have it.</summary>
    public bool WantWithdrawn { get; set; }

    /// <summary>
    /// Whether the section answers an offer of the shared capacity, which continues with the next pool by itself if the slot is
    /// not wanted.
    /// </summary>
    public bool AnswersOffer { get; set; }

    /// <summary>Whether a slot was wanted that the shared capacity did not have.</summary>
    public bool CapacityMissing { get; set; }

    /// <summary>Whether the pool is draining or closed, and may be empty now.</summary>
    public bool IsClosing { get; set; }

    /// <summary>The time of the next check, if that is sooner than scheduled.</summary>
    public long NextCheckAt { get; set; }

    public static DeferredActions<T> None => new() { NextCheckAt = PoolClock.Never };

    public void Begin(ResourceEntry<T> entry)
    {
        entry.NextInBatch = _firstEntry;
        _firstEntry = entry;
    }

    /// <summary>Removes and returns the next entry whose operation is to start.</summary>
    public ResourceEntry<T>? TakeEntry()
    {
        var entry = _firstEntry;
        if (entry is not null)
        {
            _firstEntry = entry.NextInBatch;
            entry.NextInBatch = null;
        }

        return entry;
    }

    public void CheckNoLaterThan(long time) => NextCheckAt = Math.Min(NextCheckAt, time);

    /// <summary>Takes all actions out of this batch.</summary>
    public DeferredActions<T> TakeAll()
    {
        var all = this;

        // Cleared as a whole, and not overwritten with an empty batch: that would cost a write barrier for each reference.
        this = default;
        NextCheckAt = PoolClock.Never;
        return all;
    }

    /// <summary>Takes over the actions of another batch that could not be started.</summary>
    // The report of a closing pool and the request for a missing slot are not among them: a later section repeats those.
    public void Add(ref DeferredActions<T> others)
    {
        while (others.Woken.Take() is { } waiter)
        {
            Woken.Add(waiter);
        }

        while (others.TakeEntry() is { } entry)
        {
            Begin(entry);
        }

        Creations += others.Creations;
        SynchronousCreations += others.SynchronousCreations;
        CapacityFreed += others.CapacityFreed;
        CapacityYielded += others.CapacityYielded;
        WantWithdrawn |= others.WantWithdrawn;
        CheckNoLaterThan(others.NextCheckAt);
        others = None;
    }
}
