namespace Poolhouse;

/// <summary>No item could be rented within the time allowed.</summary>
/// <remarks>
/// The message names the limit that was reached, the counts, the oldest lease and the setting to change. While items cannot be created,
/// <see cref="Exception.InnerException"/> is the last failure.
/// </remarks>
#pragma warning disable CA1032 // Only a pool can make one: it carries what the pool knew.
public sealed class PoolTimeoutException : TimeoutException
#pragma warning restore CA1032
{
    internal PoolTimeoutException(string message, RentPhase phase, TimeSpan elapsed, ResourcePoolStatistics statistics, string pool, Exception? inner)
        : base(message, inner)
    {
        PoolName = pool;
        Phase = phase;
        Elapsed = elapsed;
        Statistics = statistics;
    }

    /// <summary>The name of the pool.</summary>
    public string PoolName { get; }

    /// <summary>What the caller was waiting for.</summary>
    public RentPhase Phase { get; }

    /// <summary>How long the caller had waited.</summary>
    public TimeSpan Elapsed { get; }

    /// <summary>The pool's counters when the time was up.</summary>
    public ResourcePoolStatistics Statistics { get; }
}
