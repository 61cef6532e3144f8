namespace Poolhouse.Resources;

/// <summary>What is to be done once the gate is open again: nobody's code runs under it (I25). No allocation: chains through the objects.</summary>
internal struct Effects<T>
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
    public int PlacesFreed { get; set; }

    /// <summary>How many of them because this pool yielded to another.</summary>
    public int PlacesYielded { get; set; }

    /// <summary>Whether this pool no longer wants a place of the shared budget, so that another may have it.</summary>
    public bool WantForgone { get; set; }

    /// <summary>Whether a place was wanted that the shared budget did not have.</summary>
    public bool PlaceMissing { get; set; }

    /// <summary>The time to look again, if that is sooner than planned.</summary>
    public long LookAt { get; set; }

    public static Effects<T> None => new() { LookAt = PoolClock.Never };

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

    public void LookNoLaterThan(long time) => LookAt = Math.Min(LookAt, time);

    /// <summary>Takes over everything that others are to do.</summary>
    public void Add(ref Effects<T> others)
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
        LookNoLaterThan(others.LookAt);
        others = None;
    }
}
