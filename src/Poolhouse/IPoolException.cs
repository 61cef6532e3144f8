namespace Poolhouse;

/// <summary>
/// The members common to the exceptions of callers that a pool did not serve: for filters, retry strategies and logs.
/// </summary>
/// <remarks>
/// Each exception is also of a type that callers already catch, such as <see cref="TimeoutException"/>. An exception that a
/// policy throws reaches the caller unchanged and does not have these members.
/// </remarks>
/// <example><c>catch (Exception failure) when (failure is IPoolException { RetryAfter: var retryAfter })</c></example>
#pragma warning disable CA1711 // Exceptions implement it.
public interface IPoolException
#pragma warning restore CA1711
{
    /// <summary>The name of the pool.</summary>
    string PoolName { get; }

    /// <summary>How long the caller had waited; zero if it was refused at once.</summary>
    TimeSpan Elapsed { get; }

    /// <summary>The pool's counters when the exception was thrown.</summary>
    /// <value><c>null</c> if the exception was created where they are not known: see the type of the exception.</value>
    PoolStatistics? Statistics { get; }

    /// <summary>The time before which another attempt is not likely to succeed.</summary>
    /// <value><c>null</c> if the pool cannot estimate it.</value>
    TimeSpan? RetryAfter => null;

    /// <summary>The state of the pool for which the caller was not served.</summary>
    /// <value>
    /// That of <see cref="Statistics"/>; <see cref="PoolCondition.Saturated"/> if they show no other reason, because the caller
    /// waited or was refused.
    /// </value>
    PoolCondition Condition => Statistics?.Condition is { } condition && condition != PoolCondition.Working
        ? condition
        : PoolCondition.Saturated;
}
