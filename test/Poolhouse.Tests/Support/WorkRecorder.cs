using Poolhouse.Workers;

namespace Poolhouse.Tests;

/// <summary>An observer of worker pools that records its events.</summary>
internal sealed class WorkRecorder : WorkerPoolObserver
{
    private readonly EventRecorder _events = new();

    public List<T> Of<T>() => _events.Of<T>();

    public override void OnStateCreated(in StateCreatedArgs created) => _events.Add(created);

    public override void OnStartFailed(in WorkerStartFailedArgs failed) => _events.Add(failed);

    public override void OnStateCreateFailed(in StateCreateFailedArgs failed) => _events.Add(failed);

    public override void OnStateDestroyed(in StateDestroyedArgs destroyed) => _events.Add(destroyed);

    public override void OnFailed(in WorkFailedArgs failed) => _events.Add(failed);

    public override void OnDropped(in WorkDroppedArgs dropped) => _events.Add(dropped);

    public override void OnStuck(in WorkStuckArgs stuck) => _events.Add(stuck);

    public override void OnAbandoned(in WorkAbandonedArgs abandoned) => _events.Add(abandoned);
}
