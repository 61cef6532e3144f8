namespace Poolhouse.Http;

/// <summary>
/// Is notified of events in bulkheads: for logs, traces and tests. Override the members for the events of interest.
/// </summary>
/// <remarks>
/// Called in the background or on the stack of the caller that waited; never under a lock. Exceptions that a member throws are
/// swallowed. One observer may serve many bulkheads, so its members must be thread safe. An event may be reported after the call
/// that caused it has ended, even if that call disposed the bulkhead.
/// </remarks>
public abstract class BulkheadObserver
{
    /// <summary>
    /// Called when the wait of a request ended, whether it was admitted or not. Requests admitted at once are not reported.
    /// </summary>
    /// <param name="ended">The event.</param>
    public virtual void OnWaitEnded(in WaitEndedArgs ended)
    {
    }

    /// <summary>Called when a request has been in progress for longer than <see cref="BulkheadOptions.LeakThreshold"/>.</summary>
    /// <param name="suspected">The event.</param>
    public virtual void OnLeakSuspected(in LeakSuspectedArgs suspected)
    {
    }
}
