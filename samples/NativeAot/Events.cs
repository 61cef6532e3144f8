
namespace Poolhouse.Samples.NativeAot;

/// <summary>Counts events. Only the end of a wait is guaranteed to be reported before the caller continues.</summary>
internal sealed class Events : ResourcePoolObserver
{
    private int _given;
    private int _others;

    public int Given => Volatile.Read(ref _given);

    public override void OnCreated(in ItemCreatedArgs created) => Interlocked.Increment(ref _others);

    public override void OnCreateFailed(in ItemCreateFailedArgs failed) => Interlocked.Increment(ref _others);

    public override void OnDestroyed(in ItemDestroyedArgs destroyed) => Interlocked.Increment(ref _others);

    public override void OnWaitEnded(in WaitEndedArgs ended) =>
        Interlocked.Add(ref _given, ended.Outcome == WaitOutcome.Served ? 1 : 0);

    public override void OnLeakSuspected(in LeakSuspectedArgs suspected) => Interlocked.Increment(ref _others);
}
