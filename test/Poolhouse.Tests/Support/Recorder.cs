using Poolhouse.Resources;

namespace Poolhouse.Tests;

/// <summary>An observer that keeps what it hears.</summary>
internal sealed class Recorder : ResourcePoolObserver
{
    private readonly Lock _gate = new();
    private readonly List<object> _heard = [];

    public List<T> Heard<T>()
    {
        lock (_gate)
        {
            return [.. _heard.OfType<T>()];
        }
    }

    public override void OnCreated(in ItemCreated created) => Add(created);

    public override void OnCreateFailed(in ItemCreateFailed failed) => Add(failed);

    public override void OnDestroyed(in ItemDestroyed destroyed) => Add(destroyed);

    public override void OnWaitEnded(in WaitEnded ended) => Add(ended);

    public override void OnLeakSuspected(in LeakSuspected suspected) => Add(suspected);

    private void Add(object what)
    {
        lock (_gate)
        {
            _heard.Add(what);
        }
    }
}
