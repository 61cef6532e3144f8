
namespace Poolhouse;

/// <summary>Hears what happens in worker pools: for logs, traces and tests. Override what you want to hear.</summary>
/// <remarks>
/// What it inherits is about the states: created, not created, destroyed. Called on the worker's thread, in the background, or on
/// the stack of a caller whose item dropped another one; never under a lock. What a member throws is swallowed. One observer may
/// serve many pools, so its members must be thread safe.
/// </remarks>
public abstract class WorkerPoolObserver : ResourcePoolObserver
{
    /// <summary>An item threw. Nobody else hears of it if nobody waits for the item's result.</summary>
    /// <param name="failed">What happened.</param>
    public virtual void OnFailed(in WorkFailed failed)
    {
    }

    /// <summary>An item ended before it began: dropped, out of time, cancelled, or the pool was closed.</summary>
    /// <param name="dropped">What happened.</param>
    public virtual void OnDropped(in WorkDropped dropped)
    {
    }

    /// <summary>An item has been running for longer than <see cref="WorkerPoolOptions.StuckThreshold"/>.</summary>
    /// <param name="stuck">What happened.</param>
    public virtual void OnStuck(in WorkStuck stuck)
    {
    }

    /// <summary>An item ran for longer than its run timeout; its caller was answered, and its worker was given up.</summary>
    /// <param name="abandoned">What happened.</param>
    public virtual void OnAbandoned(in WorkAbandoned abandoned)
    {
    }
}
