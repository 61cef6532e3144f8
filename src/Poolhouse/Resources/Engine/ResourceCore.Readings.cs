using Poolhouse.Kernel.Time;

namespace Poolhouse.Resources.Engine;

/// <content>Statistics and other read-only views of the pool.</content>
internal sealed partial class ResourceCore<T>
{
    /// <summary>An object that references the pool while a caller waits, and only then.</summary>
    public object Queue => _state.Queue;

    /// <summary>The number of items that are alive and not being created.</summary>
    public int Ready
    {
        get
        {
            using (_gate.Enter())
            {
                return _state.Counts.Ready;
            }
        }
    }

    /// <summary>The number of consecutive failed creations.</summary>
    public int Failures
    {
        get
        {
            using (_gate.Enter())
            {
                return _planner.Failures;
            }
        }
    }

    /// <summary>Whether work is left to the next section because it could not be started. Under the gate, or where nothing else runs.</summary>
    internal bool HasPostponed => _state.HasPostponed;

    /// <summary>The number of overdue validations and resets. Under the gate, or where nothing else runs.</summary>
    internal int Overdue => _state.Counts.Overdue;

    /// <summary>The number of items being kept alive now. Under the gate, or where nothing else runs.</summary>
    internal int KeepingAlive => _state.Counts.KeepingAlive;

    public ResourcePoolStatistics GetStatistics(long now, PoolClock clock, long doubleReturns, long destroyFailures, long abandoned)
    {
        using (_gate.Enter())
        {
            var counts = _state.Counts;
            var uses = _state.Counters.Uses;
            var useTicks = _state.Counters.UseTicks;
            var oldest = 0L;
            foreach (var entry in _state.Entries)
            {
                uses += entry.Uses;
                useTicks += entry.UseTicks;
                oldest = Math.Max(oldest, entry.IsLeased ? now - entry.RentedAt : 0);
            }

            var idle = _idle.Count;
            var leased = Math.Max(0, counts.Live - counts.InProgress - idle);
            var hits = Math.Max(0, uses - _state.Counters.Waits);
            var discarded = _state.Counters.Destroyed[(int)DestroyReason.Discarded];
            return new ResourcePoolStatistics
            {
                Rented = uses,
                Hits = hits,
                Waits = uses - hits,
                Returned = Math.Max(0, uses - leased - _state.Counters.Detached),
                Created = _state.Counters.Created,
                Destroyed = _state.Counters.Destroyed.Sum(),
                Surplus = _state.Counters.Destroyed[(int)DestroyReason.Surplus],
                Refused = _state.Counters.Destroyed[(int)DestroyReason.ResetFailed],
                Trimmed = _state.Counters.Trimmed,
                Discarded = discarded,
                Detached = _state.Counters.Detached,
                DoubleReturns = doubleReturns,
                DestroyFailures = destroyFailures,
                Idle = idle,
                Leased = leased,
                PeakLive = counts.PeakLive,
                MaxSize = _state.Settings.MaxSize,
                Live = counts.Live,
                Creating = counts.Creating,
                Validating = counts.Validating + counts.KeepingAlive,
                Resetting = counts.Resetting,
                Destroying = counts.Destroying,
                Waiting = _state.Queue.Count,
                OldestWait = _state.Queue.Head is { } head ? clock.Span(Math.Max(0, now - head.EnqueuedAt)) : TimeSpan.Zero,
                OldestLease = clock.Span(oldest),
                Timeouts = _state.Counters.Timeouts,
                Cancellations = _state.Counters.Cancellations,
                Shed = _state.Counters.Shed,
                CreateFailures = _state.Counters.CreateFailures,
                Abandoned = abandoned,
                LeaksSuspected = _state.Counters.Leaks,
                WaitTime = clock.Span(_state.Counters.WaitTicks),
                CreateTime = clock.Span(_state.Counters.CreateTicks),
                UseTime = clock.Span(useTicks),
                InOutage = _planner.InOutage,
                Suspended = _state.IsSuspended,
                DestroyedByReason = _state.Counters.Destroyed,
            };
        }
    }

    /// <summary>Counts an item whose creation completed after it had been abandoned, and which never occupied a slot.</summary>
    /// <returns>The number of the item.</returns>
    public long CountCreatedTooLate()
    {
        using (_gate.Enter())
        {
            _state.Counters.Destroyed[(int)DestroyReason.CreatedTooLate]++;
            return ++_state.Counters.Created;
        }
    }

    /// <summary>The last creation failure, and the time until the next attempt.</summary>
    public (Exception? LastFailure, long RetryAfter) GetOutage(long now)
    {
        using (_gate.Enter())
        {
            return (_planner.LastFailure, _planner.InOutage ? Math.Max(0, _planner.RetryAt - now) : 0);
        }
    }

    /// <summary>What a caller that is waiting now is waiting for.</summary>
    public RentPhase GetPhase()
    {
        using (_gate.Enter())
        {
            var counts = _state.Counts;
            return _state.IsSuspended ? RentPhase.Suspended
                : _planner.InOutage ? RentPhase.Outage
                : counts.Validating + counts.KeepingAlive > 0 ? RentPhase.Validate
                : counts.Creating > 0 ? RentPhase.Create
                : counts.Resetting > 0 ? RentPhase.Reset
                : counts.Destroying > 0 ? RentPhase.Destroy
                : RentPhase.Return;
        }
    }

    /// <summary>Counts the items leased to the flow from which this trace comes.</summary>
    public int CountLeasesOf(LeaseTrace trace)
    {
        using (_gate.Enter())
        {
            return _state.Entries.Count(entry => entry.Trace is { } other && other.IsOfSameFlow(trace));
        }
    }
}
