
namespace Poolhouse.Tests;

/// <summary>An observer that records its events.</summary>
internal sealed class Recorder : ResourcePoolObserver
{
    private readonly EventRecorder _events = new();

    public List<T> Of<T>() => _events.Of<T>();

    public override void OnCreated(in ItemCreatedArgs created) => _events.Add(created);

    public override void OnCreateFailed(in ItemCreateFailedArgs failed) => _events.Add(failed);

    public override void OnDestroyed(in ItemDestroyedArgs destroyed) => _events.Add(destroyed);

    public override void OnWaitEnded(in WaitEndedArgs ended) => _events.Add(ended);

    public override void OnLeakSuspected(in LeakSuspectedArgs suspected) => _events.Add(suspected);
}
