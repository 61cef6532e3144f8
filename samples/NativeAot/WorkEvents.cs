using Poolhouse.Workers;

namespace Poolhouse.Samples.NativeAot;

/// <summary>Counts the events of work items.</summary>
internal sealed class WorkEvents : WorkerPoolObserver
{
    private int _failed;
    private int _others;

    public int Failed => Volatile.Read(ref _failed);

    public override void OnFailed(in WorkFailedArgs failed) => Interlocked.Increment(ref _failed);

    public override void OnDropped(in WorkDroppedArgs dropped) =>
        Interlocked.Add(ref _others, dropped.Reason == WorkDropReason.Cancelled ? 0 : 1);

    public override void OnStateCreated(in StateCreatedArgs created) => Interlocked.Increment(ref _others);

    public override void OnStateCreateFailed(in StateCreateFailedArgs failed) => Interlocked.Increment(ref _others);

    public override void OnStateDestroyed(in StateDestroyedArgs destroyed) => Interlocked.Increment(ref _others);

    public override void OnStartFailed(in WorkerStartFailedArgs failed) => Interlocked.Increment(ref _others);

    public override void OnStuck(in WorkStuckArgs stuck) => Interlocked.Increment(ref _others);

    public override void OnAbandoned(in WorkAbandonedArgs abandoned) => Interlocked.Increment(ref _others);
}
