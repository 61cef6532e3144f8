using Poolhouse.Resources;
using Poolhouse.Workers;

namespace Poolhouse.Tests;

/// <summary>An observer of worker pools that keeps what it hears.</summary>
internal sealed class WorkRecorder : WorkerPoolObserver
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

    public override void OnFailed(in WorkFailed failed) => Add(failed);

    public override void OnDropped(in WorkDropped dropped) => Add(dropped);

    public override void OnStuck(in WorkStuck stuck) => Add(stuck);

    public override void OnAbandoned(in WorkAbandoned abandoned) => Add(abandoned);

    private void Add(object what)
    {
        lock (_gate)
        {
            _heard.Add(what);
        }
    }
}
