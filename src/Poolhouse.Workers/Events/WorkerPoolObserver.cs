namespace Poolhouse.Workers;

/// <summary>
/// Receives the events of worker pools, for logs, traces and tests. Override the members for the events of interest.
/// </summary>
/// <remarks>
/// <para>
/// Members are called on the worker's thread, in the background, or on the stack of the caller that caused the event: its item
/// caused another one to be dropped, it ran the item itself, or it started a thread. They are never called under a lock.
/// Exceptions thrown by members are swallowed. One observer may serve many pools, so its members must be thread safe.
/// </para>
/// <para>
/// The caller of an item is notified first, so an event may be reported after the call that caused it has ended. Events of the
/// pool's timer and of abandoned workers may even be reported after <see cref="WorkerPool{TState}.DisposeAsync"/>.
/// </para>
/// </remarks>
public abstract class WorkerPoolObserver
{
    /// <summary>Called when the state of a worker was created.</summary>
    /// <param name="created">The details.</param>
    public virtual void OnStateCreated(in StateCreatedArgs created)
    {
    }

    /// <summary>Called when the creation of a state failed.</summary>
    /// <param name="failed">The details.</param>
    public virtual void OnStateCreateFailed(in StateCreateFailedArgs failed)
    {
    }

    /// <summary>Called when the state of a worker was destroyed.</summary>
    /// <param name="destroyed">The details.</param>
    public virtual void OnStateDestroyed(in StateDestroyedArgs destroyed)
    {
    }

    /// <summary>Called when a thread could not be started. The pool tries again later.</summary>
    /// <param name="failed">The details.</param>
    public virtual void OnStartFailed(in WorkerStartFailedArgs failed)
    {
    }

    /// <summary>
    /// Called when an item threw. If the item's result is not awaited, this is the only report of the exception.
    /// </summary>
    /// <param name="failed">The details.</param>
    public virtual void OnFailed(in WorkFailedArgs failed)
    {
    }

    /// <summary>
    /// Called when an item ended before it started: dropped, timed out, cancelled, or queued when the pool was closed.
    /// </summary>
    /// <param name="dropped">The details.</param>
    public virtual void OnDropped(in WorkDroppedArgs dropped)
    {
    }

    /// <summary>Called when an item has been running for longer than <see cref="WorkerPoolOptions.StuckThreshold"/>.</summary>
    /// <param name="stuck">The details.</param>
    public virtual void OnStuck(in WorkStuckArgs stuck)
    {
    }

    /// <summary>
    /// Called when an item exceeded its run timeout: its caller has been notified, and its worker was abandoned.
    /// </summary>
    /// <param name="abandoned">The details.</param>
    public virtual void OnAbandoned(in WorkAbandonedArgs abandoned)
    {
    }
}
