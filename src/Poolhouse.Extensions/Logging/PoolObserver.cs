namespace Poolhouse.Extensions.Logging;

/// <summary>
/// Writes the log of a pool and forwards its events to the app's observers. An observer that throws does not affect the others.
/// </summary>
internal sealed class PoolObserver(PoolLog log, IReadOnlyList<ResourcePoolObserver> observers) : ResourcePoolObserver
{
    public override void OnCreated(in ItemCreatedArgs created)
    {
        log.Created(created.Pool);
        ObserverList.Notify(
            observers, in created,
            static (ResourcePoolObserver observer, in ItemCreatedArgs args) => observer.OnCreated(in args));
    }

    public override void OnCreateFailed(in ItemCreateFailedArgs failed)
    {
        log.CreateFailed(failed.Pool, failed.Failure, failed.Failures, failed.RetryAfter);
        ObserverList.Notify(
            observers, in failed,
            static (ResourcePoolObserver observer, in ItemCreateFailedArgs args) => observer.OnCreateFailed(in args));
    }

    public override void OnDestroyed(in ItemDestroyedArgs destroyed)
    {
        log.Destroyed(destroyed.Reason, destroyed.Failure);
        ObserverList.Notify(
            observers, in destroyed,
            static (ResourcePoolObserver observer, in ItemDestroyedArgs args) => observer.OnDestroyed(in args));
    }

    public override void OnWaitEnded(in WaitEndedArgs ended)
    {
        if (ended.Outcome == WaitOutcome.TimedOut)
        {
            log.WaitTimedOut(ended.Pool, ended.Waited);
        }
        else if (ended.Outcome == WaitOutcome.Shed)
        {
            log.Shed(ended.Pool, ended.Waited);
        }

        ObserverList.Notify(
            observers, in ended, static (ResourcePoolObserver observer, in WaitEndedArgs args) => observer.OnWaitEnded(in args));
    }

    public override void OnLeakSuspected(in LeakSuspectedArgs suspected)
    {
        log.LeakSuspected(in suspected);
        ObserverList.Notify(
            observers, in suspected,
            static (ResourcePoolObserver observer, in LeakSuspectedArgs args) => observer.OnLeakSuspected(in args));
    }
}
