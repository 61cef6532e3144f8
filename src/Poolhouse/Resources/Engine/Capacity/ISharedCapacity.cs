using Poolhouse.Kernel.Time;

namespace Poolhouse.Resources.Engine.Capacity;

/// <summary>
/// A pool's share of the capacity that several pools have in common, such as the capacity of a keyed pool over all its keys.
/// </summary>
internal interface ISharedCapacity
{
    /// <summary>The number of slots of all pools together. Read without a lock.</summary>
    int Total { get; }

    /// <summary>Whether the pool was refused capacity and still wants it. Written under the pool's gate only.</summary>
    CapacityWant Want { get; }

    /// <summary>The number of creations in progress on which callers rely. Written under the pool's gate only.</summary>
    int Relying { get; }

    /// <summary>
    /// Whether slots are missing: fewer are free or being given up than are wanted for callers, or than must be given up for a
    /// smaller capacity or for creations without room. Read without a lock: set before the pools are searched for idle items,
    /// each under its gate.
    /// </summary>
    bool IsMissing { get; }

    /// <summary>Whether all pools together hold more slots than a smaller capacity allows. Read without a lock.</summary>
    bool IsExceeded { get; }

    /// <summary>
    /// Whether this pool wants a slot for a caller, slots are missing, and no other pool had an idle item when this one searched
    /// them: so an item must be returned or destroyed first. Under the pool's gate.
    /// </summary>
    bool IsExhausted { get; }

    /// <summary>Takes a slot, or records that the pool wants one. Under the pool's gate: must not call a pool.</summary>
    /// <param name="now">The time.</param>
    /// <param name="forCaller">
    /// Whether a caller waits for it: callers take precedence over upkeep, and other pools give up idle items for them.
    /// </param>
    bool TryTake(long now, bool forCaller);

    /// <summary>Records that the pool no longer wants a slot. Under the pool's gate: must not call a pool.</summary>
    void WithdrawWant();

    /// <summary>Sets <see cref="Relying"/>. Under the pool's gate: must not call a pool.</summary>
    void SetRelying(int relying, long now);

    /// <summary>
    /// Whether a pool should give up an item that has just become free, because another pool needs the slot more.
    /// </summary>
    /// <remarks>Under the pool's gate: must not call a pool. Returns true once for each missing slot.</remarks>
    /// <param name="oldestWait">When the caller that would get the item arrived; <see cref="PoolClock.Never"/> if no caller waits
    /// for it.</param>
    bool ShouldYield(long oldestWait);

    /// <summary>
    /// Returns slots, some of them because the pool yielded, and offers free slots. Outside the gate: may call any pool.
    /// </summary>
    void Release(int slots, int yielded);

    /// <summary>
    /// Searches other pools for an idle item after a slot was wanted but not available. Outside the gate: may call any pool.
    /// </summary>
    void RequestReclaim();
}
