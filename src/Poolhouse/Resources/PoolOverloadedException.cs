namespace Poolhouse;

/// <summary>
/// The exception that is thrown when the pool refuses or sheds a caller because too many callers are already waiting.
/// </summary>
/// <remarks>
/// Thrown at once when <see cref="ResourcePoolOptions.MaxWaiters"/> is reached, or later by
/// <see cref="ResourcePoolOptions.Overload"/>.
/// </remarks>
/// <param name="message">The limit that was reached, the counts, and the setting to change. Do not include items, keys or
/// secrets.</param>
/// <param name="poolName">The name of the pool.</param>
/// <param name="elapsed">How long the caller had waited; zero if it was refused at once.</param>
/// <param name="statistics">The pool's counters at this moment.</param>
/// <exception cref="ArgumentNullException"><paramref name="poolName"/> or <paramref name="statistics"/> is null.</exception>
public sealed class PoolOverloadedException(string message, string poolName, TimeSpan elapsed, PoolStatistics statistics)
    : InvalidOperationException(message), IPoolException
{
    /// <summary>The name of the pool.</summary>
    public string PoolName { get; } = poolName ?? throw new ArgumentNullException(nameof(poolName));

    /// <summary>How long the caller had waited; zero if it was refused at once.</summary>
    public TimeSpan Elapsed { get; } = elapsed;

    /// <summary>The pool's counters when the exception was thrown.</summary>
    /// <remarks>
    /// Of a worker pool <c>WorkerPoolStatistics</c>, of a shared pool <see cref="SharedResourcePoolStatistics"/>, otherwise
    /// <see cref="ResourcePoolStatistics"/>.
    /// </remarks>
    public PoolStatistics Statistics { get; } = statistics ?? throw new ArgumentNullException(nameof(statistics));
}
