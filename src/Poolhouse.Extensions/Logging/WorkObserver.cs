using Poolhouse.Workers;

namespace Poolhouse.Extensions.Logging;

/// <summary>
/// Forwards the events of a worker pool to the app's observers and writes its log. An observer that throws does not affect the
/// others.
/// </summary>
// The log is written last: a logger may throw, which the pool swallows.
internal sealed class WorkObserver(PoolLog log, IReadOnlyList<WorkerPoolObserver> observers) : WorkerPoolObserver
{
    public override void OnStateCreated(in StateCreatedArgs created) =>
        ObserverList.Notify(
            observers, in created,
            static (WorkerPoolObserver observer, in StateCreatedArgs args) => observer.OnStateCreated(in args));

    public override void OnStateCreateFailed(in StateCreateFailedArgs failed)
    {
        ObserverList.Notify(
            observers, in failed,
            static (WorkerPoolObserver observer, in StateCreateFailedArgs args) => observer.OnStateCreateFailed(in args));
        log.StateCreateFailed(failed.Failure);
    }

    public override void OnStartFailed(in WorkerStartFailedArgs failed)
    {
        ObserverList.Notify(
            observers, in failed,
            static (WorkerPoolObserver observer, in WorkerStartFailedArgs args) => observer.OnStartFailed(in args));
        log.WorkerStartFailed(failed.Failure, failed.RetryAfter);
    }

    public override void OnStateDestroyed(in StateDestroyedArgs destroyed) =>
        ObserverList.Notify(
            observers, in destroyed,
            static (WorkerPoolObserver observer, in StateDestroyedArgs args) => observer.OnStateDestroyed(in args));

    public override void OnFailed(in WorkFailedArgs failed)
    {
        ObserverList.Notify(
            observers, in failed, static (WorkerPoolObserver observer, in WorkFailedArgs args) => observer.OnFailed(in args));
        log.WorkFailed(failed.Label, failed.Failure);
    }

    public override void OnDropped(in WorkDroppedArgs dropped)
    {
        ObserverList.Notify(
            observers, in dropped, static (WorkerPoolObserver observer, in WorkDroppedArgs args) => observer.OnDropped(in args));
        log.WorkDropped(dropped.Label, dropped.Reason, dropped.Waited);
    }

    public override void OnStuck(in WorkStuckArgs stuck)
    {
        ObserverList.Notify(
            observers, in stuck, static (WorkerPoolObserver observer, in WorkStuckArgs args) => observer.OnStuck(in args));
        log.WorkStuck(stuck.Label, stuck.RunningFor, abandoned: false);
    }

    public override void OnAbandoned(in WorkAbandonedArgs abandoned)
    {
        ObserverList.Notify(
            observers, in abandoned,
            static (WorkerPoolObserver observer, in WorkAbandonedArgs args) => observer.OnAbandoned(in args));
        log.WorkStuck(abandoned.Label, abandoned.RanFor, abandoned: true);
    }
}
