using System.Text;

namespace Poolhouse;

/// <summary>The counters of the uses of a shared pool at one moment; <see cref="Items"/> has those of its items.</summary>
/// <remarks>An immutable snapshot, off by the rents and returns in progress.</remarks>
public sealed class SharedResourcePoolStatistics : PoolStatistics
{
    /// <summary>Rents that began a use of an item at once.</summary>
    public long Hits { get; init; }

    /// <summary>Rents that had to wait for an item, or for the end of another use.</summary>
    public long Waits { get; init; }

    /// <summary>The maximum number of concurrent uses: that of one item, times the maximum number of active items.</summary>
    public int MaxLeased { get; init; }

    /// <summary>Callers that are waiting.</summary>
    public int Waiting { get; init; }

    /// <summary>How long the caller that has waited longest has been waiting; zero if none is waiting.</summary>
    public TimeSpan OldestWait { get; init; }

    /// <summary>How long the longest use in progress has lasted; zero if there is none.</summary>
    public TimeSpan OldestLease { get; init; }

    /// <summary>Whether a use has lasted for longer than <see cref="ResourcePoolOptions.LeakThreshold"/>.</summary>
    public bool Leaking { get; init; }

    /// <summary>Waits that ended because their timeout elapsed.</summary>
    public long Timeouts { get; init; }

    /// <summary>Waits that ended because the caller cancelled them.</summary>
    public long Cancellations { get; init; }

    /// <summary>
    /// Callers refused by <see cref="ResourcePoolOptions.MaxWaiters"/> or shed by <see cref="ResourcePoolOptions.Overload"/>.
    /// </summary>
    public long Shed { get; init; }

    /// <summary>Attempts to end a lease that had already ended. They do no harm, but each is a bug in the calling code.</summary>
    public long DoubleReturns { get; init; }

    /// <summary>Uses reported as suspected leaks.</summary>
    public long SuspectedLeaks { get; init; }

    /// <summary>The total time that callers have waited, whatever the outcome.</summary>
    public TimeSpan WaitTime { get; init; }

    /// <summary>The total time of the uses; those in progress are not included.</summary>
    public TimeSpan UseTime { get; init; }

    /// <summary>Whether the pool is suspended.</summary>
    public bool Suspended { get; init; }

    /// <inheritdoc/>
    public override PoolCondition Condition =>
        ConditionOf(OldestWait, Leaking, Items.LacksRoom, Items.InOutage, Suspended);

    /// <summary>The counters of the items: created, alive, and destroyed by reason. Every active item is leased.</summary>
    public ResourcePoolStatistics Items { get; init; } = new();

    // Without figures about items: the inner pool that holds them reports those.
    internal override PoolFigures Figures => new()
    {
        States = [("leased", Leased)],
        Rents = [("hit", Hits), ("wait", Waits)],
        Returned = Returned,
        Max = MaxLeased,
        DoubleReturns = DoubleReturns,
        Waiting = Waiting,
        FailedWaits = PoolFigures.Failed(Timeouts, Cancellations, Shed),
        Leaks = SuspectedLeaks,
        OldestWait = OldestWait,
        OldestLease = OldestLease,
        WaitTime = WaitTime,
        UseTime = UseTime,
        OutageDuration = Items.Outage?.Duration ?? TimeSpan.Zero,
        LastFailure = Items.Outage?.LastFailure.GetType().ToString(),
        RetryAfter = Items.RetryAfter,
        Settings = Items.Options,
    };

    internal override string Summary =>
        $"{Leased} of {MaxLeased} leased, items: {Items.Live}, {Waiting} waiting{(Items.InOutage ? ", in outage" : "")}" +
        $"{(Suspended ? ", suspended" : "")}";

    /// <inheritdoc/>
    protected override void Describe(StringBuilder text)
    {
        AppendLine(
            text, "Uses", (nameof(Rented), Rented), (nameof(Hits), Hits), (nameof(Waits), Waits), (nameof(Returned), Returned),
            (nameof(DoubleReturns), DoubleReturns), (nameof(MaxLeased), MaxLeased), (nameof(Leased), Leased),
            (nameof(UseTime), UseTime), (nameof(OldestLease), OldestLease), (nameof(SuspectedLeaks), SuspectedLeaks));
        AppendLine(
            text, "Callers", (nameof(Waiting), Waiting), (nameof(OldestWait), OldestWait), (nameof(WaitTime), WaitTime),
            (nameof(Timeouts), Timeouts), (nameof(Cancellations), Cancellations), (nameof(Shed), Shed));
        AppendLine(
            text, "Items", (nameof(Items.MaxSize), Items.MaxSize), (nameof(Items.Live), Items.Live),
            (nameof(Items.PeakLive), Items.PeakLive), (nameof(Items.Created), Items.Created),
            (nameof(Items.CreateFailures), Items.CreateFailures), (nameof(Items.Destroyed), Items.Destroyed),
            (nameof(Items.InOutage), Items.InOutage), (nameof(Suspended), Suspended));
    }
}
