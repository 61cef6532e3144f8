namespace Poolhouse;

/// <summary>The counters of a resource pool at one moment.</summary>
/// <remarks>
/// <para>
/// An immutable snapshot, taken under the pool's lock; only rents and returns that need no lock may be in progress meanwhile.
/// <see cref="PoolStatistics.Hits"/> are rents that got an idle item at once, <see cref="PoolStatistics.Misses"/> those that had to wait
/// for one. <see cref="PoolStatistics.PeakLive"/> is exact.
/// </para>
/// <para><c>Live = Retained + Leased + Creating + Validating + Resetting + Destroying</c>.</para>
/// </remarks>
public record ResourcePoolStatistics : PoolStatistics
{
    private readonly long[] _destroyed = new long[(int)DestroyReason.PoolDisposed + 1];

    /// <summary>The current capacity.</summary>
    public int MaxSize { get; init; }

    /// <summary>Slots in use: never above <see cref="MaxSize"/>, except while the pool is being made smaller.</summary>
    public int Live { get; init; }

    /// <summary>Items idle in the pool: the same as <see cref="PoolStatistics.Retained"/>.</summary>
    public int Idle => (int)Retained;

    /// <summary>Items being created.</summary>
    public int Creating { get; init; }

    /// <summary>Idle items being validated or kept alive.</summary>
    public int Validating { get; init; }

    /// <summary>Returned items being reset.</summary>
    public int Resetting { get; init; }

    /// <summary>Items being destroyed that still occupy a slot.</summary>
    public int Destroying { get; init; }

    /// <summary>Callers that are waiting.</summary>
    public int Waiting { get; init; }

    /// <summary>The longest time for which a currently leased item has been leased; zero if none is leased.</summary>
    public TimeSpan OldestLease { get; init; }

    /// <summary>Waits that ended because their timeout elapsed.</summary>
    public long Timeouts { get; init; }

    /// <summary>Waits that ended because the caller cancelled them.</summary>
    public long Cancellations { get; init; }

    /// <summary>Callers refused by <see cref="ResourcePoolOptions.MaxWaiters"/> or shed by <see cref="ResourcePoolOptions.Overload"/>.</summary>
    public long Shed { get; init; }

    /// <summary>Creations that failed or took longer than <see cref="ResourcePoolOptions.CreateTimeout"/>.</summary>
    public long CreateFailures { get; init; }

    /// <summary>Policy hooks that were abandoned at their deadline and may still be running.</summary>
    public long Abandoned { get; init; }

    /// <summary>Leases reported as suspected leaks.</summary>
    public long LeaksSuspected { get; init; }

    /// <summary>The total time that callers have waited, whatever the outcome.</summary>
    public TimeSpan WaitTime { get; init; }

    /// <summary>The total time of successful creations.</summary>
    public TimeSpan CreateTime { get; init; }

    /// <summary>The total time for which items were leased; current leases are not included.</summary>
    public TimeSpan UseTime { get; init; }

    /// <summary>Whether the last creation failed, so that the pool attempts one creation at a time with delays between them.</summary>
    public bool InOutage { get; init; }

    /// <summary>Whether the pool is suspended.</summary>
    public bool Suspended { get; init; }

    internal ReadOnlySpan<long> DestroyedByReason
    {
        init => value.CopyTo(_destroyed);
    }

    /// <summary>The number of items destroyed for the given reason.</summary>
    /// <param name="reason">The reason.</param>
    /// <returns>The count since the pool was created.</returns>
    public long DestroyedFor(DestroyReason reason) =>
        (uint)reason < (uint)_destroyed.Length ? _destroyed[(int)reason] : 0;

    /// <summary>The statistics of a pool that no longer exists: its counters, without its momentary states.</summary>
    internal ResourcePoolStatistics WithoutStates() => this with
    {
        Retained = 0,
        Leased = 0,
        MaxSize = 0,
        Live = 0,
        Creating = 0,
        Validating = 0,
        Resetting = 0,
        Destroying = 0,
        Waiting = 0,
        OldestLease = TimeSpan.Zero,
        InOutage = false,
        Suspended = false,
    };

    /// <summary>The combined counters of several pools; the oldest lease is the longest of all.</summary>
    internal static ResourcePoolStatistics Sum(IReadOnlyCollection<ResourcePoolStatistics> parts)
    {
        var destroyed = new long[(int)DestroyReason.PoolDisposed + 1];
        foreach (var part in parts)
        {
            for (var reason = 0; reason < destroyed.Length; reason++)
            {
                destroyed[reason] += part._destroyed[reason];
            }
        }

        return new ResourcePoolStatistics
        {
            Rented = parts.Sum(part => part.Rented),
            Hits = parts.Sum(part => part.Hits),
            Misses = parts.Sum(part => part.Misses),
            Returned = parts.Sum(part => part.Returned),
            Created = parts.Sum(part => part.Created),
            Destroyed = parts.Sum(part => part.Destroyed),
            Surplus = parts.Sum(part => part.Surplus),
            Refused = parts.Sum(part => part.Refused),
            Trimmed = parts.Sum(part => part.Trimmed),
            Discarded = parts.Sum(part => part.Discarded),
            Detached = parts.Sum(part => part.Detached),
            DoubleReturns = parts.Sum(part => part.DoubleReturns),
            DestroyFailures = parts.Sum(part => part.DestroyFailures),
            Retained = parts.Sum(part => part.Retained),
            Leased = parts.Sum(part => part.Leased),
            PeakLive = parts.Sum(part => part.PeakLive),
            MaxSize = parts.Sum(part => part.MaxSize),
            Live = parts.Sum(part => part.Live),
            Creating = parts.Sum(part => part.Creating),
            Validating = parts.Sum(part => part.Validating),
            Resetting = parts.Sum(part => part.Resetting),
            Destroying = parts.Sum(part => part.Destroying),
            Waiting = parts.Sum(part => part.Waiting),
            OldestLease = parts.Max(part => part.OldestLease),
            Timeouts = parts.Sum(part => part.Timeouts),
            Cancellations = parts.Sum(part => part.Cancellations),
            Shed = parts.Sum(part => part.Shed),
            CreateFailures = parts.Sum(part => part.CreateFailures),
            Abandoned = parts.Sum(part => part.Abandoned),
            LeaksSuspected = parts.Sum(part => part.LeaksSuspected),
            WaitTime = Total(part => part.WaitTime),
            CreateTime = Total(part => part.CreateTime),
            UseTime = Total(part => part.UseTime),
            InOutage = parts.Any(part => part.InOutage),
            Suspended = parts.Any(part => part.Suspended),
            DestroyedByReason = destroyed,
        };

        TimeSpan Total(Func<ResourcePoolStatistics, TimeSpan> read) => new(parts.Sum(part => read(part).Ticks));
    }
}
