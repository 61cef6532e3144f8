namespace Poolhouse;

/// <summary>The exception that is thrown when no item could be rented within the timeout.</summary>
/// <remarks>
/// The message names the limit that was reached, the counts, the oldest lease and the setting to change. While the server has
/// no room for more items, <see cref="Exception.InnerException"/> is its refusal; while items cannot be created, callers get a
/// <see cref="PoolUnavailableException"/> instead.
/// </remarks>
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
public sealed class PoolTimeoutException(
    string message, string poolName, RentPhase phase, TimeSpan elapsed, PoolStatistics statistics,
    IReadOnlyList<LeaseSnapshot>? oldestLeases = null, Exception? innerException = null)
    : TimeoutException(message, innerException), IPoolException
{
    /// <summary>The name of the pool.</summary>
    public string PoolName { get; } = poolName ?? throw new ArgumentNullException(nameof(poolName));

    /// <summary>What the caller was waiting for.</summary>
    public RentPhase Phase { get; } = phase;

    /// <summary>How long the caller had waited.</summary>
    public TimeSpan Elapsed { get; } = elapsed;

    /// <summary>
    /// The pool's counters when the timeout elapsed: of a shared pool <see cref="SharedResourcePoolStatistics"/>, otherwise
    /// <see cref="ResourcePoolStatistics"/>.
    /// </summary>
    public PoolStatistics Statistics { get; } = statistics ?? throw new ArgumentNullException(nameof(statistics));

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
    public IReadOnlyList<LeaseSnapshot> OldestLeases { get; } = oldestLeases ?? [];
}
