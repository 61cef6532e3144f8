
namespace Poolhouse;

/// <summary>The counters of a worker pool at one moment.</summary>
/// <remarks>
/// An immutable snapshot; operations in progress may not be included. In the inherited counters, an item is a worker's state, and
/// a rent is the run of a work item: <see cref="PoolStatistics.Hits"/> counts runs with an existing state,
/// <see cref="PoolStatistics.Misses"/> runs for which a state was created.
/// <see cref="ResourcePoolStatistics.Live"/> counts threads, <see cref="PoolStatistics.Leased"/> threads that are running an
/// item, <see cref="PoolStatistics.Retained"/> idle threads that have a state, and <see cref="ResourcePoolStatistics.Waiting"/>
/// items that have not started. <see cref="ResourcePoolStatistics.WaitTime"/> is how long items waited and
/// <see cref="ResourcePoolStatistics.UseTime"/> how long they ran. <see cref="ResourcePoolStatistics.Shed"/> counts items that
/// were rejected or dropped because the queue was full, <see cref="ResourcePoolStatistics.Abandoned"/> items that exceeded their
/// run timeout, and <see cref="ResourcePoolStatistics.LeaksSuspected"/> items that were reported as stuck.
/// </remarks>
public sealed record WorkerPoolStatistics : ResourcePoolStatistics
{
    /// <summary>Items that threw, plus all other failures on workers: broadcasts, callbacks, tasks of the scheduler.</summary>
    public long Failed { get; init; }

    /// <summary>
    /// Items that callers ran themselves because the queue was full. They are not included in
    /// <see cref="PoolStatistics.Rented"/>.
    /// </summary>
    public long RunByCallers { get; init; }

    /// <summary>
    /// Abandoned threads that have not ended yet. They are not included in <see cref="ResourcePoolStatistics.Live"/>.
    /// </summary>
    public int AbandonedWorkers { get; init; }
}
