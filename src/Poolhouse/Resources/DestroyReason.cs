namespace Poolhouse;

/// <summary>Why a resource pool destroyed an item.</summary>
public enum DestroyReason
{
    /// <summary>The item was idle for <see cref="ResourcePoolOptions.IdleTimeout"/>.</summary>
    Idle,

    /// <summary>The item reached <see cref="ResourcePoolOptions.MaxLifetime"/>.</summary>
    Lifetime,

    /// <summary>The item had been leased <see cref="ResourcePoolOptions.MaxUses"/> times.</summary>
    MaxUses,

    /// <summary>
    /// The item was created before a call to <see cref="ResourcePool{T}.Clear(TimeSpan)"/> or before a reported fatal error.
    /// </summary>
    Cleared,

    /// <summary><see cref="ResourcePool{T}.Trim"/> was called while the item was idle.</summary>
    Trimmed,

    /// <summary>The capacity of the pool was reduced.</summary>
    Surplus,

    /// <summary>
    /// <see cref="ResourcePolicy{T}.IsBroken"/> or <see cref="ResourcePolicy{T}.IsBrokenAfterIdle"/> returned true or threw;
    /// or the item was the parent of a child that was reported by <see cref="NestedResourcePool{TParent, TChild}.Invalidate"/>.
    /// </summary>
    Broken,

    /// <summary><see cref="ResourcePolicy{T}.ValidateAsync"/> rejected the item, threw, or exceeded its timeout.</summary>
    ValidationFailed,

    /// <summary><see cref="ResourcePolicy{T}.ResetAsync"/> rejected the item, threw, or exceeded its timeout.</summary>
    ResetFailed,

    /// <summary><see cref="ResourcePolicy{T}.KeepAliveAsync"/> threw or exceeded its timeout.</summary>
    KeepAliveFailed,

    /// <summary>The item's lease was tainted, and the policy did not prove the item clean.</summary>
    Tainted,

    /// <summary>The item's lease ended with <see cref="Lease{T}.Discard"/>.</summary>
    Discarded,

    /// <summary>The item's creation completed after the pool had abandoned it.</summary>
    CreatedTooLate,

    /// <summary>
    /// The item was idle or returned, and its slot was needed for another key of a keyed pool, or the capacity over all keys was
    /// reduced.
    /// </summary>
    Evicted,

    /// <summary>
    /// The parent of the item takes no new children any more, such as the broken connection of a channel in a nested pool.
    /// </summary>
    ParentInactive,

    /// <summary>
    /// A hook of the policy rejected the item, and <see cref="ResourcePolicy{T}.IsExpired"/> returned true: the item did not
    /// fail. It serves only one lease, for example, or there is a better server than its own.
    /// </summary>
    Expired,

    /// <summary>The pool was drained or disposed.</summary>
    PoolDisposed,
}
