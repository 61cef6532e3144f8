using Poolhouse.Kernel.Time;

namespace Poolhouse.Resources.Engine;

/// <content>Statistics and other read-only views of the pool.</content>
internal sealed partial class ResourceCore<T>
{
    /// <summary>An object that references the pool while a caller waits, and only then.</summary>
    public object Queue => _queue;

    /// <summary>The number of items that are alive and not being created.</summary>
    public int Ready
    {
        get
        {
            using (_gate.Enter())
            {
                return _live - _creating - _destroying;
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
                return _throttle.Failures;
            }
        }
    }

    public ResourcePoolStatistics GetStatistics(long now, PoolClock clock, long doubleReturns, long destroyFailures, long abandoned)
    {
        using (_gate.Enter())
        {
            var uses = _counters.Uses;
            var useTicks = _counters.UseTicks;
            var oldest = 0L;
            foreach (var entry in _entries)
            {
                uses += entry.Uses;
                useTicks += entry.UseTicks;
                oldest = Math.Max(oldest, entry.IsLeased ? now - entry.RentedAt : 0);
            }

            var idle = _idle.Count;
            var leased = Math.Max(0, _live - idle - _creating - _validating - _keepingAlive - _resetting - _destroying);
            var hits = Math.Max(0, uses - _counters.Waits);
            var discarded = _counters.Destroyed[(int)DestroyReason.Discarded];
            return new ResourcePoolStatistics
            {
                Rented = uses,
                Hits = hits,
                Misses = uses - hits,
                Returned = Math.Max(0, uses - leased - _counters.Detached),
                Created = _counters.Created,
                Destroyed = _counters.Destroyed.Sum(),
                Surplus = _counters.Destroyed[(int)DestroyReason.Surplus],
                Refused = _counters.Destroyed[(int)DestroyReason.ResetFailed],
                Trimmed = _counters.Trimmed,
                Discarded = discarded,
                Detached = _counters.Detached,
                DoubleReturns = doubleReturns,
                DestroyFailures = destroyFailures,
                Retained = idle,
                Leased = leased,
                PeakLive = _counters.PeakLive,
                MaxSize = _settings.MaxSize,
                Live = _live,
                Creating = _creating,
                Validating = _validating + _keepingAlive,
                Resetting = _resetting,
                Destroying = _destroying,
                Waiting = _queue.Count,
                OldestLease = clock.Span(oldest),
                Timeouts = _counters.Timeouts,
                Cancellations = _counters.Cancellations,
                Shed = _counters.Shed,
                CreateFailures = _counters.CreateFailures,
                Abandoned = abandoned,
                LeaksSuspected = _counters.Leaks,
                WaitTime = clock.Span(_counters.WaitTicks),
                CreateTime = clock.Span(_counters.CreateTicks),
                UseTime = clock.Span(useTicks),
                InOutage = _throttle.InOutage,
                Suspended = _suspended,
                DestroyedByReason = _counters.Destroyed,
            };
        }
    }

    /// <summary>Counts an item whose creation completed after it had been abandoned, and which never occupied a slot.</summary>
    public void CountCreatedTooLate()
    {
        using (_gate.Enter())
        {
            _counters.Created++;
            _counters.Destroyed[(int)DestroyReason.CreatedTooLate]++;
        }
    }

    /// <summary>The last creation failure, and the time until the next attempt.</summary>
    public (Exception? LastFailure, long RetryAfter) GetOutage(long now)
    {
        using (_gate.Enter())
        {
            return (_throttle.LastFailure, _throttle.InOutage ? Math.Max(0, RetryAt - now) : 0);
        }
    }

    /// <summary>What a caller that is waiting now is waiting for.</summary>
    public RentPhase GetPhase()
    {
        using (_gate.Enter())
        {
            return _suspended ? RentPhase.Suspended
                : _throttle.InOutage ? RentPhase.Outage
                : _validating + _keepingAlive > 0 ? RentPhase.Validate
                : _creating > 0 ? RentPhase.Create
                : _resetting > 0 ? RentPhase.Reset
                : _destroying > 0 ? RentPhase.Destroy
                : RentPhase.Return;
        }
    }

    /// <summary>Counts the items leased to the flow from which this trace comes.</summary>
    public int CountLeasesOf(LeaseTrace trace)
    {
        using (_gate.Enter())
        {
            return _entries.Count(entry => entry.Trace is { } other && other.IsOfSameFlow(trace));
        }
    }
}
