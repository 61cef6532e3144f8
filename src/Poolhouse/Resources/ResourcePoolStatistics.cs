using System.Collections.Frozen;
using System.Text;

namespace Poolhouse;

/// <summary>The counters of a resource pool at one moment.</summary>
/// <remarks>
/// <para>
/// An immutable snapshot, taken under the pool's lock; only rents and returns that need no lock may be in progress meanwhile.
/// </para>
/// <para><c>Live = Idle + Leased + Creating + Validating + Resetting + Destroying</c>.</para>
/// </remarks>
public sealed class ResourcePoolStatistics : PoolStatistics
{
    private static readonly FrozenDictionary<DestroyReason, string> _reasonNames = PoolFigures.NamesOf<DestroyReason>();

    private readonly long[] _destroyed = new long[(int)DestroyReason.PoolDisposed + 1];

    /// <summary>Creates statistics in which nothing was counted.</summary>
    public ResourcePoolStatistics()
    {
    }

    /// <summary>Creates statistics with the given counts of destroyed items, for a pool of your own.</summary>
    /// <param name="destroyed">The number of items destroyed for each reason; <see cref="Destroyed"/> is their sum unless it is
    /// set.</param>
    /// <exception cref="ArgumentNullException"><paramref name="destroyed"/> is null.</exception>
    /// <exception cref="ArgumentOutOfRangeException">A reason is not a member of <see cref="DestroyReason"/>, or a count is
    /// negative.</exception>
    public ResourcePoolStatistics(IEnumerable<KeyValuePair<DestroyReason, long>> destroyed)
    {
        ArgumentNullException.ThrowIfNull(destroyed);
        foreach (var (reason, count) in destroyed)
        {
            ArgumentOutOfRangeException.ThrowIfGreaterThanOrEqual((uint)reason, (uint)_destroyed.Length, nameof(destroyed));
            ArgumentOutOfRangeException.ThrowIfNegative(count, nameof(destroyed));
            _destroyed[(int)reason] += count;
        }

        Destroyed = _destroyed.Sum();
    }

    /// <summary>Rents that got an idle item at once.</summary>
    public long Hits { get; init; }

    /// <summary>Rents that had to wait for an item.</summary>
    public long Waits { get; init; }

    /// <summary>The current capacity: the option, or what a <see cref="PoolBudget"/> allows if that is less.</summary>
    public int MaxSize { get; init; }

    /// <summary>Slots in use: never above <see cref="MaxSize"/>, except while the pool is being made smaller.</summary>
    public int Live { get; init; }

    /// <summary>The highest number of slots that were in use at once; exact.</summary>
    public long PeakLive { get; init; }

    /// <summary>Items idle in the pool.</summary>
    public int Idle { get; init; }

    /// <summary>Items being created.</summary>
    public int Creating { get; init; }

    /// <summary>Idle items being validated or kept alive.</summary>
    public int Validating { get; init; }

    /// <summary>Returned items being reset.</summary>
    public int Resetting { get; init; }

    /// <summary>Items being destroyed that still occupy a slot.</summary>
    public int Destroying { get; init; }

    /// <summary>Callers that are waiting.</summary>
    public int Waiting { get; init; }

    /// <summary>How long the caller that has waited longest has been waiting; zero if none is waiting.</summary>
    public TimeSpan OldestWait { get; init; }

    /// <summary>The longest time for which a currently leased item has been leased; zero if none is leased.</summary>
    public TimeSpan OldestLease { get; init; }

    /// <summary>Whether an item has been leased for longer than <see cref="ResourcePoolOptions.LeakThreshold"/>.</summary>
    public bool Leaking { get; init; }

    /// <summary>Waits that ended because their timeout elapsed.</summary>
    public long Timeouts { get; init; }

    /// <summary>Waits that ended because the caller cancelled them.</summary>
    public long Cancellations { get; init; }

