using Poolhouse.Kernel.Time;

namespace Poolhouse.Resources.Engine.Capacity;

/// <summary>A pool's share in the capacity that several pools have together: the bound of a keyed pool over all its keys.</summary>
internal interface ISharedCapacity
{
    /// <summary>Whether the pool was refused capacity and still wants it. Written under the pool's gate only.</summary>
    CapacityWant Want { get; }

    /// <summary>Takes a place, or records that the pool wants one. Under the pool's gate: must not call a pool.</summary>
    /// <param name="now">The time.</param>
    /// <param name="forCaller">Whether a caller waits for it: callers come before upkeep, and other pools give up idle items for them.</param>
    bool TryTake(long now, bool forCaller);

    /// <summary>Records that the pool wants nothing any more. Under the pool's gate: must not call a pool.</summary>
    void WithdrawWant();

    /// <summary>Whether a pool should give up an item that is free just now, because another pool needs the place more.</summary>
    /// <remarks>Under the pool's gate: must not call a pool. True is said once for each place that is missing.</remarks>
    /// <param name="oldestWait">When the caller came that would get the item; <see cref="PoolClock.Never"/>: nobody waits for it.</param>
    bool ShouldYield(long oldestWait);

    /// <summary>Gives places back, some of them because the pool yielded, and offers what is free. Outside the gate: may call any pool.</summary>
    void Release(int places, int yielded);

    /// <summary>A place was wanted and not there: looks for an idle item elsewhere. Outside the gate: may call any pool.</summary>
    void RequestReclaim();
}
