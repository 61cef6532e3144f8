namespace Poolhouse.Extensions.Health;

/// <summary>What health checks and reports need to know about any kind of pool.</summary>
internal sealed record PoolFigures
{
    /// <summary>How many items there can be at once; zero for a cache, which has no such limit.</summary>
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
        var statistics => new PoolFigures { Leased = statistics.Leased },
    };
}
