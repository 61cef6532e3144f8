using Poolhouse.Explorer.Scheduling;

namespace Poolhouse.Explorer.Shims;

/// <summary>An event that the scheduler waits for. A wait with a limit ends early only if the scenario lets it.</summary>
internal sealed class ManualResetEventSlim : IDisposable
{
    private bool _isSet;

    public void Set()
    {
        Actor.Step("set", "event");
        _isSet = true;
    }

    /// <summary>Never ends by time: a limit is how the pool rescues itself from a starved thread pool, which there is none of here.</summary>
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
