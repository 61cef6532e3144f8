namespace Poolhouse;

/// <summary>
/// The exception that is thrown when items cannot be created, and the caller has waited for
/// <see cref="ResourcePoolOptions.OutageTimeout"/> or for its own timeout.
/// </summary>
/// <remarks>
/// <see cref="Exception.InnerException"/> is the last failure. A failure that is permanent
/// (<see cref="ResourcePolicy{T}.IsPermanent"/>) is thrown itself, unchanged.
/// </remarks>
/// <param name="message">The limit that was reached, the counts, and the setting to change. Do not include items, keys or
/// secrets.</param>
/// <param name="poolName">The name of the pool.</param>
/// <param name="elapsed">How long the caller had waited; zero if it was refused at once.</param>
/// <param name="outage">The outage; its last failure becomes the inner exception.</param>
/// <param name="statistics">The pool's counters at this moment.</param>
/// <exception cref="ArgumentNullException"><paramref name="poolName"/>, <paramref name="outage"/> or
/// <paramref name="statistics"/> is null.</exception>
public sealed class PoolUnavailableException(
    string message, string poolName, TimeSpan elapsed, PoolOutage outage, PoolStatistics statistics)
    : InvalidOperationException(message, outage?.LastFailure), IPoolException
{
    /// <summary>The name of the pool.</summary>
    public string PoolName { get; } = poolName ?? throw new ArgumentNullException(nameof(poolName));

    /// <summary>How long the outage had lasted.</summary>
    public TimeSpan OutageDuration { get; } = (outage ?? throw new ArgumentNullException(nameof(outage))).Duration;

    /// <summary>The time until the pool's next attempt; zero if one is in progress.</summary>
    public TimeSpan RetryAfter { get; } = outage.RetryAfter;

    /// <summary>How long the caller had waited; zero if it was refused at once.</summary>
    public TimeSpan Elapsed { get; } = elapsed;

    /// <summary>The pool's counters when the exception was thrown.</summary>
    public PoolStatistics Statistics { get; } = statistics ?? throw new ArgumentNullException(nameof(statistics));

    TimeSpan? IPoolException.RetryAfter => RetryAfter;

    PoolCondition IPoolException.Condition => PoolCondition.Outage;
}
