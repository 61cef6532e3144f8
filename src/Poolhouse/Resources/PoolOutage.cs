namespace Poolhouse;

/// <summary>
/// A period in which a resource pool cannot create items: from the first failed creation until the next success.
/// </summary>
/// <remarks>An immutable snapshot, part of <see cref="ResourcePoolStatistics"/>.</remarks>
/// <param name="since">When the first creation failed.</param>
/// <param name="duration">How long the outage has lasted.</param>
/// <param name="lastFailure">The failure of the last creation.</param>
/// <param name="retryAfter">The time until the next attempt; zero or more.</param>
/// <exception cref="ArgumentNullException"><paramref name="lastFailure"/> is null.</exception>
public sealed class PoolOutage(DateTimeOffset since, TimeSpan duration, Exception lastFailure, TimeSpan retryAfter)
{
    /// <summary>When the first creation failed, according to the pool's <see cref="TimeProvider"/>, in UTC.</summary>
    public DateTimeOffset Since { get; } = since;

    /// <summary>How long the outage had lasted when the statistics were read.</summary>
    public TimeSpan Duration { get; } = duration;

    /// <summary>The failure of the last creation, as the policy threw it.</summary>
    public Exception LastFailure { get; } = lastFailure ?? throw new ArgumentNullException(nameof(lastFailure));

    /// <summary>
    /// The time until the next attempt to create an item; zero if one is in progress, or if the next caller that needs an item
    /// triggers one.
    /// </summary>
    public TimeSpan RetryAfter { get; } = retryAfter;
}
