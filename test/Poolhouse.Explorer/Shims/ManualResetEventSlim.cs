using Poolhouse.Explorer.Scheduling;

namespace Poolhouse.Explorer.Shims;

/// <summary>An event that the scheduler waits for. A wait ends when it is set.</summary>
internal sealed class ManualResetEventSlim : IDisposable
{
    private bool _isSet;

    public void Set()
    {
        Actor.Step("set", "event");
        _isSet = true;
    }

    /// <summary>Never ends by time: that is how the pool notices a starved thread pool, and there is none here.</summary>
    public bool Wait(TimeSpan limit, CancellationToken cancellationToken)
    {
        _ = limit;
        cancellationToken.ThrowIfCancellationRequested();
        Actor.Until(() => _isSet, "event");
        return true;
    }

    public void Dispose()
    {
    }
}
