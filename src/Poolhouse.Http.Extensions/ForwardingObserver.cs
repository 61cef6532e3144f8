using Poolhouse.Extensions.Logging;

namespace Poolhouse.Http.Extensions;

/// <summary>Writes the log of a bulkhead and forwards its events to the app's observers.</summary>
internal sealed class ForwardingObserver(ResourcePoolObserver log, IReadOnlyList<BulkheadObserver> observers) : BulkheadObserver
{
    public override void OnWaitEnded(in WaitEndedArgs ended)
    {
        log.OnWaitEnded(in ended);
        ObserverList.Notify(
            observers, in ended, static (BulkheadObserver observer, in WaitEndedArgs args) => observer.OnWaitEnded(in args));
    }

    public override void OnLeakSuspected(in LeakSuspectedArgs suspected)
    {
        log.OnLeakSuspected(in suspected);
        ObserverList.Notify(
            observers, in suspected,
            static (BulkheadObserver observer, in LeakSuspectedArgs args) => observer.OnLeakSuspected(in args));
    }
}
