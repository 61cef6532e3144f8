namespace Poolhouse;

/// <summary>The exception that is thrown when the pool refuses or sheds a caller because too many callers are already waiting.</summary>
/// <remarks>
/// Thrown at once when <see cref="ResourcePoolOptions.MaxWaiters"/> is reached, or later by <see cref="ResourcePoolOptions.Overload"/>.
/// </remarks>
#pragma warning disable CA1032 // Only a pool can create one: it carries the pool's state.
public sealed class PoolOverloadedException : InvalidOperationException, IPoolException
#pragma warning restore CA1032
{
    internal PoolOverloadedException(string message, string pool, TimeSpan elapsed, PoolStatistics statistics)
        : base(message)
    {
        PoolName = pool;
        Elapsed = elapsed;
        Statistics = statistics;
    }

    /// <summary>The name of the pool.</summary>
    public string PoolName { get; }

    /// <summary>How long the caller had waited; zero if it was refused at once.</summary>
    public TimeSpan Elapsed { get; }

    /// <summary>The pool's counters when the exception was thrown.</summary>
    /// <remarks>
    /// Of a worker pool <see cref="WorkerPoolStatistics"/>, of a shared pool <see cref="SharedResourcePoolStatistics"/>, otherwise
    /// <see cref="ResourcePoolStatistics"/>.
    /// </remarks>
    public PoolStatistics Statistics { get; }
}