    /// <summary>
    /// Callers refused by <see cref="ResourcePoolOptions.MaxWaiters"/> or shed by <see cref="ResourcePoolOptions.Overload"/>.
    /// </summary>
    public long Shed { get; init; }

    /// <summary>Items created.</summary>
    public long Created { get; init; }

    /// <summary>Creations that failed or took longer than <see cref="ResourcePoolOptions.CreateTimeout"/>.</summary>
    public long CreateFailures { get; init; }

    /// <summary>Items that the pool destroyed, for any reason; see <see cref="DestroyedFor"/>.</summary>
    public long Destroyed { get; init; }

    /// <summary>Items destroyed because the capacity was reduced: <see cref="DestroyReason.Surplus"/>.</summary>
    public long Surplus { get; init; }

    /// <summary>Returned items that the reset rejected: <see cref="DestroyReason.ResetFailed"/>.</summary>
    public long Refused { get; init; }

    /// <summary>
    /// Items destroyed although they had not failed, for one of the reasons <see cref="DestroyReason.Idle"/>,
    /// <see cref="DestroyReason.Lifetime"/>, <see cref="DestroyReason.Cleared"/>, <see cref="DestroyReason.Trimmed"/>,
    /// <see cref="DestroyReason.Evicted"/>, <see cref="DestroyReason.ParentInactive"/>, <see cref="DestroyReason.Expired"/> and
    /// <see cref="DestroyReason.PoolDisposed"/>.
    /// </summary>
    public long Trimmed { get; init; }

    /// <summary>Leases ended by <see cref="Lease{T}.Discard"/>.</summary>
    public long Discarded { get; init; }

    /// <summary>Leases ended by <see cref="Lease{T}.Detach"/>.</summary>
    public long Detached { get; init; }

    /// <summary>Attempts to end a lease that had already ended. They do no harm, but each is a bug in the calling code.</summary>
    public long DoubleReturns { get; init; }

    /// <summary>
    /// Items whose destruction threw. The exception is swallowed, because the thread on which it occurs did not cause it.
    /// </summary>
    public long DestroyFailures { get; init; }

    /// <summary>Policy hooks that were abandoned at their deadline and may still be running.</summary>
    public long Abandoned { get; init; }

    /// <summary>Leases reported as suspected leaks.</summary>
    public long SuspectedLeaks { get; init; }

    /// <summary>The total time that callers have waited, whatever the outcome.</summary>
    public TimeSpan WaitTime { get; init; }

    /// <summary>The total time of successful creations.</summary>
    public TimeSpan CreateTime { get; init; }

    /// <summary>The total time for which items were leased; current leases are not included.</summary>
    public TimeSpan UseTime { get; init; }

    /// <summary>
    /// Whether the last creation failed, so that the pool attempts one creation at a time with delays between them. A creation
    /// that began before another one succeeded does not count.
    /// </summary>
    public bool InOutage => Outage is not null;

    /// <summary>The outage in progress: since when, and why, items cannot be created.</summary>
    /// <value>Null unless <see cref="InOutage"/>.</value>
    public PoolOutage? Outage { get; init; }

    /// <summary>
    /// In an outage, how long no creation is attempted; zero if the next caller that needs an item triggers an attempt.
    /// </summary>
    public TimeSpan RetryAfter => Outage?.RetryAfter ?? TimeSpan.Zero;

    /// <summary>
    /// Whether the last creation failed only because the server has no room for another item, so that callers wait for returns.
    /// </summary>
    public bool LacksRoom { get; init; }

    /// <summary>Whether the pool is suspended.</summary>
    public bool Suspended { get; init; }

    /// <inheritdoc/>
    public override PoolCondition Condition =>
        ConditionOf(OldestWait, Leaking, LacksRoom, InOutage, Suspended);

    /// <summary>The options of the pool; null if they are not known.</summary>
    internal ResourcePoolOptions? Options { get; init; }

