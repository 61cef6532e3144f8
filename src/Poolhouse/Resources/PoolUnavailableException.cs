namespace Poolhouse;

/// <summary>
/// The exception that is thrown when items cannot be created and the pool is set to fail fast (<see cref="CreateFailureMode.FailFast"/>).
/// </summary>
/// <remarks><see cref="Exception.InnerException"/> is the last failure.</remarks>
#pragma warning disable CA1032 // Only a pool can create one: it carries the pool's state.
public sealed class PoolUnavailableException : InvalidOperationException, IPoolException
#pragma warning restore CA1032
{
    internal PoolUnavailableException(string message, string pool, TimeSpan elapsed, TimeSpan retryAfter, PoolStatistics statistics, Exception? inner)
        : base(message, inner)
    {
        PoolName = pool;
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
}
