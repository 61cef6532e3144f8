using System.Globalization;

namespace Poolhouse.Http.Internal;

/// <summary>The exceptions for rejected requests, in terms of the bulkhead's settings.</summary>
internal static class BulkheadErrors
{
    public static bool IsRefusal(Exception failure) => failure is PoolTimeoutException or PoolOverloadedException;

    public static BulkheadRejectedException Rejected(
        string bulkhead, BulkheadOptions options, Endpoint endpoint, Exception refusal)
    {
        var (elapsed, statistics) = (((IPoolException)refusal).Elapsed,
            new BulkheadStatistics((ResourcePoolStatistics)((IPoolException)refusal).Statistics!));
        var reason = refusal is PoolTimeoutException ? BulkheadRejection.RentTimeout
            : elapsed == TimeSpan.Zero ? BulkheadRejection.QueueFull
            : BulkheadRejection.Overload;
        var message = reason switch
        {
            BulkheadRejection.QueueFull => QueueFull(bulkhead, options, endpoint, statistics),
            BulkheadRejection.RentTimeout => TimedOut(
                bulkhead, options, endpoint, elapsed, statistics, ((PoolTimeoutException)refusal).Phase),
            _ => Overloaded(bulkhead, options, endpoint, elapsed, statistics),
        };
        return new BulkheadRejectedException(message, refusal, bulkhead, reason, elapsed, RetryAfter(statistics), statistics);
    }

    private static string QueueFull(
        string bulkhead, BulkheadOptions options, Endpoint endpoint, BulkheadStatistics statistics)
    {
        var message = string.Create(
            CultureInfo.InvariantCulture,
            $"Bulkhead '{bulkhead}': a request to {endpoint} was rejected at once, because MaxWaiters " +
            $"({options.MaxWaiters}) is reached ({Counts(statistics)}). Send fewer requests at once, " +
            $"read or dispose responses sooner, or raise MaxPerEndpoint or MaxWaiters.");
        return message;
    }

    private static string TimedOut(
        string bulkhead,
        BulkheadOptions options,
        Endpoint endpoint,
        TimeSpan elapsed,
        BulkheadStatistics statistics,
        RentPhase phase)
    {
        var message = string.Create(
            CultureInfo.InvariantCulture,
            $"Bulkhead '{bulkhead}': no capacity for a request to {endpoint} within {Seconds(elapsed)} ({Counts(statistics)}). " +
            $"{Advice(options, statistics, phase)}");
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

    private static string Advice(BulkheadOptions options, BulkheadStatistics statistics, RentPhase phase) =>
        phase == RentPhase.Suspended ? "The bulkhead is suspended: no request is sent until Resume is called."
        : statistics.Leased < statistics.MaxLeased
        ? string.Create(
            CultureInfo.InvariantCulture,
            $"Other endpoints hold the rest of the {options.MaxTotal} permits (MaxTotal): raise it, " +
            $"or set MaxWaiters to fail sooner.")
        : "Requests are sent faster than responses end: read or dispose responses sooner, raise MaxPerEndpoint, " +
            "or set MaxWaiters to fail sooner.";

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
