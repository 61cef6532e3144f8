namespace Poolhouse;

/// <summary>Hears what happens in resource pools: for logs, traces and tests. Override what you want to hear.</summary>
/// <remarks>
/// Called in the background or on the stack of the caller that waited; never under a lock and never on the stack of a caller that
/// returns an item. What a member throws is swallowed. One observer may serve many pools, so its members must be thread safe.
/// </remarks>
public abstract class ResourcePoolObserver
{
    /// <summary>An item was created.</summary>
    /// <param name="created">What happened.</param>
    public virtual void OnCreated(in ItemCreated created)
    {
    }

    /// <summary>A creation failed or was given up.</summary>
    /// <param name="failed">What happened.</param>
    public virtual void OnCreateFailed(in ItemCreateFailed failed)
    {
    }

    /// <summary>An item was destroyed, or its destruction was given up.</summary>
    /// <param name="destroyed">What happened.</param>
    public virtual void OnDestroyed(in ItemDestroyed destroyed)
    {
    }

    /// <summary>A caller's wait ended, one way or the other. Rents served at once are not reported.</summary>
    /// <param name="ended">What happened.</param>
    public virtual void OnWaitEnded(in WaitEnded ended)
    {
    }

    /// <summary>An item has been leased for longer than <see cref="ResourcePoolOptions.LeakThreshold"/>.</summary>
    /// <param name="suspected">What happened.</param>
    public virtual void OnLeakSuspected(in LeakSuspected suspected)
    {
    }
}
