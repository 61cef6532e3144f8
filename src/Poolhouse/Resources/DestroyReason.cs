namespace Poolhouse;

/// <summary>Why a resource pool destroyed an item.</summary>
public enum DestroyReason
{
    /// <summary>It was idle for <see cref="ResourcePoolOptions.IdleTimeout"/>.</summary>
    Idle,

    /// <summary>It reached <see cref="ResourcePoolOptions.MaxLifetime"/>.</summary>
    Lifetime,

    /// <summary>It was older than a call of <see cref="ResourcePool{T}.Clear()"/> or than a fatal error.</summary>
    Cleared,

    /// <summary><see cref="ResourcePool{T}.Trim"/> was called while it was idle.</summary>
    Trimmed,

    /// <summary>The pool was made smaller.</summary>
    Surplus,

    /// <summary>
    /// <see cref="ResourcePolicy{T}.IsBroken"/> or <see cref="ResourcePolicy{T}.IsClosed"/> said so, or threw; or it was the parent of a
    /// child that was reported by <see cref="NestedResourcePool{TParent, TChild}.Invalidate"/>.
    /// </summary>
    Broken,

    /// <summary><see cref="ResourcePolicy{T}.ValidateAsync"/> refused it, threw, or took longer than its time.</summary>
    ValidationFailed,

    /// <summary><see cref="ResourcePolicy{T}.ResetAsync"/> refused it, threw, or took longer than its time.</summary>
    ResetFailed,

    /// <summary><see cref="ResourcePolicy{T}.KeepAliveAsync"/> threw, or took longer than its time.</summary>
    KeepAliveFailed,

    /// <summary>Its lease was tainted, and the policy did not prove it clean.</summary>
    Tainted,

    /// <summary>Its lease ended with <see cref="Lease{T}.Discard"/>.</summary>
    Discarded,

    /// <summary>Its creation had been given up when it finished.</summary>
    CreatedTooLate,

    /// <summary>It was idle and its place was needed for another key of a keyed pool.</summary>
    Evicted,

    /// <summary>What it was made on was retired: the connection of a channel, in a nested pool.</summary>
    ParentRetired,

    /// <summary>It was a worker's state and had served <see cref="WorkerPoolOptions.MaxItemsPerState"/> items.</summary>
    UsedUp,

    /// <summary>The pool was drained or disposed.</summary>
    PoolDisposed,
}
