using Poolhouse.Explorer.Scheduling;

namespace Poolhouse.Kernel.Threading;

/// <summary>An event that the scheduler waits for. A wait ends when it is set.</summary>
internal sealed class BlockingEvent
{
    private bool _isSet;

    public void Set()
    {
        Actor.Step("set", "event");
        _isSet = true;
    }

    /// <summary>
    /// Never times out: the pool uses the timeout only to detect thread-pool starvation, which cannot occur here.
    /// </summary>
    public bool Wait(TimeSpan limit)
    {
        _ = limit;
        Actor.UntilInterrupted(() => _isSet, "event");
        return true;
    }
}
