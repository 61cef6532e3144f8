
namespace Poolhouse.Tests;

/// <summary>An observer that records its events.</summary>
internal sealed class Recorder : ResourcePoolObserver
{
    private readonly EventRecorder _heard = new();

    public List<T> Heard<T>() => _heard.Of<T>();

    public override void OnCreated(in ItemCreated created) => _heard.Add(created);

    public override void OnCreateFailed(in ItemCreateFailed failed) => _heard.Add(failed);

    public override void OnDestroyed(in ItemDestroyed destroyed) => _heard.Add(destroyed);

    public override void OnWaitEnded(in WaitEnded ended) => _heard.Add(ended);

    public override void OnLeakSuspected(in LeakSuspected suspected) => _heard.Add(suspected);
}
