namespace Poolhouse.Resources;

/// <summary>A pool's share in places that several pools have together: the bound of a keyed pool over all its keys.</summary>
internal interface IPlaceBudget
{
    /// <summary>Takes a place. Under the pool's gate: must not call a pool.</summary>
    /// <param name="now">The time.</param>
    /// <param name="forCaller">Whether a caller waits for it: then a refusal is remembered, and the next free place belongs to this pool.</param>
    bool TryTake(long now, bool forCaller);

    /// <summary>Whether a pool should give up an item that is free just now, because another pool needs the place more.</summary>
    /// <remarks>Under the pool's gate: must not call a pool. True is said once for each place that is missing.</remarks>
    /// <param name="oldestWait">When the caller came that would get the item; <see cref="PoolClock.Never"/>: nobody waits for it.</param>
    bool ShouldYield(long oldestWait);

    /// <summary>Gives places back, some of them because the pool yielded. Outside the gate: may call any pool.</summary>
    void Release(int places, int yielded);

    /// <summary>A place was wanted and not there: looks for an idle item elsewhere. Outside the gate: may call any pool.</summary>
    void Press();
}
