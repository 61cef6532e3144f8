using System.Diagnostics.CodeAnalysis;

namespace Poolhouse.Extensions.Logging;

/// <summary>Writes the log of a pool and forwards its events to the app's observers. An observer that throws does not affect the others.</summary>
[SuppressMessage("Design", "CA1031", Justification = "Pools swallow the exceptions of observers.")]
internal sealed class PoolObserver(PoolLog log, IReadOnlyList<ResourcePoolObserver> observers) : ResourcePoolObserver
{
    private delegate void Notification<TEvent>(ResourcePoolObserver observer, in TEvent args);

    public override void OnCreated(in ItemCreatedArgs created)
    {
        log.Created();
        Forward(in created, static (ResourcePoolObserver observer, in ItemCreatedArgs args) => observer.OnCreated(in args));
    }

    public override void OnCreateFailed(in ItemCreateFailedArgs failed)
    {
        log.CreateFailed(failed.Failure, failed.Failures, failed.RetryAfter);
        Forward(in failed, static (ResourcePoolObserver observer, in ItemCreateFailedArgs args) => observer.OnCreateFailed(in args));
    }

    public override void OnDestroyed(in ItemDestroyedArgs destroyed)
    {
        log.Destroyed(destroyed.Reason, destroyed.Failure);
        Forward(in destroyed, static (ResourcePoolObserver observer, in ItemDestroyedArgs args) => observer.OnDestroyed(in args));
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

        Forward(in ended, static (ResourcePoolObserver observer, in WaitEndedArgs args) => observer.OnWaitEnded(in args));
    }

    public override void OnLeakSuspected(in LeakSuspectedArgs suspected)
    {
        log.LeakSuspected(suspected.LeasedFor, suspected.RentedAt);
        Forward(in suspected, static (ResourcePoolObserver observer, in LeakSuspectedArgs args) => observer.OnLeakSuspected(in args));
    }

    private void Forward<TEvent>(in TEvent args, Notification<TEvent> notify)
    {
        // By index: an enumerator would be allocated.
        for (var index = 0; index < observers.Count; index++)
        {
            try
            {
                notify(observers[index], in args);
            }
            catch (Exception)
            {
                // The next observer is notified all the same.
            }
        }
    }
}
