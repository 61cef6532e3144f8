
namespace Poolhouse.Tests;

/// <summary>An observer of worker pools that records its events.</summary>
internal sealed class WorkRecorder : WorkerPoolObserver
{
    private readonly EventRecorder _heard = new();

    public List<T> Heard<T>() => _heard.Of<T>();

    public override void OnStateCreated(in StateCreatedArgs created) => _heard.Add(created);

    public override void OnStartFailed(in WorkerStartFailedArgs failed) => _heard.Add(failed);

    public override void OnStateCreateFailed(in StateCreateFailedArgs failed) => _heard.Add(failed);

    public override void OnStateDestroyed(in StateDestroyedArgs destroyed) => _heard.Add(destroyed);

    public override void OnFailed(in WorkFailedArgs failed) => _heard.Add(failed);

    public override void OnDropped(in WorkDroppedArgs dropped) => _heard.Add(dropped);

    public override void OnStuck(in WorkStuckArgs stuck) => _heard.Add(stuck);

    public override void OnAbandoned(in WorkAbandonedArgs abandoned) => _heard.Add(abandoned);
}
