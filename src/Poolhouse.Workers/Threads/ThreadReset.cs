using Poolhouse.Kernel.Threading;

namespace Poolhouse.Workers.Threads;

/// <summary>
/// Undoes what an item has changed on its thread before the next one runs: its context, its settings, a pending interrupt.
/// </summary>
// A struct inside its worker, used by the worker's thread only. Between two plain posts an interrupt is not checked for: that
// costs more than a post.
internal struct ThreadReset
{
    private readonly ExecutionContext _clean;
    private readonly ThreadSettings _settings;
    private LastWork _lastWork;

    private ThreadReset(ExecutionContext clean, ThreadSettings settings) => (_clean, _settings) = (clean, settings);

    /// <summary>
    /// The last work of the thread that may have left an interrupt pending; ordered by how soon that is checked.
    /// </summary>
    public enum LastWork
    {
        None,
        Post,
        Item,
    }

    public readonly ExecutionContext CleanContext => _clean;

    /// <summary>Records the state of a thread that has not run an item yet.</summary>
    public static ThreadReset OfCurrentThread() => new(ExecutionContext.Capture()!, ThreadSettings.OfCurrentThread());

    /// <summary>Restores the context and the settings (I26).</summary>
    public readonly void Restore()
    {
        RestoreContext();
        _settings.Restore();
    }

    /// <summary>Restores the context.</summary>
    public readonly void RestoreContext()
    {
        ExecutionContext.Restore(_clean);
        if (SynchronizationContext.Current is not null)
        {
            SynchronizationContext.SetSynchronizationContext(null);
        }
    }

    /// <summary>Records what has run.</summary>
    public void HasRun(LastWork work) => _lastWork = work;

    /// <summary>Discards an interrupt that earlier work left pending, so that it does not affect the next item.</summary>
    public void DiscardInterruptAfter(LastWork work)
    {
        if (_lastWork >= work)
        {
            _lastWork = LastWork.None;
            CurrentThread.DiscardInterrupt();
        }
    }
}
