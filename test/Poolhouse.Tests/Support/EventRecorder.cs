namespace Poolhouse.Tests;

/// <summary>Records the events of an observer, from any thread.</summary>
internal sealed class EventRecorder
{
    private readonly Lock _gate = new();
    private readonly List<object> _events = [];

    public void Add(object recorded)
    {
        lock (_gate)
        {
            _events.Add(recorded);
        }
    }

    public List<T> Of<T>()
    {
        lock (_gate)
        {
            return [.. _events.OfType<T>()];
        }
    }
}
