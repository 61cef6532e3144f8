namespace Poolhouse.Extensions.Logging;

/// <summary>
/// Writes the log of a worker pool and forwards its events to the app's observers. An observer that throws does not affect the
/// others.
/// </summary>
internal sealed class WorkObserver(PoolLog log, IReadOnlyList<WorkerPoolObserver> observers) : WorkerPoolObserver
{
    public override void OnStateCreated(in StateCreatedArgs created) =>
        ObserverList.Notify(
            observers, in created,
            static (WorkerPoolObserver observer, in StateCreatedArgs args) => observer.OnStateCreated(in args));

    public override void OnStateCreateFailed(in StateCreateFailedArgs failed)
    {
        log.StateCreateFailed(failed.Failure);
        ObserverList.Notify(
            observers, in failed,
            static (WorkerPoolObserver observer, in StateCreateFailedArgs args) => observer.OnStateCreateFailed(in args));
    }

    public override void OnStartFailed(in WorkerStartFailedArgs failed)
    {
        log.WorkerStartFailed(failed.Failure, failed.RetryAfter);
        ObserverList.Notify(
            observers, in failed,
            static (WorkerPoolObserver observer, in WorkerStartFailedArgs args) => observer.OnStartFailed(in args));
    }

    public override void OnStateDestroyed(in StateDestroyedArgs destroyed) =>
        ObserverList.Notify(
            observers, in destroyed,
            static (WorkerPoolObserver observer, in StateDestroyedArgs args) => observer.OnStateDestroyed(in args));

    public override void OnFailed(in WorkFailedArgs failed)
    {
        log.WorkFailed(failed.Label, failed.Failure);
        ObserverList.Notify(
            observers, in failed, static (WorkerPoolObserver observer, in WorkFailedArgs args) => observer.OnFailed(in args));
    }

    public override void OnDropped(in WorkDroppedArgs dropped)
    {
        log.WorkDropped(dropped.Label, dropped.Reason, dropped.Waited);
        ObserverList.Notify(
            observers, in dropped, static (WorkerPoolObserver observer, in WorkDroppedArgs args) => observer.OnDropped(in args));
    }

    public override void OnStuck(in WorkStuckArgs stuck)
    {
        log.WorkStuck(stuck.Label, stuck.RunningFor, abandoned: false);
        ObserverList.Notify(
            observers, in stuck, static (WorkerPoolObserver observer, in WorkStuckArgs args) => observer.OnStuck(in args));
    }

    public override void OnAbandoned(in WorkAbandonedArgs abandoned)
    {
        log.WorkStuck(abandoned.Label, abandoned.RanFor, abandoned: true);
        ObserverList.Notify(
            observers, in abandoned,
            static (WorkerPoolObserver observer, in WorkAbandonedArgs args) => observer.OnAbandoned(in args));
    }
}
