using Poolhouse.Extensions.Logging;

namespace Poolhouse.Http.Extensions;

/// <summary>Forwards the events of a bulkhead to the app's observers and writes its log.</summary>
// The log is written last: a logger may throw, which the bulkhead swallows.
internal sealed class ForwardingObserver(ResourcePoolObserver log, IReadOnlyList<BulkheadObserver> observers) : BulkheadObserver
{
    public override void OnWaitEnded(in WaitEndedArgs ended)
    {
        ObserverList.Notify(
            observers, in ended, static (BulkheadObserver observer, in WaitEndedArgs args) => observer.OnWaitEnded(in args));
        log.OnWaitEnded(in ended);
    }

    public override void OnLeakSuspected(in LeakSuspectedArgs suspected)
    {
        ObserverList.Notify(
            observers, in suspected,
            static (BulkheadObserver observer, in LeakSuspectedArgs args) => observer.OnLeakSuspected(in args));
        log.OnLeakSuspected(in suspected);
    }
}
