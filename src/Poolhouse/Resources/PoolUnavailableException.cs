namespace Poolhouse;

/// <summary>
/// The exception that is thrown when items cannot be created, and the pool is set to fail fast
/// (<see cref="CreateFailureMode.FailFast"/>) or the last failure is permanent (<see cref="ResourcePolicy{T}.IsPermanent"/>).
/// </summary>
/// <remarks><see cref="Exception.InnerException"/> is the last failure.</remarks>
#pragma warning disable CA1032 // It always carries the pool's state.
public sealed class PoolUnavailableException : InvalidOperationException, IPoolException
#pragma warning restore CA1032
{
    /// <summary>Creates the exception, for a pool of your own.</summary>
    /// <param name="message">The limit that was reached, the counts, and the setting to change. Do not include items, keys or
    /// secrets.</param>
    /// <param name="poolName">The name of the pool.</param>
    /// <param name="elapsed">How long the caller had waited; zero if it was refused at once.</param>
    /// <param name="retryAfter">The time until the pool's next attempt.</param>
    /// <param name="statistics">The pool's counters at this moment.</param>
    /// <param name="innerException">The last failure, if it is known.</param>
    /// <exception cref="ArgumentNullException"><paramref name="poolName"/> or <paramref name="statistics"/> is null.</exception>
    public PoolUnavailableException(
        string message, string poolName, TimeSpan elapsed, TimeSpan retryAfter, PoolStatistics statistics,
        Exception? innerException = null)
        : base(message, innerException)
    {
        ArgumentNullException.ThrowIfNull(poolName);
        ArgumentNullException.ThrowIfNull(statistics);
        PoolName = poolName;
        Elapsed = elapsed;
        RetryAfter = retryAfter;
        Statistics = statistics;
    }

    /// <summary>The name of the pool.</summary>
    public string PoolName { get; }

    /// <summary>The time until the pool's next attempt. Rents before then fail in the same way.</summary>
    public TimeSpan RetryAfter { get; }

    /// <summary>How long the caller had waited; zero if it was refused at once.</summary>
    public TimeSpan Elapsed { get; }

    /// <summary>The pool's counters when the exception was thrown.</summary>
    public PoolStatistics Statistics { get; }

    TimeSpan? IPoolException.RetryAfter => RetryAfter;

    PoolCondition IPoolException.Condition => PoolCondition.Outage;
}
