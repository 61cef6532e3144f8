using Poolhouse.Resources.Engine.Creating;
using Poolhouse.Resources.Engine.Items;

namespace Poolhouse.Resources.Engine.Core;

/// <summary>Statistics and other read-only views of a pool's core.</summary>
// Locks: takes the core's gate for each reading, so the numbers of one reading are of one moment. The hot cells and the counts
// of leases are exceptions: they change without the gate.
internal sealed class ResourceReadings<T>(Gate gate, CoreState<T> state, CreationPlanner<T> planner)
    where T : notnull
{
    /// <summary>The number of items that are alive and not being created.</summary>
    public int Ready => Read(() => state.Counts.Ready);

    /// <summary>The number of consecutive failed creations.</summary>
    public int Failures => Read(() => planner.Failures);

    /// <summary>
    /// Whether work is left to the next section because it could not be started. Under the gate, or where nothing else runs.
    /// </summary>
    public bool HasPostponed => state.HasPostponed;

    /// <summary>The number of slow validations and resets. Under the gate, or where nothing else runs.</summary>
    public int SlowChecks => state.Counts.SlowChecks;

    /// <summary>The number of items being kept alive now. Under the gate, or where nothing else runs.</summary>
    public int KeepingAlive => state.Counts.KeepingAlive;

    public ResourcePoolStatistics GetStatistics(
        long now, PoolClock clock, long doubleReturns, long destroyFailures, long abandoned, long leaks)
    {
        using (gate.Enter())
        {
            var counts = state.Counts;
            var (usage, oldest) = SumUsageLocked(now);
            var waits = state.Queue.Counters;
            var idle = state.Idle.Count;
            var leased = Math.Max(0, counts.Live - counts.InProgress - idle);
            var hits = Math.Max(0, usage.Uses - usage.Waits);
            return new ResourcePoolStatistics
            {
                Rented = usage.Uses,
                Hits = hits,
                Waits = usage.Uses - hits,
                Returned = Math.Max(0, usage.Uses - leased - state.Counters.Detached),
                Created = state.Counters.Created,
                Detached = state.Counters.Detached,
                DoubleReturns = doubleReturns,
                DestroyFailures = destroyFailures,
                Idle = idle,
                Leased = leased,
                PeakLive = counts.PeakLive,
                MaxSize = state.Settings.MaxSize,
                Live = counts.Live,
                Creating = counts.Creating,
                Validating = counts.Validating + counts.KeepingAlive,
                Resetting = counts.Resetting,
                Destroying = counts.Destroying,
                Waiting = state.Queue.Count,
                OldestWait = state.Queue.Head is { } head ? clock.Span(Math.Max(0, now - head.EnqueuedAt)) : TimeSpan.Zero,
                OldestLease = clock.Span(oldest),
                LacksRoom = planner.LacksRoom,
                Leaking = oldest >= state.Settings.LeakThreshold,
                Timeouts = waits.Timeouts,
                Cancellations = waits.Cancellations,
                Shed = waits.Shed,
                CreateFailures = state.Counters.CreateFailures,
                Abandoned = abandoned,
                SuspectedLeaks = leaks,
                WaitTime = clock.Span(usage.WaitTicks),
                CreateTime = clock.Span(state.Counters.CreateTicks),
                UseTime = clock.Span(usage.UseTicks),
                Outage = GetOutageLocked(now, clock),
                Suspended = state.IsSuspended,
                Options = state.Settings.Options,
                Closed = state.Lifecycle != Lifecycle.Open,
                DestroyedByReason = state.Counters.Destroyed,
            };
        }
    }

    private (UsageTotals Usage, long OldestLease) SumUsageLocked(long now)
    {
        var usage = state.Counters.Usage;
        var oldest = 0L;
        foreach (var entry in state.Entries)
        {
            usage.Add(entry);
            oldest = Math.Max(oldest, entry.IsLeased ? now - entry.RentedAt : 0);
        }

        usage.Waits += state.Queue.Counters.Served;
        usage.WaitTicks += state.Queue.Counters.WaitTicks;
        return (usage, oldest);
    }

    /// <summary>What the pool holds and wants, for its budget.</summary>
    public BudgetDemand GetDemand()
    {
        using (gate.Enter())
        {
            var counts = state.Counts;
            var leased = Math.Max(0, counts.Live - counts.InProgress - state.Idle.Count);
            var maximum = state.Settings.Options.MaxSize;
            var waiting = state.IsSuspended ? 0 : Math.Clamp(state.Queue.Count, 0, Math.Max(0, maximum - leased));
            return new BudgetDemand(leased, waiting, counts.Live, maximum);
        }
    }

    /// <summary>Counts an item whose creation completed after it had been abandoned, and which never occupied a slot.</summary>
    /// <returns>The number of the item.</returns>
    public long CountCreatedTooLate()
    {
        using (gate.Enter())
        {
            state.Counters.Destroyed[(int)DestroyReason.CreatedTooLate]++;
            return ++state.Counters.Created;
        }
    }

    /// <summary>The exception with which the server refused the last creation, if it has no room for another item.</summary>
    public Exception? LackOfRoom => Read(() => planner.LacksRoom ? planner.LastFailure : null);

    /// <summary>When the outage in progress began; null if there is none.</summary>
    public long? FailingSince => Read(() => planner.InOutage ? planner.OutageSince : (long?)null);

    /// <summary>How long callers of a pool around this one wait in the outage in progress; null if there is none.</summary>
    public OutageLimit? GetOutageLimit(long timeout) => Read(() => planner is { InOutage: true, LastFailure: { } failure }
        ? new OutageLimit(timeout, planner.OutageSince, failure, IsPermanent: false, state.Settings.ClockLag)
        : (OutageLimit?)null);

    /// <summary>What a caller that is waiting now is waiting for.</summary>
    public RentPhase GetPhase()
    {
        using (gate.Enter())
        {
            var counts = state.Counts;
            return state.IsSuspended ? RentPhase.Suspended
                : planner.LacksRoom ? RentPhase.Room
                : counts.Validating + counts.KeepingAlive > 0 ? RentPhase.Validate
                : counts.Creating > 0 ? RentPhase.Create
                : counts.Resetting > 0 ? RentPhase.Reset
                : counts.Destroying > 0 ? RentPhase.Destroy
                : RentPhase.Return;
        }
    }

    /// <summary>Copies the list of the items, leased or not.</summary>
    public ResourceEntry<T>[] ListEntries() => Read(() => state.Entries.ToArray());

    /// <summary>Counts the items leased to the flow from which this trace comes.</summary>
    public int CountLeasesOf(LeaseTrace trace) =>
        Read(() => state.Entries.Count(entry => entry.Trace is { } other && other.IsOfSameFlow(trace)));

    private TResult Read<TResult>(Func<TResult> read)
    {
        using (gate.Enter())
        {
            return read();
        }
    }

    private PoolOutage? GetOutageLocked(long now, PoolClock clock)
    {
        if (!planner.InOutage || planner.LastFailure is not { } failure)
        {
            return null;
        }

        var lasted = Math.Max(0, now - planner.OutageSince);
        return new PoolOutage(clock.UtcBefore(lasted), clock.Span(lasted), failure, clock.Span(planner.RetryDelay(now)));
    }
}
