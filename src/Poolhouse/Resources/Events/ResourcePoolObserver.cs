namespace Poolhouse;

/// <summary>
/// Is notified of events in resource pools: for logs, traces and tests. Override the members for the events of interest.
/// </summary>
/// <remarks>
/// <para>
/// Called in the background or on the stack of the caller that waited; never under a lock and never on the stack of a caller that
/// returns an item. Exceptions that a member throws are swallowed. One observer may serve many pools, so its members must be
/// thread safe.
/// </para>
/// <para>
/// The pool does not wait for observers: an event may be reported after the call that caused it has ended, even if that call was
/// <see cref="ResourcePool{T}.DisposeAsync"/>. A member that blocks delays only the thread that reports.
/// </para>
/// </remarks>
public abstract class ResourcePoolObserver
{
    /// <summary>Called when an item was created.</summary>
    /// <param name="created">The event.</param>
    public virtual void OnCreated(in ItemCreatedArgs created)
    {
    }

    /// <summary>Called when the creation of an item failed or was abandoned.</summary>
    /// <param name="failed">The event.</param>
    public virtual void OnCreateFailed(in ItemCreateFailedArgs failed)
    {
    }

    /// <summary>Called when an item was destroyed, or its destruction was abandoned.</summary>
    /// <param name="destroyed">The event.</param>
    public virtual void OnDestroyed(in ItemDestroyedArgs destroyed)
    {
    }

    /// <summary>Called when a caller's wait ended, with or without an item. Rents served at once are not reported.</summary>
    /// <param name="ended">The event.</param>
    public virtual void OnWaitEnded(in WaitEndedArgs ended)
    {
    }

    /// <summary>Called when an item has been leased for longer than <see cref="ResourcePoolOptions.LeakThreshold"/>.</summary>
    /// <param name="suspected">The event.</param>
    public virtual void OnLeakSuspected(in LeakSuspectedArgs suspected)
    {
    }
}
