namespace Poolhouse.Resources.Engine;

/// <summary>A pool at the moment in which one of its callers gets no item, for the message of the exception.</summary>
internal sealed class PoolReport
{
    private static string[] MaxSizeOnly { get; } = ["MaxSize"];

    public required string Pool { get; init; }

    /// <summary>The settings whose product limits the pool.</summary>
    public required string[] Limits { get; init; }

    /// <summary>The limit, and what it is used for.</summary>
    public required string Counts { get; init; }

    /// <summary>What the caller is waiting for.</summary>
    public required RentPhase Phase { get; init; }

    /// <summary>The statistics of the pool that callers know.</summary>
    public required PoolStatistics Statistics { get; init; }

    public PoolOutage? Outage { get; init; }

    /// <summary>The exception with which the server refused another item, if it has no room for one.</summary>
    public Exception? LackOfRoom { get; init; }

    public string Product => string.Join(" x ", Limits);

    /// <summary>The settings to choose from to raise the limit.</summary>
    public string AnyLimit => string.Join(" or ", Limits);

    /// <param name="runtime">The pool.</param>
    /// <param name="outer">The statistics of a pool around this one, in which the caller waits; or null.</param>
    /// <param name="waiting">The number of callers that wait there.</param>
    public static PoolReport Of<T>(ResourceRuntime<T> runtime, PoolStatistics? outer = null, int? waiting = null)
        where T : notnull
    {
        var statistics = runtime.GetStatistics();
        return new PoolReport
        {
            Pool = runtime.Name,
            Limits = MaxSizeOnly,
            Counts = CountsOf(statistics, waiting ?? statistics.Waiting),
            Phase = runtime.Core.Readings.GetPhase(),
            Outage = statistics.Outage,
            LackOfRoom = runtime.Core.Readings.LackOfRoom,
            Statistics = outer ?? statistics,
        };
    }

    private static string CountsOf(ResourcePoolStatistics now, int waiting) => CountsOf(
        now.MaxSize,
        now.Leased,
        $"{now.Idle} idle, {now.Creating} creating, {now.Validating} validating, {now.Resetting} resetting, " +
        $"{now.Destroying} destroying",
        waiting,
        now.OldestLease);

    public static string CountsOf(int limit, long leased, string others, int waiting, TimeSpan oldestLease)
    {
        var counts = $"{limit}: {leased} leased, {others}; {waiting} waiting";
        return leased == 0 ? counts : $"{counts}; oldest lease {RentErrors.Seconds(oldestLease)}";
    }
}
