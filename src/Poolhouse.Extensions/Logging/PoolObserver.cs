namespace Poolhouse.Extensions.Logging;

/// <summary>
/// Forwards the events of a pool to the app's observers and writes its log. An observer that throws does not affect the others.
/// </summary>
// The log is written last: a logger may throw, which the pool swallows.
internal sealed class PoolObserver(PoolLog log, IReadOnlyList<ResourcePoolObserver> observers) : ResourcePoolObserver
{
    public override void OnCreated(in ItemCreatedArgs created)
    {
        ObserverList.Notify(
            observers, in created,
            static (ResourcePoolObserver observer, in ItemCreatedArgs args) => observer.OnCreated(in args));
        log.Created(created.Pool);
    }

    public override void OnCreateFailed(in ItemCreateFailedArgs failed)
    {
        ObserverList.Notify(
            observers, in failed,
            static (ResourcePoolObserver observer, in ItemCreateFailedArgs args) => observer.OnCreateFailed(in args));
        log.CreateFailed(failed.Pool, failed.Failure, failed.Failures, failed.RetryAfter, failed.LacksRoom);
    }

    public override void OnDestroyed(in ItemDestroyedArgs destroyed)
    {
        ObserverList.Notify(
            observers, in destroyed,
            static (ResourcePoolObserver observer, in ItemDestroyedArgs args) => observer.OnDestroyed(in args));
        log.Destroyed(destroyed.Reason, destroyed.Failure);
    }

    public override void OnWaitEnded(in WaitEndedArgs ended)
    {
        ObserverList.Notify(
            observers, in ended, static (ResourcePoolObserver observer, in WaitEndedArgs args) => observer.OnWaitEnded(in args));
        switch (ended.Outcome)
        {
            case WaitOutcome.TimedOut:
                log.WaitTimedOut(ended.Pool, ended.Waited);
                break;
            case WaitOutcome.Shed:
                log.Shed(ended.Pool, ended.Waited);
                break;
            case WaitOutcome.Failed:
                log.Refused(ended.Waited);
                break;
            default:
                break;
        }
    }

    public override void OnLeakSuspected(in LeakSuspectedArgs suspected)
    {
        ObserverList.Notify(
            observers, in suspected,
            static (ResourcePoolObserver observer, in LeakSuspectedArgs args) => observer.OnLeakSuspected(in args));
        log.LeakSuspected(in suspected);
    }
}
