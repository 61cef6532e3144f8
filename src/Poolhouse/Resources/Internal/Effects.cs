namespace Poolhouse.Resources;

/// <summary>What is to be done once the gate is open again: nobody's code runs under it (I25). No allocation: chains through the objects.</summary>
internal ref struct Effects<T>
    where T : notnull
{
    private Waiter<T>? _lastWoken;

    /// <summary>Waiters whose outcome is decided, in the order of the decisions.</summary>
    public Waiter<T>? FirstWoken { get; private set; }

    /// <summary>Entries whose activity (validate, destroy) is to begin.</summary>
    public ResourceEntry<T>? FirstEntry { get; private set; }

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
        if (_lastWoken is null)
        {
            FirstWoken = waiter;
        }
        else
        {
            _lastWoken.NextInBatch = waiter;
        }

        _lastWoken = waiter;
    }

    public void Begin(ResourceEntry<T> entry)
    {
        entry.NextInBatch = FirstEntry;
        FirstEntry = entry;
    }

    public void LookNoLaterThan(long time) => LookAt = Math.Min(LookAt, time);
}
