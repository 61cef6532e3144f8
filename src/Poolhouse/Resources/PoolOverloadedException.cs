namespace Poolhouse;

/// <summary>The pool refused or shed a caller because too many are waiting already.</summary>
/// <remarks>Thrown at once when <see cref="ResourcePoolOptions.MaxWaiters"/> is reached, or later by <see cref="ResourcePoolOptions.Overload"/>.</remarks>
#pragma warning disable CA1032 // Only a pool can make one: it carries what the pool knew.
public sealed class PoolOverloadedException : InvalidOperationException
#pragma warning restore CA1032
{
    internal PoolOverloadedException(string message, string pool, TimeSpan elapsed, ResourcePoolStatistics statistics)
        : base(message)
    {
        PoolName = pool;
        Elapsed = elapsed;
        Statistics = statistics;
    }

    /// <summary>The name of the pool.</summary>
    public string PoolName { get; }

    /// <summary>How long the caller had waited: zero when it was refused at once.</summary>
    public TimeSpan Elapsed { get; }

    /// <summary>The pool's counters at that moment.</summary>
    public ResourcePoolStatistics Statistics { get; }
}
