
namespace Poolhouse.Http;

/// <summary>A request was not sent, because too many to the same endpoint, or to all, are under way.</summary>
/// <remarks>
/// <para>
/// An <see cref="HttpRequestException"/>, which callers of <see cref="HttpClient"/> catch already. Nothing has reached the
/// server, so any method may be sent again; but not before <see cref="RetryAfter"/>: a retry at once makes an overload worse.
/// </para>
/// <para>
/// <see cref="Exception.InnerException"/> is the pool's: <see cref="PoolOverloadedException"/> or
/// <see cref="PoolTimeoutException"/>.
/// </para>
/// </remarks>
#pragma warning disable CA1032 // Only a bulkhead can make one: it carries what the bulkhead knew.
public sealed class BulkheadRejectedException : HttpRequestException
#pragma warning restore CA1032
{
    internal BulkheadRejectedException(
        string message,
        Exception inner,
        string bulkhead,
        BulkheadRejection reason,
        TimeSpan elapsed,
        TimeSpan? retryAfter,
        ResourcePoolStatistics statistics)
        : base(message, inner)
    {
        BulkheadName = bulkhead;
        Reason = reason;
        Elapsed = elapsed;
        RetryAfter = retryAfter;
        Statistics = statistics;
    }

    /// <summary>The name of the bulkhead.</summary>
    public string BulkheadName { get; }

    /// <summary>Which limit was reached.</summary>
    public BulkheadRejection Reason { get; }

    /// <summary>How long the request had waited: zero when it was refused at once.</summary>
    public TimeSpan Elapsed { get; }

    /// <summary>In how much time those who wait now will have been served, if requests take as long as they did so far.</summary>
    /// <value><c>null</c> while no request to the endpoint has ended.</value>
    public TimeSpan? RetryAfter { get; }

    /// <summary>The counters of the endpoint at that moment; <see cref="ResourcePoolStatistics.MaxSize"/> is its limit.</summary>
    public ResourcePoolStatistics Statistics { get; }
}
