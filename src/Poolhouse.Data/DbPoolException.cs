using System.Data.Common;

namespace Poolhouse.Data;

/// <summary>
/// Thrown when the pool could not provide a connection: the wait timed out, too many callers were waiting, or the server cannot
/// be reached.
/// </summary>
/// <remarks>
/// <para>
/// Transient (<see cref="IsTransient"/>), so that retry strategies written for <see cref="DbException"/> try again, unless all of
/// several hosts failed permanently. While connections cannot be opened, every caller gets this exception when it has waited for
/// <see cref="ResourcePoolOptions.OutageTimeout"/>. A failure that is permanent, such as a wrong password, is reported at once
/// with the provider's own exception, unchanged.
/// </para>
/// <para>
/// <see cref="Exception.InnerException"/> is the provider's last exception while connections cannot be opened, and null
/// otherwise: then this exception contains all the available information.
/// </para>
/// </remarks>
public sealed class DbPoolException : DbException, IPoolException
{
    // Without figures of the pool, it could not create an item.
    private readonly PoolCondition _condition = PoolCondition.Outage;

    /// <param name="refusal">
    /// A <see cref="PoolTimeoutException"/>, <see cref="PoolOverloadedException"/> or <see cref="PoolUnavailableException"/>.
    /// </param>
    internal DbPoolException(Exception refusal)
        : base(refusal.Message, refusal.InnerException)
    {
        var known = (IPoolException)refusal;
        _condition = known.Condition;
        PoolName = known.PoolName;
        Elapsed = known.Elapsed;
        Statistics = known.Statistics as ResourcePoolStatistics;
        RetryAfter = known.RetryAfter;
        OutageDuration = (refusal as PoolUnavailableException)?.OutageDuration;
        OldestLeases = (refusal as PoolTimeoutException)?.OldestLeases ?? [];
    }

    internal DbPoolException(NoServerAvailableException unavailable, string pool, bool isTransient)
        : base(unavailable.Message, unavailable.InnerException ?? unavailable)
    {
        PoolName = pool;
        Failures = unavailable.Failures;
        IsTransient = isTransient || unavailable.IsRoleMissing;
    }

    internal DbPoolException(string pool, string message, Exception? innerException)
        : base(message, innerException) => PoolName = pool;

    /// <summary>The name of the pool.</summary>
    public string PoolName { get; }

    /// <summary>How long the caller had waited.</summary>
    public TimeSpan Elapsed { get; }

    /// <summary>The pool's counters at that moment; <c>null</c> if all hosts of a data source for several hosts failed.</summary>
    public ResourcePoolStatistics? Statistics { get; }

    PoolStatistics? IPoolException.Statistics => Statistics;

    PoolCondition IPoolException.Condition => _condition;

    /// <summary>
    /// After a timeout, the pool's five oldest leases, the oldest first: who holds the connections. Otherwise empty.
    /// </summary>
    public IReadOnlyList<LeaseSnapshot> OldestLeases { get; } = [];

    /// <summary>The failure of each host, if several were tried; otherwise empty.</summary>
    public IReadOnlyList<Exception> Failures { get; } = [];

    /// <summary>The time until the pool tries to open a connection again; <c>null</c> where it is not known.</summary>
    public TimeSpan? RetryAfter { get; }

    /// <summary>How long connections could not be opened; <c>null</c> unless that is the cause.</summary>
    public TimeSpan? OutageDuration { get; }

    /// <summary>
    /// Whether the same call may succeed later. False only if all of several hosts failed permanently, as
    /// <see cref="DbErrorClassifier.IsPermanent"/> decides.
    /// </summary>
    public override bool IsTransient { get; } = true;

    /// <summary>The SQLSTATE of the provider's exception inside, if there is one.</summary>
    public override string? SqlState => (InnerException as DbException)?.SqlState;
}
