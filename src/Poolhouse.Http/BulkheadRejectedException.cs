namespace Poolhouse.Http;

/// <summary>
/// Thrown when a request was not sent because too many requests to the same endpoint, or to all endpoints, are in progress.
/// </summary>
/// <remarks>
/// <para>
/// An <see cref="HttpRequestException"/>, which callers of <see cref="HttpClient"/> already catch. Nothing has reached the
/// server, so any method may be sent again; but not before <see cref="RetryAfter"/>: an immediate retry worsens an overload.
/// </para>
/// <para>
/// <see cref="Exception.InnerException"/> is the exception of the pool: <see cref="PoolOverloadedException"/> or
/// <see cref="PoolTimeoutException"/>. For a gRPC request, there is an <see cref="IOException"/> in between, because of which the
/// gRPC client reports the call as Unavailable.
/// </para>
/// </remarks>
public sealed class BulkheadRejectedException : HttpRequestException, IPoolException
{
    internal BulkheadRejectedException(
        string message,
        Exception inner,
        string bulkhead,
        BulkheadRejection reason,
        TimeSpan elapsed,
        TimeSpan? retryAfter,
        BulkheadStatistics statistics)
        : base(message, inner)
    {
        PoolName = bulkhead;
        Reason = reason;
        Elapsed = elapsed;
        RetryAfter = retryAfter;
        Statistics = statistics;
    }

    /// <summary>The name of the bulkhead.</summary>
    public string PoolName { get; }

    /// <summary>Which limit was reached.</summary>
    public BulkheadRejection Reason { get; }

    /// <summary>How long the request had waited: zero if it was rejected at once.</summary>
    public TimeSpan Elapsed { get; }

    /// <summary>
    /// The estimated time until the requests that wait now have been served, based on the duration of earlier requests.
    /// </summary>
    /// <value><c>null</c> while no request to the endpoint has ended.</value>
    public TimeSpan? RetryAfter { get; }

    /// <summary>The counters of the endpoint at that moment; <see cref="BulkheadStatistics.MaxLeased"/> is its limit.</summary>
    public BulkheadStatistics Statistics { get; }

    PoolStatistics? IPoolException.Statistics => Statistics;
}
