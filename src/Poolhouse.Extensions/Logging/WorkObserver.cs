using System.Diagnostics.CodeAnalysis;

namespace Poolhouse.Extensions.Logging;

/// <summary>Writes the log of a worker pool and forwards its events to the app's observers. An observer that throws does not affect the others.</summary>
[SuppressMessage("Design", "CA1031", Justification = "Pools swallow the exceptions of observers.")]
internal sealed class WorkObserver(PoolLog log, IReadOnlyList<WorkerPoolObserver> observers) : WorkerPoolObserver
{
    private delegate void Notification<TEvent>(WorkerPoolObserver observer, in TEvent args);

    public override void OnStateCreated(in StateCreatedArgs created)
    {
        log.Created();
        Forward(in created, static (WorkerPoolObserver observer, in StateCreatedArgs args) => observer.OnStateCreated(in args));
    }

    public override void OnStateCreateFailed(in StateCreateFailedArgs failed)
    {
        log.CreateFailed(failed.Failure, failures: 1, TimeSpan.Zero);
        Forward(in failed, static (WorkerPoolObserver observer, in StateCreateFailedArgs args) => observer.OnStateCreateFailed(in args));
    }

    public override void OnStartFailed(in WorkerStartFailedArgs failed)
    {
        log.CreateFailed(failed.Failure, failures: 1, failed.RetryAfter);
        Forward(in failed, static (WorkerPoolObserver observer, in WorkerStartFailedArgs args) => observer.OnStartFailed(in args));
    }

    public override void OnStateDestroyed(in StateDestroyedArgs destroyed) =>
        Forward(in destroyed, static (WorkerPoolObserver observer, in StateDestroyedArgs args) => observer.OnStateDestroyed(in args));

    public override void OnFailed(in WorkFailedArgs failed)
    {
        log.WorkFailed(failed.Label, failed.Failure);
        Forward(in failed, static (WorkerPoolObserver observer, in WorkFailedArgs args) => observer.OnFailed(in args));
    }

    public override void OnDropped(in WorkDroppedArgs dropped)
    {
        log.WorkDropped(dropped.Label, dropped.Reason, dropped.Waited);
        Forward(in dropped, static (WorkerPoolObserver observer, in WorkDroppedArgs args) => observer.OnDropped(in args));
    }

    public override void OnStuck(in WorkStuckArgs stuck)
    {
        log.WorkStuck(stuck.Label, stuck.RunningFor, abandoned: false);
        Forward(in stuck, static (WorkerPoolObserver observer, in WorkStuckArgs args) => observer.OnStuck(in args));
    }

    public override void OnAbandoned(in WorkAbandonedArgs abandoned)
    {
        log.WorkStuck(abandoned.Label, abandoned.RanFor, abandoned: true);
        Forward(in abandoned, static (WorkerPoolObserver observer, in WorkAbandonedArgs args) => observer.OnAbandoned(in args));
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
