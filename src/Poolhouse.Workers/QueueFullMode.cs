namespace Poolhouse.Workers;

/// <summary>Specifies how a worker pool handles an item that arrives while the queue of its lane is full.</summary>
public enum QueueFullMode
{
    /// <summary>The item waits for capacity in arrival order, without blocking a thread.</summary>
    Wait,

    /// <summary>The item is rejected with a <see cref="PoolOverloadedException"/>.</summary>
    Reject,

    /// <summary>
    /// The caller runs the item, with a state that is created, used and destroyed on the caller's thread for this one item. Items
    /// that cannot run there wait instead: those with a key, a run timeout or a queue timeout of zero, asynchronous items, and
    /// anything queued by the scheduler or the synchronization context.
    /// </summary>
    CallerRuns,

    /// <summary>
    /// The item that has waited longest in the lane is dropped to make room. Items queued behind another item with the same key
    /// are not considered; if there are no others, the new item is dropped. It is also dropped while other work waits for
    /// capacity, which would take the free slot: work of the scheduler or the synchronization context, which is never dropped, or
    /// items that began to wait under another mode.
    /// </summary>
    DropOldest,

    /// <summary>
    /// The new item is dropped. (The mode of the same name in bounded channels drops the item queued last; the equivalent mode
    /// there is DropWrite.)
    /// </summary>
    DropNewest,
}
