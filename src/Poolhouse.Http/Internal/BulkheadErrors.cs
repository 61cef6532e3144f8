using System.Globalization;

namespace Poolhouse.Http.Internal;

/// <summary>Why a request was not let through, in the words of the bulkhead's settings.</summary>
internal static class BulkheadErrors
{
    public static bool IsRefusal(Exception failure) => failure is PoolTimeoutException or PoolOverloadedException;

    public static BulkheadRejectedException Rejected(string bulkhead, BulkheadOptions options, Endpoint endpoint, Exception refusal)
    {
        var (reason, elapsed, statistics) = refusal switch
        {
            PoolTimeoutException timeout => (BulkheadRejection.RentTimeout, timeout.Elapsed, timeout.Statistics),
            PoolOverloadedException { Elapsed.Ticks: 0 } full => (BulkheadRejection.QueueFull, TimeSpan.Zero, full.Statistics),
            _ => Shed((PoolOverloadedException)refusal),
        };
        var message = reason switch
        {
            BulkheadRejection.QueueFull => QueueFull(bulkhead, options, endpoint, statistics),
            BulkheadRejection.RentTimeout => TimedOut(bulkhead, options, endpoint, elapsed, statistics),
            _ => Overloaded(bulkhead, options, endpoint, elapsed, statistics),
        };
        return new BulkheadRejectedException(message, refusal, bulkhead, reason, elapsed, RetryAfter(statistics), statistics);
    }

    private static (BulkheadRejection, TimeSpan, ResourcePoolStatistics) Shed(PoolOverloadedException shed) =>
        (BulkheadRejection.Overload, shed.Elapsed, shed.Statistics);

    private static string QueueFull(
        string bulkhead, BulkheadOptions options, Endpoint endpoint, ResourcePoolStatistics statistics)
    {
        var message = string.Create(
            CultureInfo.InvariantCulture,
            $"Bulkhead '{bulkhead}': a request to {endpoint} was refused at once, because MaxWaiters " +
            $"({options.MaxWaiters}) is reached ({Counts(statistics)}). Send less at once, " +
            $"read or dispose responses sooner, or raise MaxPerEndpoint or MaxWaiters.");
        return message;
    }

    private static string TimedOut(
        string bulkhead, BulkheadOptions options, Endpoint endpoint, TimeSpan elapsed, ResourcePoolStatistics statistics)
    {
        var message = string.Create(
            CultureInfo.InvariantCulture,
            $"Bulkhead '{bulkhead}': no place for a request to {endpoint} within {Seconds(elapsed)} ({Counts(statistics)}). " +
            $"{Advice(options, statistics)}");
        return message;
    }

    private static string Overloaded(
        string bulkhead, BulkheadOptions options, Endpoint endpoint, TimeSpan elapsed, ResourcePoolStatistics statistics)
    {
        var message = string.Create(
            CultureInfo.InvariantCulture,
            $"Bulkhead '{bulkhead}': a request to {endpoint} was shed after {Seconds(elapsed)}, because every one of the last " +
            $"{Seconds(options.Overload!.Interval)} (Overload.Interval) waited longer than " +
            $"{Seconds(options.Overload.Target)} (Overload.Target) ({Counts(statistics)}). The endpoint cannot keep up: " +
            $"send less, raise MaxPerEndpoint if it can bear more, " +
            $"or raise Overload.Target if such waits are acceptable.");
        return message;
    }

    private static string Advice(BulkheadOptions options, ResourcePoolStatistics statistics) =>
        statistics.Leased < statistics.MaxSize
        ? string.Create(
            CultureInfo.InvariantCulture,
            $"Other endpoints hold the rest of the {options.MaxTotal} places (MaxTotal): raise it, " +
            $"or set MaxWaiters to fail sooner.")
        : "Responses are held longer than they arrive: read or dispose them sooner, raise MaxPerEndpoint, " +
            "or set MaxWaiters to fail sooner.";

    private static string Counts(ResourcePoolStatistics now) => string.Create(
        CultureInfo.InvariantCulture,
        $"MaxPerEndpoint {now.MaxSize}: {now.Leased} under way; {now.Waiting} waiting; " +
        $"the oldest under way for {Seconds(now.OldestLease)}");

    /// <summary>The mean time of a request, for each that waits and this one, over the places.</summary>
    private static TimeSpan? RetryAfter(ResourcePoolStatistics statistics) => statistics.Returned == 0
        ? null
        : statistics.UseTime / statistics.Returned * (statistics.Waiting + 1) / statistics.MaxSize;

    private static string Seconds(TimeSpan time) => string.Create(CultureInfo.InvariantCulture, $"{time.TotalSeconds:0.###} s");
}
