using Poolhouse.Workers;

namespace Poolhouse.Extensions;

/// <summary>
/// The figures that pools of all kinds have in common, for health checks and reports. Figures that a kind does not have are zero.
/// </summary>
/// <remarks>An immutable snapshot. All statistics of a pool: <see cref="IPool.GetStatistics"/>.</remarks>
public sealed record PoolFigures
{
    /// <summary>The state of the pool in one word.</summary>
    /// <value><see cref="PoolStatistics.Condition"/> of the statistics from which the figures were read.</value>
    public PoolCondition Condition { get; init; }

    /// <summary>How many leases there can be at once.</summary>
    /// <value>Zero if there is no such limit: for a cache, and for a bulkhead without a limit of all requests together.</value>
    public long MaxLeased { get; init; }

    /// <summary>Leases in progress: items, uses, requests, or items of work.</summary>
    public long Leased { get; init; }

    /// <summary>
    /// What can be rented at once: idle items or workers, the uses left of a shared pool, the requests left of the total limit
    /// of a bulkhead.
    /// </summary>
    public long Idle { get; init; }

    /// <summary>Items being created.</summary>
    public long Creating { get; init; }

    /// <summary>Callers that are waiting.</summary>
    public long Waiting { get; init; }

    /// <summary>How long the caller that has waited longest has been waiting; zero if none is waiting.</summary>
    public TimeSpan OldestWait { get; init; }

    /// <summary>How long the longest lease in progress has lasted; zero if there is none.</summary>
    public TimeSpan OldestLease { get; init; }

    /// <summary>Waits that ended because their timeout elapsed, since the pool was created.</summary>
    public long Timeouts { get; init; }

    /// <summary>Callers refused or shed by a limit, since the pool was created.</summary>
    public long Shed { get; init; }

    /// <summary>Creations that failed, since the pool was created.</summary>
    public long CreateFailures { get; init; }

    /// <summary>The outage in progress: since when, and why, items cannot be created; null if there is none.</summary>
    public PoolOutage? Outage { get; init; }

    /// <summary>Whether the last creation failed.</summary>
    public bool InOutage => Outage is not null;

    /// <summary>
    /// After a failed creation, how long no other one is attempted; zero if the next caller that needs an item triggers one.
    /// </summary>
    public TimeSpan RetryAfter => Outage?.RetryAfter ?? TimeSpan.Zero;

    /// <summary>Whether an item has been leased for longer than the pool's threshold of leaks.</summary>
    public bool Leaking { get; init; }

    /// <summary>Whether the pool is suspended.</summary>
    public bool Suspended { get; init; }

    /// <summary>Reads the statistics of a kind of pool that the core has.</summary>
    internal static PoolFigures From(PoolStatistics statistics) => (statistics switch
    {
        ResourcePoolStatistics resources => new PoolFigures
        {
            MaxLeased = resources.MaxSize,
            Leased = resources.Leased,
            Idle = resources.Idle,
            Creating = resources.Creating,
            Waiting = resources.Waiting,
            OldestWait = resources.OldestWait,
            OldestLease = resources.OldestLease,
            Timeouts = resources.Timeouts,
            Shed = resources.Shed,
            CreateFailures = resources.CreateFailures,
            Outage = resources.Outage,
            Leaking = resources.Leaking,
            Suspended = resources.Suspended,
        },
        SharedResourcePoolStatistics shared => new PoolFigures
        {
            MaxLeased = shared.MaxLeased,
            Leased = shared.Leased,
            Idle = shared.Items.Live - shared.Items.Creating - shared.Items.Destroying <= 0
                ? 0
                : Math.Max(0, shared.MaxLeased - shared.Leased),
            Creating = shared.Items.Creating,
            Waiting = shared.Waiting,
            OldestWait = shared.OldestWait,
            OldestLease = shared.OldestLease,
            Timeouts = shared.Timeouts,
            Shed = shared.Shed,
            CreateFailures = shared.Items.CreateFailures,
            Outage = shared.Items.Outage,
            Leaking = shared.Leaking,
            Suspended = shared.Suspended,
        },
        WorkerPoolStatistics workers => new PoolFigures
        {
            MaxLeased = workers.MaxWorkers,
            Leased = workers.Leased,
            Idle = workers.IdleWorkers,
            Waiting = workers.Waiting,
            OldestWait = workers.OldestWait,
            OldestLease = workers.OldestRun,
            Timeouts = workers.Timeouts,
            Shed = workers.Shed,
            CreateFailures = workers.CreateFailures,
        },
        CachePoolStatistics cache => new PoolFigures { Leased = cache.Leased, Idle = cache.Retained },
        _ => new PoolFigures { Leased = statistics.Leased },
    }) with
    { Condition = statistics.Condition };
}