    /// <summary>The destroyed items by reason; the sums over reasons follow from it.</summary>
    internal ReadOnlySpan<long> DestroyedByReason
    {
        init
        {
            value.CopyTo(_destroyed);
            Destroyed = _destroyed.Sum();
            Surplus = DestroyedFor(DestroyReason.Surplus);
            Refused = DestroyedFor(DestroyReason.ResetFailed);
            Discarded = DestroyedFor(DestroyReason.Discarded);
            Trimmed =
                DestroyedFor(DestroyReason.Idle) + DestroyedFor(DestroyReason.Lifetime) + DestroyedFor(DestroyReason.Cleared) +
                DestroyedFor(DestroyReason.Trimmed) + DestroyedFor(DestroyReason.Evicted) +
                DestroyedFor(DestroyReason.ParentInactive) + DestroyedFor(DestroyReason.Expired) +
                DestroyedFor(DestroyReason.PoolDisposed);
        }
    }

    /// <summary>The number of items destroyed for the given reason.</summary>
    /// <param name="reason">The reason.</param>
    /// <returns>The count since the pool was created.</returns>
    public long DestroyedFor(DestroyReason reason) =>
        (uint)reason < (uint)_destroyed.Length ? _destroyed[(int)reason] : 0;

    internal override PoolFigures Figures => new()
    {
        States =
        [
            ("idle", Idle),
            ("leased", Leased),
            ("creating", Creating),
            ("validating", Validating),
            ("resetting", Resetting),
            ("destroying", Destroying),
        ],
        Rents = [("hit", Hits), ("wait", Waits)],
        Returned = Returned,
        Max = MaxSize,
        Created = Created,
        CreateFailures = CreateFailures,
        Destroyed = _reasonNames.Select(reason => (reason.Value, DestroyedFor(reason.Key))),
        DoubleReturns = DoubleReturns,
        Waiting = Waiting,
        FailedWaits = PoolFigures.Failed(Timeouts, Cancellations, Shed),
        Leaks = SuspectedLeaks,
        Peak = PeakLive,
        OldestWait = OldestWait,
        OldestLease = OldestLease,
        WaitTime = WaitTime,
        CreateTime = CreateTime,
        UseTime = UseTime,
        OutageDuration = Outage?.Duration ?? TimeSpan.Zero,
        LastFailure = Outage?.LastFailure.GetType().ToString(),
        RetryAfter = RetryAfter,
        Settings = Options,
    };

    internal override string Summary =>
        $"{Leased} of {MaxSize} leased, {Idle} idle, {Waiting} waiting{(InOutage ? ", in outage" : "")}" +
        $"{(Suspended ? ", suspended" : "")}";

    /// <inheritdoc/>
    protected override void Describe(StringBuilder text)
    {
        AppendLine(
            text, "Rents", (nameof(Rented), Rented), (nameof(Hits), Hits), (nameof(Waits), Waits), (nameof(Returned), Returned),
            (nameof(DoubleReturns), DoubleReturns), (nameof(UseTime), UseTime), (nameof(OldestLease), OldestLease),
            (nameof(SuspectedLeaks), SuspectedLeaks));
        AppendLine(
            text, "Items", (nameof(MaxSize), MaxSize), (nameof(Live), Live), (nameof(PeakLive), PeakLive),
            (nameof(Leased), Leased), (nameof(Idle), Idle), (nameof(Creating), Creating), (nameof(Validating), Validating),
            (nameof(Resetting), Resetting), (nameof(Destroying), Destroying));
        AppendLine(
            text, "Callers", (nameof(Waiting), Waiting), (nameof(OldestWait), OldestWait), (nameof(WaitTime), WaitTime),
            (nameof(Timeouts), Timeouts), (nameof(Cancellations), Cancellations), (nameof(Shed), Shed));
        AppendLine(
            text, "Created", (nameof(Created), Created), (nameof(CreateTime), CreateTime),
            (nameof(CreateFailures), CreateFailures), (nameof(Detached), Detached));
        AppendLine(
            text, "Destroyed", (nameof(Destroyed), Destroyed), (nameof(Surplus), Surplus), (nameof(Refused), Refused),
            (nameof(Trimmed), Trimmed), (nameof(Discarded), Discarded), (nameof(DestroyFailures), DestroyFailures));
        AppendLine(
            text, "State", (nameof(InOutage), InOutage), (nameof(RetryAfter), RetryAfter), (nameof(Suspended), Suspended),
            (nameof(Abandoned), Abandoned));
    }

