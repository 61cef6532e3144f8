
namespace Poolhouse.Tests;

/// <summary>An observer of worker pools that records its events.</summary>
internal sealed class WorkRecorder : WorkerPoolObserver
{
    private readonly EventRecorder _heard = new();

    public List<T> Heard<T>() => _heard.Of<T>();

    public override void OnCreated(in ItemCreated created) => _heard.Add(created);

    public override void OnCreateFailed(in ItemCreateFailed failed) => _heard.Add(failed);

    public override void OnDestroyed(in ItemDestroyed destroyed) => _heard.Add(destroyed);

    public override void OnFailed(in WorkFailed failed) => _heard.Add(failed);

    public override void OnDropped(in WorkDropped dropped) => _heard.Add(dropped);

    public override void OnStuck(in WorkStuck stuck) => _heard.Add(stuck);

    public override void OnAbandoned(in WorkAbandoned abandoned) => _heard.Add(abandoned);
}
