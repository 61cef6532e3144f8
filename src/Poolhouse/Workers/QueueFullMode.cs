namespace Poolhouse;

/// <summary>What becomes of an item that is handed to a worker pool while the queue of its lane is full.</summary>
public enum QueueFullMode
{
    /// <summary>It waits for room, in the order of arrival, without blocking a thread.</summary>
    Wait,

    /// <summary>It is refused with a <see cref="PoolOverloadedException"/>.</summary>
    Reject,

    /// <summary>
    /// The caller runs it, with a state that is made, used and destroyed on the caller's thread for this one item. Items that
    /// cannot run there wait instead: those with a key or a run timeout, asynchronous ones, and whatever comes by the scheduler or the
    /// context.
    /// </summary>
    CallerRuns,

    /// <summary>
    /// The item that has waited longest in the lane makes room for it. Items behind another one of their key do not count; if
    /// there are only such, the new one is dropped.
    /// </summary>
    DropOldest,

    /// <summary>
    /// The new item is dropped. (The mode of that name of bounded channels drops the last one queued; theirs is DropWrite.)
    /// </summary>
    DropNewest,
}
