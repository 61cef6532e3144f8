namespace Poolhouse.Extensions.Health;

/// <summary>What health checks and reports need to know about any kind of pool.</summary>
internal sealed record PoolFigures
{
    /// <summary>How many leases there can be at once; zero for a cache, which has no such limit.</summary>
    public long MaxSize { get; init; }

    public long Leased { get; init; }

    public long Idle { get; init; }

    public long Creating { get; init; }

    public long Waiting { get; init; }

    public TimeSpan OldestLease { get; init; }

    public bool InOutage { get; init; }

    public bool Suspended { get; init; }

    public long Timeouts { get; init; }

    public long CreateFailures { get; init; }

    /// <summary>Reads the statistics of a pool.</summary>
    public static PoolFigures Of(IPool pool) => pool.GetStatistics() switch
    {
        ResourcePoolStatistics statistics => new PoolFigures
        {
            MaxSize = statistics.MaxSize,
            Leased = statistics.Leased,
            Idle = statistics.Idle,
            Creating = statistics.Creating,
            Waiting = statistics.Waiting,
            OldestLease = statistics.OldestLease,
            InOutage = statistics.InOutage,
            Suspended = statistics.Suspended,
            Timeouts = statistics.Timeouts,
            CreateFailures = statistics.CreateFailures,
        },
        SharedResourcePoolStatistics statistics => new PoolFigures
        {
            MaxSize = statistics.MaxLeased,
            Leased = statistics.Leased,
            Idle = statistics.Items.Live == 0 ? 0 : Math.Max(0, statistics.MaxLeased - statistics.Leased),
            Creating = statistics.Items.Creating,
            Waiting = statistics.Waiting,
            OldestLease = statistics.OldestLease,
            InOutage = statistics.Items.InOutage,
            Suspended = statistics.Suspended,
            Timeouts = statistics.Timeouts,
            CreateFailures = statistics.Items.CreateFailures,
        },
        WorkerPoolStatistics statistics => new PoolFigures
        {
            MaxSize = statistics.MaxWorkers,
            Leased = statistics.Leased,
            Idle = statistics.IdleWorkers,
            Waiting = statistics.Waiting,
            OldestLease = statistics.OldestRun,
            Timeouts = statistics.Timeouts,
            CreateFailures = statistics.CreateFailures,
        },
        CachePoolStatistics statistics => new PoolFigures { Leased = statistics.Leased, Idle = statistics.Retained },
        var statistics => new PoolFigures { Leased = statistics.Leased },
    };
}
