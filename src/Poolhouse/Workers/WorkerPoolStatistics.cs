
namespace Poolhouse;

/// <summary>The counters of a worker pool at one moment.</summary>
/// <remarks>
/// An immutable snapshot, off by the operations under way. An item of the inherited counters is a worker's state, a rent the run
/// of an item of work: <see cref="PoolStatistics.Hits"/> ran with a state that was there, <see cref="PoolStatistics.Misses"/> had
/// one made.
/// <see cref="ResourcePoolStatistics.Live"/> are threads, <see cref="PoolStatistics.Leased"/> those that run something,
/// <see cref="PoolStatistics.Retained"/> idle ones with a state, <see cref="ResourcePoolStatistics.Waiting"/> items that have not
/// begun, <see cref="ResourcePoolStatistics.WaitTime"/> how long items waited and <see cref="ResourcePoolStatistics.UseTime"/>
/// how long they ran; <see cref="ResourcePoolStatistics.Shed"/> were rejected or dropped because the queue was full,
/// <see cref="ResourcePoolStatistics.Abandoned"/> ran out of time, <see cref="ResourcePoolStatistics.LeaksSuspected"/> were
/// reported as stuck.
/// </remarks>
public sealed record WorkerPoolStatistics : ResourcePoolStatistics
{
    /// <summary>Items that threw, and whatever else threw on a worker: broadcasts, callbacks, tasks of the scheduler.</summary>
    public long Failed { get; init; }

    /// <summary>Items that callers ran themselves, because the queue was full. They are not part of <see cref="PoolStatistics.Rented"/>.</summary>
    public long RunByCallers { get; init; }

    /// <summary>
    /// Threads that were given up and have not ended yet. They are not part of <see cref="ResourcePoolStatistics.Live"/>.
    /// </summary>
    public int AbandonedWorkers { get; init; }
}
