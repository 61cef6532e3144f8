namespace Poolhouse;

/// <summary>The exception that is thrown when no item could be rented within the timeout.</summary>
/// <remarks>
/// The message names the limit that was reached, the counts, the oldest lease and the setting to change. While the server has
/// no room for more items, <see cref="Exception.InnerException"/> is its refusal; while items cannot be created, callers get a
/// <see cref="PoolUnavailableException"/> instead.
/// </remarks>
#pragma warning disable CA1032 // It always carries the pool's state.
public sealed class PoolTimeoutException : TimeoutException, IPoolException
#pragma warning restore CA1032
{
    /// <summary>Creates the exception, for a pool of your own.</summary>
    /// <param name="message">The limit that was reached, the counts, and the setting to change. Do not include items, keys or
    /// secrets.</param>
    /// <param name="poolName">The name of the pool.</param>
    /// <param name="phase">What the caller was waiting for.</param>
    /// <param name="elapsed">How long the caller had waited.</param>
    /// <param name="statistics">The pool's counters at this moment.</param>
    /// <param name="oldestLeases">The pool's oldest leases, the oldest first; null if they are not known. The list is not copied:
    /// do not change it.</param>
    /// <param name="innerException">The server's refusal, while it has no room for more items.</param>
    /// <exception cref="ArgumentNullException"><paramref name="poolName"/> or <paramref name="statistics"/> is null.</exception>
    public PoolTimeoutException(
        string message,
        string poolName,
        RentPhase phase,
        TimeSpan elapsed,
        PoolStatistics statistics,
        IReadOnlyList<LeaseSnapshot>? oldestLeases = null,
        Exception? innerException = null)
        : base(message, innerException)
    {
        ArgumentNullException.ThrowIfNull(poolName);
        ArgumentNullException.ThrowIfNull(statistics);
        OldestLeases = oldestLeases ?? [];
        PoolName = poolName;
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

    /// <summary>
    /// The pool's counters when the timeout elapsed: of a shared pool <see cref="SharedResourcePoolStatistics"/>, otherwise
    /// <see cref="ResourcePoolStatistics"/>.
    /// </summary>
    public PoolStatistics Statistics { get; }

    PoolCondition IPoolException.Condition => Phase switch
    {
        RentPhase.Room => PoolCondition.NoRoom,
        RentPhase.Suspended => PoolCondition.Suspended,
        _ => PoolCondition.Saturated,
    };

    /// <summary>The pool's five oldest leases when the timeout elapsed, the oldest first: who holds the items.</summary>
    /// <value>
    /// Empty if nothing was leased. Labels and activities are known with <see cref="ResourcePoolOptions.LabelLeases"/>, and call
    /// stacks as well with <see cref="ResourcePoolOptions.TrackLeases"/>.
    /// </value>
    public IReadOnlyList<LeaseSnapshot> OldestLeases { get; }
}
