namespace Poolhouse.Workers.Threads;

/// <summary>
/// Undoes what an item has changed on its thread before the next one runs: its context and its settings.
/// </summary>
// A struct inside its worker, used by the worker's thread only.
internal readonly struct ThreadReset
{
    private readonly ExecutionContext _clean;
    private readonly ThreadSettings _settings;

    private ThreadReset(ExecutionContext clean, ThreadSettings settings) => (_clean, _settings) = (clean, settings);

    /// <summary>Records the state of a thread that has not run an item yet.</summary>
    public static ThreadReset OfCurrentThread() => new(ExecutionContext.Capture()!, ThreadSettings.OfCurrentThread());

    /// <summary>Restores the context and the settings (I26).</summary>
    public void Restore()
    {
        RestoreContext();
        _settings.Restore();
    }

    /// <summary>Restores the context.</summary>
    public void RestoreContext()
    {
        ExecutionContext.Restore(_clean);
        if (SynchronizationContext.Current is not null)
        {
            SynchronizationContext.SetSynchronizationContext(null);
        }
    }
}
