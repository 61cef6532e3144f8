using System.Diagnostics.CodeAnalysis;

namespace Poolhouse.Extensions.Logging;

/// <summary>Writes the log of a pool and forwards its events to the app's observers. An observer that throws does not affect the others.</summary>
[SuppressMessage("Design", "CA1031", Justification = "Pools swallow the exceptions of observers.")]
internal sealed class PoolObserver(PoolLog log, IReadOnlyList<ResourcePoolObserver> observers) : WorkerPoolObserver
{
    private delegate void Notification<TEvent>(ResourcePoolObserver observer, in TEvent args);

    public override void OnCreated(in ItemCreated created)
    {
        log.Created();
        Forward(in created, static (ResourcePoolObserver observer, in ItemCreated args) => observer.OnCreated(in args));
    }

    public override void OnCreateFailed(in ItemCreateFailed failed)
    {
        log.CreateFailed(failed.Failure, failed.Failures, failed.RetryAfter);
        Forward(in failed, static (ResourcePoolObserver observer, in ItemCreateFailed args) => observer.OnCreateFailed(in args));
    }

    public override void OnDestroyed(in ItemDestroyed destroyed)
    {
        log.Destroyed(destroyed.Reason, destroyed.Failure);
        Forward(in destroyed, static (ResourcePoolObserver observer, in ItemDestroyed args) => observer.OnDestroyed(in args));
    }

    public override void OnWaitEnded(in WaitEnded ended)
    {
        if (ended.Outcome == WaitOutcome.TimedOut)
        {
            log.WaitTimedOut(ended.Pool, ended.Waited);
        }
        else if (ended.Outcome == WaitOutcome.Shed)
        {
            log.Shed(ended.Pool, ended.Waited);
        }

        Forward(in ended, static (ResourcePoolObserver observer, in WaitEnded args) => observer.OnWaitEnded(in args));
    }

    public override void OnLeakSuspected(in LeakSuspected suspected)
    {
        log.LeakSuspected(suspected.LeasedFor, suspected.RentedAt);
        Forward(in suspected, static (ResourcePoolObserver observer, in LeakSuspected args) => observer.OnLeakSuspected(in args));
    }

    public override void OnFailed(in WorkFailed failed)
    {
        log.WorkFailed(failed.Label, failed.Failure);
        Forward(in failed, static (ResourcePoolObserver observer, in WorkFailed args) => (observer as WorkerPoolObserver)?.OnFailed(in args));
    }

    public override void OnDropped(in WorkDropped dropped)
    {
        log.WorkDropped(dropped.Label, dropped.Reason, dropped.Waited);
        Forward(in dropped, static (ResourcePoolObserver observer, in WorkDropped args) => (observer as WorkerPoolObserver)?.OnDropped(in args));
    }

    public override void OnStuck(in WorkStuck stuck)
    {
        log.WorkStuck(stuck.Label, stuck.RunningFor, abandoned: false);
        Forward(in stuck, static (ResourcePoolObserver observer, in WorkStuck args) => (observer as WorkerPoolObserver)?.OnStuck(in args));
    }

    public override void OnAbandoned(in WorkAbandoned abandoned)
    {
        log.WorkStuck(abandoned.Label, abandoned.RanFor, abandoned: true);
        Forward(in abandoned, static (ResourcePoolObserver observer, in WorkAbandoned args) => (observer as WorkerPoolObserver)?.OnAbandoned(in args));
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
