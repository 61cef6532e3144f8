using System.Collections.Frozen;
using System.Globalization;
using System.Text;
using Poolhouse.Kernel;

namespace Poolhouse.Workers;

/// <summary>The counters of a worker pool at one moment.</summary>
/// <remarks>
/// An immutable snapshot; operations in progress may not be included. <see cref="PoolStatistics.Rented"/> counts items of work
/// that started on a worker, <see cref="PoolStatistics.Returned"/> those that ended, and <see cref="PoolStatistics.Leased"/> the
/// workers that are running an item.
/// </remarks>
public sealed class WorkerPoolStatistics : PoolStatistics
{
    private static readonly FrozenDictionary<WorkerDestroyReason, string> _reasonNames =
        PoolFigures.NamesOf<WorkerDestroyReason>();

    private readonly long[] _destroyed = new long[(int)WorkerDestroyReason.PoolDisposed + 1];

    /// <summary>Creates statistics in which nothing was counted.</summary>
    public WorkerPoolStatistics()
    {
    }

    /// <summary>Creates statistics with the given counts of destroyed states, for a pool of your own.</summary>
    /// <param name="destroyed">The number of states destroyed for each reason; <see cref="Destroyed"/> is their sum unless it is
    /// set.</param>
    /// <exception cref="ArgumentNullException"><paramref name="destroyed"/> is null.</exception>
    /// <exception cref="ArgumentOutOfRangeException">A reason is not a member of <see cref="WorkerDestroyReason"/>, or a count is
    /// negative.</exception>
    public WorkerPoolStatistics(IEnumerable<KeyValuePair<WorkerDestroyReason, long>> destroyed)
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

    /// <summary>Items that ran with an existing state.</summary>
    public long Hits { get; init; }

    /// <summary>Items for which a state had to be created.</summary>
    public long Misses { get; init; }

    /// <summary>Items that threw, plus all other failures on workers: broadcasts, callbacks, tasks of the scheduler.</summary>
    public long Failed { get; init; }

    /// <summary>
    /// Items that callers ran themselves because the queue was full. They are not included in
    /// <see cref="PoolStatistics.Rented"/>.
    /// </summary>
    public long RunByCallers { get; init; }

    /// <summary>The current limit of the number of threads: <see cref="WorkerPoolOptions.MaxWorkers"/>.</summary>
    public int MaxWorkers { get; init; }

    /// <summary>Threads that are alive, without abandoned ones.</summary>
    public int Workers { get; init; }

    /// <summary>The highest number of threads that were alive at once.</summary>
    public long PeakWorkers { get; init; }

    /// <summary>Idle threads that have a state.</summary>
    public int IdleWorkers { get; init; }

    /// <summary>Abandoned threads that have not ended yet. They are not included in <see cref="Workers"/>.</summary>
    public int AbandonedWorkers { get; init; }

    /// <summary>Items that have not started.</summary>
    public int Waiting { get; init; }

    /// <summary>
    /// How long the item that has waited longest for a worker has been waiting; zero if none is waiting. Items queued behind
    /// another one with the same key are not included.
    /// </summary>
    public TimeSpan OldestWait { get; init; }

    /// <summary>How long the item that has been running longest has been running; zero if none is running.</summary>
    public TimeSpan OldestRun { get; init; }

    /// <inheritdoc/>
    public override PoolCondition Condition => ConditionOf(OldestWait);

    /// <summary>Items that waited for longer than their queue timeout.</summary>
    public long Timeouts { get; init; }

    /// <summary>Items that were cancelled before they started.</summary>
    public long Cancellations { get; init; }

    /// <summary>Items that were rejected or dropped because the queue was full.</summary>
    public long Shed { get; init; }

    /// <summary>Items that exceeded their run timeout.</summary>
    public long Abandoned { get; init; }

    /// <summary>Items that were reported as stuck: see <see cref="WorkerPoolOptions.StuckThreshold"/>.</summary>
    public long Stuck { get; init; }

    /// <summary>States created.</summary>
    public long Created { get; init; }

    /// <summary>Creations of a state that failed, and threads that could not be started.</summary>
    public long CreateFailures { get; init; }

    /// <summary>States destroyed, for any reason; see <see cref="DestroyedFor"/>.</summary>
    public long Destroyed { get; init; }

    /// <summary>States whose destruction threw.</summary>
    public long DestroyFailures { get; init; }

    /// <summary>The total time that items waited before they started.</summary>
    public TimeSpan WaitTime { get; init; }

    /// <summary>The total time of the successful creations of states.</summary>
    public TimeSpan CreateTime { get; init; }

    /// <summary>The total time that items ran; those that are running are not included.</summary>
    public TimeSpan RunTime { get; init; }

    internal ReadOnlySpan<long> DestroyedByReason
    {
        init => value.CopyTo(_destroyed);
    }

    /// <summary>The number of states destroyed for the given reason.</summary>
    /// <param name="reason">The reason.</param>
    /// <returns>The count since the pool was created.</returns>
    public long DestroyedFor(WorkerDestroyReason reason) =>
        (uint)reason < (uint)_destroyed.Length ? _destroyed[(int)reason] : 0;

    internal override PoolFigures Figures => new()
    {
        States = [("idle", IdleWorkers), ("leased", Leased)],
        Rents = [("hit", Hits), ("miss", Misses)],
        Returned = Returned,
        Max = MaxWorkers,
        Created = Created,
        CreateFailures = CreateFailures,
        Destroyed = _reasonNames.Select(reason => (reason.Value, DestroyedFor(reason.Key))),
        Waiting = Waiting,
        FailedWaits = PoolFigures.Failed(Timeouts, Cancellations, Shed),
        Leaks = Stuck,
        Peak = PeakWorkers,
        OldestWait = OldestWait,
        OldestLease = OldestRun,
        WaitTime = WaitTime,
        CreateTime = CreateTime,
        UseTime = RunTime,
    };

    internal override string Summary => string.Create(
        CultureInfo.InvariantCulture,
        $"{Leased} of {MaxWorkers} workers busy, {Waiting} waiting");

    /// <inheritdoc/>
    protected override void Describe(StringBuilder text)
    {
        AppendLine(
            text, "Items", (nameof(Rented), Rented), (nameof(Hits), Hits), (nameof(Misses), Misses), (nameof(Returned), Returned),
            (nameof(Failed), Failed), (nameof(RunByCallers), RunByCallers), (nameof(RunTime), RunTime),
            (nameof(OldestRun), OldestRun), (nameof(Stuck), Stuck), (nameof(Abandoned), Abandoned));
        AppendLine(
            text, "Workers", (nameof(MaxWorkers), MaxWorkers), (nameof(Workers), Workers), (nameof(PeakWorkers), PeakWorkers),
            (nameof(Leased), Leased), (nameof(IdleWorkers), IdleWorkers), (nameof(AbandonedWorkers), AbandonedWorkers));
        AppendLine(
            text, "Queue", (nameof(Waiting), Waiting), (nameof(OldestWait), OldestWait), (nameof(WaitTime), WaitTime),
            (nameof(Timeouts), Timeouts), (nameof(Cancellations), Cancellations), (nameof(Shed), Shed));
        AppendLine(
            text, "States", (nameof(Created), Created), (nameof(CreateTime), CreateTime),
            (nameof(CreateFailures), CreateFailures), (nameof(Destroyed), Destroyed), (nameof(DestroyFailures), DestroyFailures));
    }
}
