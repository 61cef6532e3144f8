namespace Poolhouse.Http.Internal;

/// <summary>Forwards the events of the pool of permits that concern requests, as events of the bulkhead.</summary>
internal sealed class PermitObserver(BulkheadObserver observer, Bulkhead bulkhead) : ResourcePoolObserver
{
    public override void OnWaitEnded(in WaitEndedArgs ended) => observer.OnWaitEnded(ended with { Pool = bulkhead });

    public override void OnLeakSuspected(in LeakSuspectedArgs suspected) =>
        observer.OnLeakSuspected(suspected with { Pool = bulkhead });
}
