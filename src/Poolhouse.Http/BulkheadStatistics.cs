using System.Text;

namespace Poolhouse.Http;

/// <summary>The counters of a bulkhead, or of one endpoint of it, at one moment.</summary>
/// <remarks>
/// An immutable snapshot; requests that are being admitted may not be included. <see cref="PoolStatistics.Rented"/> counts the
/// requests admitted, <see cref="PoolStatistics.Returned"/> those that ended, and <see cref="PoolStatistics.Leased"/> those in
/// progress.
/// </remarks>
public sealed class BulkheadStatistics : PoolStatistics
{
    internal BulkheadStatistics(ResourcePoolStatistics permits)
    {
        Rented = permits.Rented;
        Returned = permits.Returned;
        Leased = permits.Leased;
        Hits = permits.Hits;
        Waits = permits.Waits;
        MaxLeased = permits.MaxSize;
        Waiting = permits.Waiting;
        OldestWait = permits.OldestWait;
        OldestLease = permits.OldestLease;
        Timeouts = permits.Timeouts;
        Cancellations = permits.Cancellations;
        Shed = permits.Shed;
        SuspectedLeaks = permits.SuspectedLeaks;
        WaitTime = permits.WaitTime;
        UseTime = permits.UseTime;
        DoubleReturns = permits.DoubleReturns;
        PeakLive = permits.PeakLive;
        Leaking = permits.Leaking;
        Closed = permits.Closed;
        Suspended = permits.Suspended;
    }

    /// <summary>Creates statistics in which all counters are zero: for tests of code that reads them.</summary>
    public BulkheadStatistics()
    {
    }

    /// <summary>Requests admitted at once.</summary>
    public long Hits { get; init; }

    /// <summary>Requests admitted after a wait.</summary>
    public long Waits { get; init; }

    /// <summary>The limit of <see cref="PoolStatistics.Leased"/>: of the endpoint, or of all endpoints together.</summary>
    public int MaxLeased { get; init; }

    /// <summary>Requests that are waiting.</summary>
    public int Waiting { get; init; }

    /// <summary>How long the request that has waited longest has been waiting; zero if none is waiting.</summary>
    public TimeSpan OldestWait { get; init; }

    /// <summary>How long the oldest request in progress has been in progress; zero if there is none.</summary>
    public TimeSpan OldestLease { get; init; }

    /// <summary>Whether a request has been in progress for longer than <see cref="BulkheadOptions.LeakThreshold"/>.</summary>
    public bool Leaking { get; init; }

    /// <summary>Waits that ended because their timeout elapsed.</summary>
    public long Timeouts { get; init; }

    /// <summary>Waits that ended because the caller cancelled them.</summary>
    public long Cancellations { get; init; }

    /// <summary>
    /// Requests refused by <see cref="BulkheadOptions.MaxWaiters"/> or shed by <see cref="BulkheadOptions.Overload"/>.
    /// </summary>
    public long Shed { get; init; }

    /// <summary>Requests reported as suspected leaks.</summary>
    public long SuspectedLeaks { get; init; }

    /// <summary>The total time that requests have waited, whatever the outcome.</summary>
    public TimeSpan WaitTime { get; init; }

    /// <summary>The total time for which requests were in progress; current requests are not included.</summary>
    public TimeSpan UseTime { get; init; }

    /// <summary>Whether the bulkhead is suspended.</summary>
    public bool Suspended { get; init; }

    /// <inheritdoc/>
    public override PoolCondition Condition => ConditionOf(OldestWait, Leaking, suspended: Suspended);

    // A permit that the bulkhead ended twice would be its own bug, so users do not see it.
    internal long DoubleReturns { get; }

    // Of permits, including those that are being released.
    internal long PeakLive { get; }

    /// <inheritdoc/>
    protected override void Describe(StringBuilder text)
    {
        AppendLine(
            text, "Requests", (nameof(Rented), Rented), (nameof(Hits), Hits), (nameof(Waits), Waits),
            (nameof(Returned), Returned), (nameof(MaxLeased), MaxLeased), (nameof(Leased), Leased), (nameof(UseTime), UseTime),
            (nameof(OldestLease), OldestLease), (nameof(SuspectedLeaks), SuspectedLeaks));
        AppendLine(
            text, "Callers", (nameof(Waiting), Waiting), (nameof(OldestWait), OldestWait), (nameof(WaitTime), WaitTime),
            (nameof(Timeouts), Timeouts), (nameof(Cancellations), Cancellations), (nameof(Shed), Shed),
            (nameof(Suspended), Suspended));
    }
}
