using System.Globalization;

namespace Poolhouse.Http.Internal;

/// <summary>The exceptions for rejected requests, in terms of the bulkhead's settings.</summary>
internal static class BulkheadErrors
{
    private const string Suspended = "The bulkhead is suspended: no request is sent until Resume is called.";

    public static bool IsRefusal(Exception failure) => failure is PoolTimeoutException or PoolOverloadedException;

    public static BulkheadRejectedException Rejected(
        string bulkhead, BulkheadOptions options, Endpoint endpoint, Exception refusal, bool isGrpc)
    {
        var (elapsed, permits) =
            (((IPoolException)refusal).Elapsed, (ResourcePoolStatistics)((IPoolException)refusal).Statistics!);
        var statistics = new BulkheadStatistics(permits);

        // Idle permits count, because a request may have ended since the refusal. An endpoint with callers that may have more
        // permits creates them at once, unless other endpoints hold the rest.
        var isTotalReached = permits.Live < permits.MaxSize;
        var reason = refusal is PoolTimeoutException ? BulkheadRejection.RentTimeout
            : elapsed == TimeSpan.Zero ? BulkheadRejection.QueueFull
            : BulkheadRejection.Overload;
        var message = reason switch
        {
            BulkheadRejection.QueueFull => QueueFull(bulkhead, options, endpoint, statistics, isTotalReached),
            BulkheadRejection.RentTimeout => TimedOut(
                bulkhead, options, endpoint, elapsed, statistics,
                isSuspended: ((PoolTimeoutException)refusal).Phase == RentPhase.Suspended, isTotalReached),
            _ => Overloaded(bulkhead, options, endpoint, elapsed, statistics),
        };

        // The gRPC client reports an exception as Unavailable if its cause is an IOException, otherwise as Internal.
        var cause = isGrpc ? new IOException("The request was not sent.", refusal) : refusal;
        return new BulkheadRejectedException(message, cause, bulkhead, reason, elapsed, RetryAfter(statistics), statistics);
    }

    private static string QueueFull(
        string bulkhead, BulkheadOptions options, Endpoint endpoint, BulkheadStatistics statistics, bool isTotalReached)
    {
        var advice = statistics.Suspended ? Suspended
            : isTotalReached ? $"{OthersHold(options)}, or raise MaxWaiters."
            : "Send fewer requests at once, read or dispose responses sooner, or raise MaxPerEndpoint or MaxWaiters.";
        var message = string.Create(
            CultureInfo.InvariantCulture,
            $"Bulkhead '{bulkhead}': a request to {endpoint} was rejected at once, because MaxWaiters " +
            $"({options.MaxWaiters}) is reached ({Counts(statistics)}). {advice}");
        return message;
    }

    private static string TimedOut(
        string bulkhead,
        BulkheadOptions options,
        Endpoint endpoint,
        TimeSpan elapsed,
        BulkheadStatistics statistics,
        bool isSuspended,
        bool isTotalReached)
    {
        var advice = isSuspended ? Suspended
            : isTotalReached ? $"{OthersHold(options)}, or set MaxWaiters to fail sooner."
            : "Requests are sent faster than responses end: read or dispose responses sooner, raise MaxPerEndpoint, " +
                "or set MaxWaiters to fail sooner.";
        var message = string.Create(
            CultureInfo.InvariantCulture,
            $"Bulkhead '{bulkhead}': no capacity for a request to {endpoint} within {Seconds(elapsed)} ({Counts(statistics)}). " +
            $"{advice}");
        return message;
    }

    private static string Overloaded(
        string bulkhead, BulkheadOptions options, Endpoint endpoint, TimeSpan elapsed, BulkheadStatistics statistics)
    {
        // It may have been turned off meanwhile.
        var overload = options.Overload;
        var message = string.Create(
            CultureInfo.InvariantCulture,
            $"Bulkhead '{bulkhead}': a request to {endpoint} was shed after {Seconds(elapsed)}, because every request of the " +
            $"last {Seconds(overload?.Interval ?? default)} (Overload.Interval) waited longer than " +
            $"{Seconds(overload?.Target ?? default)} (Overload.Target) ({Counts(statistics)}). The endpoint is overloaded: " +
            $"reduce the load, raise MaxPerEndpoint if the endpoint can handle more, " +
            $"or raise Overload.Target if such waits are acceptable.");
        return message;
    }

    private static string OthersHold(BulkheadOptions options) => string.Create(
        CultureInfo.InvariantCulture,
        $"Other endpoints hold the rest of the {options.MaxTotal} permits (MaxTotal): raise it");

    private static string Counts(BulkheadStatistics now)
    {
        var counts = string.Create(
            CultureInfo.InvariantCulture,
            $"MaxPerEndpoint {now.MaxLeased}: {now.Leased} in progress; {now.Waiting} waiting");
        return now.Leased == 0 ? counts : $"{counts}; the oldest for {Seconds(now.OldestLease)}";
    }

    /// <summary>The mean time of a request, times the requests that wait and this one, divided by the permits.</summary>
    private static TimeSpan? RetryAfter(BulkheadStatistics statistics) => statistics.Returned == 0
        ? null
        : statistics.UseTime / statistics.Returned * (statistics.Waiting + 1) / statistics.MaxLeased;

    private static string Seconds(TimeSpan time) => string.Create(CultureInfo.InvariantCulture, $"{time.TotalSeconds:0.###} s");
}
