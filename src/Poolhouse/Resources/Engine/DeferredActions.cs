using Poolhouse.Kernel.Time;
using Poolhouse.Resources.Engine.Waiting;

namespace Poolhouse.Resources.Engine;

/// <summary>What is to be done once the gate is open again: nobody's code runs under it (I25). No allocation: chains through the objects.</summary>
internal struct DeferredActions<T>
    where T : notnull
{
    // Waiters whose outcome is decided, in the order of the decisions.
    private Waiter<T>? _firstWoken;
    private Waiter<T>? _lastWoken;

    // Entries whose activity (validate, destroy) is to begin.
    private ResourceEntry<T>? _firstEntry;

    /// <summary>When the section that they come from settled.</summary>
    public long Now { get; set; }

    /// <summary>Creations to begin asynchronously.</summary>
    public int Creations { get; set; }

    /// <summary>Creations to begin on threads of their own.</summary>
    public int SynchronousCreations { get; set; }

    /// <summary>Places given up, for the budget that several pools share.</summary>
    public int CapacityFreed { get; set; }

    /// <summary>How many of them because this pool yielded to another.</summary>
    public int CapacityYielded { get; set; }

    /// <summary>Whether this pool no longer wants a place of the shared budget, so that another may have it.</summary>
    public bool WantWithdrawn { get; set; }

    /// <summary>Whether a place was wanted that the shared budget did not have.</summary>
    public bool CapacityMissing { get; set; }

    /// <summary>The time to look again, if that is sooner than planned.</summary>
    public long NextCheckAt { get; set; }

    public static DeferredActions<T> None => new() { NextCheckAt = PoolClock.Never };

    public void Wake(Waiter<T> waiter)
    {
        if (_firstWoken is null)
        {
            _firstWoken = waiter;
        }
        else
        {
            _lastWoken!.NextInBatch = waiter;
        }

        _lastWoken = waiter;
    }

    /// <summary>Takes out the next waiter to wake.</summary>
    public Waiter<T>? TakeWoken()
    {
        var waiter = _firstWoken;
        if (waiter is not null)
        {
            _firstWoken = waiter.NextInBatch;
            waiter.NextInBatch = null;
        }

        return waiter;
    }

    public void Begin(ResourceEntry<T> entry)
    {
        entry.NextInBatch = _firstEntry;
        _firstEntry = entry;
    }

    /// <summary>Takes out the next entry whose activity is to begin.</summary>
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

    /// <summary>Takes over everything that others are to do.</summary>
    public void Add(ref DeferredActions<T> others)
    {
        while (others.TakeWoken() is { } waiter)
        {
            Wake(waiter);
        }

        while (others.TakeEntry() is { } entry)
        {
            Begin(entry);
        }

        Creations += others.Creations;
        SynchronousCreations += others.SynchronousCreations;
        CheckNoLaterThan(others.NextCheckAt);
        others = None;
    }
}
