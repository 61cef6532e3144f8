namespace Poolhouse.Tests;

/// <summary>Records the events of an observer, from any thread.</summary>
internal sealed class EventRecorder
{
    private readonly Lock _gate = new();
    private readonly List<object> _heard = [];

    public void Add(object what)
    {
        lock (_gate)
        {
            _heard.Add(what);
        }
    }

    public List<T> Of<T>()
    {
        lock (_gate)
        {
            return [.. _heard.OfType<T>()];
        }
    }
}
