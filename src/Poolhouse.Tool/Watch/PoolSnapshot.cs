namespace Poolhouse.Tool.Watch;

/// <summary>The state of a pool at one moment, as the event source "Poolhouse" writes it.</summary>
internal sealed record PoolSnapshot
{
    // The largest limit that a pool accepts stands for none.
    private const long Unlimited = 1_000_000;

    public required DateTime Time { get; init; }

    /// <summary>The number of the pool in its process.</summary>
    public int Id { get; init; }

    public required string Name { get; init; }

    public string Kind { get; init; } = "";

    public PoolCondition Condition { get; init; }

    /// <summary>The type of the last failure in an outage; empty if there is none.</summary>
    public string Failure { get; init; } = "";

    /// <summary>The labels with the most leases, the largest number first. The label of a lease without one is empty.</summary>
    public IReadOnlyList<Holder> Holders { get; init; } = [];

    public IReadOnlyList<HeldItem> OldestLeases { get; init; } = [];

    /// <summary>The waits by the binary logarithm of their ticks; empty unless the pool is shown in detail.</summary>
    public IReadOnlyDictionary<int, long> WaitHistogram { get; init; } = new Dictionary<int, long>();

    public IReadOnlyDictionary<int, long> UseHistogram { get; init; } = new Dictionary<int, long>();

    /// <summary>The servers that its items are created on, the preferred one first; empty if it knows none.</summary>
    public IReadOnlyList<PoolServer> Servers { get; init; } = [];

    /// <summary>Zero for a pool without a limit.</summary>
    public long Max
    {
        get;
        init => field = value < Unlimited ? value : 0;
    }

    public long MinIdle { get; init; }

    public long Live { get; init; }

    public long Idle { get; init; }

    public long Leased { get; init; }

    public long Creating { get; init; }

    public long Validating { get; init; }

    public long Resetting { get; init; }

    public long Destroying { get; init; }

    public long Peak { get; init; }

    public long Waiting { get; init; }

    public long Rented { get; init; }

    public long Waits { get; init; }

    public long Returned { get; init; }

    public long Created { get; init; }

    public long CreateFailures { get; init; }

    public long Destroyed { get; init; }

    public long Timeouts { get; init; }

    public long Cancellations { get; init; }

    public long Shed { get; init; }

    public long Leaks { get; init; }

    public long DoubleReturns { get; init; }

    public TimeSpan OldestWait { get; init; }

    public TimeSpan OldestLease { get; init; }

    public TimeSpan WaitTime { get; init; }

    public TimeSpan CreateTime { get; init; }

    public TimeSpan UseTime { get; init; }

    public TimeSpan Outage { get; init; }

    public TimeSpan RetryAfter { get; init; }

    /// <summary>Null if leases are not watched for leaks.</summary>
    public TimeSpan? LeakThreshold { get; init; }

    /// <summary>Whether the leases of the pool have labels.</summary>
    public bool HasLabels { get; init; }

    public bool IsFull => Max > 0 && Leased >= Max;

    /// <summary>The mean time of the uses that have ended; zero if none has.</summary>
    public TimeSpan MeanUse => Returned > 0 ? UseTime / Returned : TimeSpan.Zero;
}