    /// <summary>The statistics of a pool that no longer exists: its counters, without its momentary states.</summary>
    internal ResourcePoolStatistics WithoutStates() => Sum([this], states: false, maxSize: 0);

    /// <summary>The same statistics with more double returns.</summary>
    internal ResourcePoolStatistics AddDoubleReturns(long more) =>
        Sum([this, new ResourcePoolStatistics { DoubleReturns = more }]);

    /// <summary>
    /// The combined counters of several pools. The oldest wait, the oldest lease and the longest outage are those of any pool.
    /// </summary>
    internal static ResourcePoolStatistics Sum(
        IReadOnlyCollection<ResourcePoolStatistics> parts,
        bool states = true,
        int? maxSize = null,
        bool suspended = false,
        bool? closed = null)
    {
        IReadOnlyCollection<ResourcePoolStatistics> living = states ? parts : [];
        return new ResourcePoolStatistics
        {
            Rented = parts.Sum(part => part.Rented),
            Hits = parts.Sum(part => part.Hits),
            Waits = parts.Sum(part => part.Waits),
            Returned = parts.Sum(part => part.Returned),
            Created = parts.Sum(part => part.Created),
            Detached = parts.Sum(part => part.Detached),
            DoubleReturns = parts.Sum(part => part.DoubleReturns),
            DestroyFailures = parts.Sum(part => part.DestroyFailures),
            PeakLive = parts.Sum(part => part.PeakLive),
            Timeouts = parts.Sum(part => part.Timeouts),
            Cancellations = parts.Sum(part => part.Cancellations),
            Shed = parts.Sum(part => part.Shed),
            CreateFailures = parts.Sum(part => part.CreateFailures),
            Abandoned = parts.Sum(part => part.Abandoned),
            SuspectedLeaks = parts.Sum(part => part.SuspectedLeaks),
            WaitTime = Total(part => part.WaitTime),
            CreateTime = Total(part => part.CreateTime),
            UseTime = Total(part => part.UseTime),
            DestroyedByReason = SumDestroyed(parts),

            Leased = living.Sum(part => part.Leased),
            MaxSize = maxSize ?? living.Sum(part => part.MaxSize),
            Live = living.Sum(part => part.Live),
            Idle = living.Sum(part => part.Idle),
            Creating = living.Sum(part => part.Creating),
            Validating = living.Sum(part => part.Validating),
            Resetting = living.Sum(part => part.Resetting),
            Destroying = living.Sum(part => part.Destroying),
            Waiting = living.Sum(part => part.Waiting),
            OldestWait = living.Select(part => part.OldestWait).DefaultIfEmpty().Max(),
            OldestLease = living.Select(part => part.OldestLease).DefaultIfEmpty().Max(),
            Outage = living.Select(part => part.Outage).OfType<PoolOutage>().MaxBy(outage => outage.Duration),
            Leaking = living.Any(part => part.Leaking),
            LacksRoom = living.Any(part => part.LacksRoom),
            Suspended = suspended || living.Any(part => part.Suspended),
            Options = living.FirstOrDefault()?.Options,
            Closed = closed ?? living.Any(part => part.Closed),
        };

        TimeSpan Total(Func<ResourcePoolStatistics, TimeSpan> read) => new(parts.Sum(part => read(part).Ticks));
    }

    private static long[] SumDestroyed(IReadOnlyCollection<ResourcePoolStatistics> parts) =>
        [.. Enum.GetValues<DestroyReason>().Select(reason => parts.Sum(part => part._destroyed[(int)reason]))];
}
