namespace Poolhouse;

/// <summary>The exception that is thrown when no item could be rented within the timeout.</summary>
/// <remarks>
/// The message names the limit that was reached, the counts, the oldest lease and the setting to change. While items cannot be created,
/// <see cref="Exception.InnerException"/> is the last failure.
/// </remarks>
#pragma warning disable CA1032 // Only a pool can create one: it carries the pool's state.
public sealed class PoolTimeoutException : TimeoutException, IPoolException
#pragma warning restore CA1032
{
    internal PoolTimeoutException(
        string message,
        RentPhase phase,
        TimeSpan elapsed,
        PoolStatistics statistics,
        IReadOnlyList<LeaseSnapshot> oldestLeases,
        string pool,
        Exception? inner)
        : base(message, inner)
    {
        OldestLeases = oldestLeases;
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

    /// <summary>The pool's counters when the timeout elapsed: of a shared pool <see cref="SharedResourcePoolStatistics"/>, otherwise <see cref="ResourcePoolStatistics"/>.</summary>
    public PoolStatistics Statistics { get; }

    /// <summary>The pool's five oldest leases when the timeout elapsed, the oldest first: who holds the items.</summary>
    /// <value>
    /// Empty if nothing was leased. Labels and activities are known with <see cref="ResourcePoolOptions.LabelLeases"/>, and call stacks as well with
    /// <see cref="ResourcePoolOptions.TrackLeases"/>.
    /// </value>
    public IReadOnlyList<LeaseSnapshot> OldestLeases { get; }
}
