
namespace Poolhouse.Tests;

/// <summary>An observer that records its events.</summary>
internal sealed class Recorder : ResourcePoolObserver
{
    private readonly EventRecorder _heard = new();

    public List<T> Heard<T>() => _heard.Of<T>();

    public override void OnCreated(in ItemCreatedArgs created) => _heard.Add(created);

    public override void OnCreateFailed(in ItemCreateFailedArgs failed) => _heard.Add(failed);

    public override void OnDestroyed(in ItemDestroyedArgs destroyed) => _heard.Add(destroyed);

    public override void OnWaitEnded(in WaitEndedArgs ended) => _heard.Add(ended);

    public override void OnLeakSuspected(in LeakSuspectedArgs suspected) => _heard.Add(suspected);
}
