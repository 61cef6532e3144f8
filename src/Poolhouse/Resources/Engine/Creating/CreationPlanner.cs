using Poolhouse.Resources.Engine.Capacity;
using Poolhouse.Resources.Engine.Core;
using Poolhouse.Resources.Engine.Maintenance;

namespace Poolhouse.Resources.Engine.Creating;

/// <summary>
/// Decides which items to create and to validate for the callers, the minimum and a warm-up, and no more. Under the core's gate.
/// </summary>
// Invariants
//   for each waiting caller an item is on its way, unless no slot is free, or an outage, a suspension or slow start prevents it
//   (I5, I16)
//   the pool wants shared capacity for a caller only while more callers wait than items are on their way
internal sealed class CreationPlanner<T>(CoreState<T> state, IdleMinimum<T> minimum, SlowChecks<T> checks)
    where T : notnull
{
    private readonly CreationThrottle _throttle = new(state.Settings.Options.Random);

    /// <summary>The number of live items that a warm-up waits for.</summary>
    public int WarmTarget { get; set; }

    /// <summary>Whether items cannot be created. A server that has no room for more is no outage.</summary>
    public bool InOutage => _throttle.InOutage && !_throttle.LacksRoom;

    /// <summary>Whether the server has no room for another item, or the budget allows no other one.</summary>
    public bool LacksRoom => _throttle.LacksRoom || (state.Settings.IsLimitedByBudget && IsFull);

    /// <summary>The number of consecutive failed creations.</summary>
    public int Failures => _throttle.Failures;

    public Exception? LastFailure => _throttle.LastFailure;

    /// <summary>When the outage began, while in one.</summary>
    public long OutageSince => _throttle.OutageSince;

    /// <summary>When the next creation may be attempted, while in an outage.</summary>
    public long RetryAt => RetryTime(CallersWait);

    /// <summary>How long no creation is attempted; zero unless in an outage.</summary>
    public long RetryDelay(long now) => _throttle.InOutage ? Math.Max(0, RetryAt - now) : 0;

    /// <summary>
    /// The number of waiting callers that have an item being created for them, or room for one: the pool keeps up with them by
    /// growing.
    /// </summary>
    public int CallersServedByCreation => _throttle.InOutage ? 0
        : state.Counts.Creating +
            (state.SharedCapacity is { Want: CapacityWant.Caller } ? 0 : state.Counts.Free(state.Settings.MaxSize));

    /// <summary>Whether all slots are occupied, so that nothing can be created.</summary>
    public bool IsFull => state.Counts.Live >= state.Settings.MaxSize;

    /// <summary>Whether an item is wanted for a caller. In the pool of a shared pool's items, no caller waits itself.</summary>
    private bool CallersWait => state.Queue.Head is { IsForUpkeep: false };

    /// <summary>
    /// The outage because of which callers wait; null if there is none, or if they wait for something else: for the end of a
    /// suspension, or for capacity that others hold.
    /// </summary>
    public OutageLimit? Outage =>
        !InOutage || state.IsSuspended
            || (state.Counts.Creating == 0 && (IsFull || state.SharedCapacity is { Want: CapacityWant.Caller }))
            ? null
            : new OutageLimit(
                _throttle.IsPermanent ? 0 : state.Settings.OutageTimeout, OutageSince, LastFailure!, _throttle.IsPermanent,
                state.Settings.ClockLag)
            {
                SparedTimeout = state.Settings.OutageTimeout > 0 ? state.Settings.OutageTimeout : PoolClock.Never,
            };

    /// <summary>Whether the plan will begin an attempt for the next caller, while in an outage.</summary>
    /// <param name="now">The time.</param>
    /// <param name="callerArrives">Whether a caller is about to enter the queue.</param>
    public bool IsAttemptDue(long now, bool callerArrives) =>
        now >= RetryTime(CallersWait || callerArrives) && state.Counts.Creating == 0;

    /// <summary>Records that a caller is about to enter the queue.</summary>
    public void CallerArrives(long deadline, long now) =>
        _throttle.CallerArrived(deadline == PoolClock.Never ? deadline : deadline - now, isFirst: state.Queue.Count == 0);

    /// <summary>Records that a creation has succeeded.</summary>
    public void Succeeded(long now) =>
        _throttle.Succeeded(moreWanted: Wanted(now) > 0, state.Settings.MaxConcurrentCreates, now);

    /// <summary>Records that a creation has failed or was abandoned.</summary>
    public void Failed(CreationFailure failed, long startedAt, long now) =>
        _throttle.Failed(failed, startedAt, now, state.Settings);

    /// <summary>Records that there may be room for another item: one has ended, or the budget allows more.</summary>
    public void OnRoom(long now) => _throttle.OnRoom(now);

    /// <summary>Starts the work that the waiting callers, the minimum and a warm-up need, and no more.</summary>
    public void Plan(long now)
    {
        var lacksCapacity = state.Lifecycle != Lifecycle.Closed && !TryBegin(now);
        if (state.SharedCapacity is { } capacity)
        {
            if (!lacksCapacity && capacity.Want != CapacityWant.None)
            {
                // Whatever the slot was wanted for has arrived, has left, or must wait for another event.
                capacity.WithdrawWant();
                state.Actions.WantWithdrawn = true;
            }

            ReportRelying(capacity, now);
        }
    }

    private long RetryTime(bool callersWait) => state.Settings.CallersBackOff && callersWait
        ? _throttle.FailedAt
        : _throttle.RetryAt(callersWait && !state.IsSuspended && state.Settings.OutageTimeout > 0);

    private void ReportRelying(SharedCapacity<T>.Member capacity, long now)
    {
        var counts = state.Counts;
        var relying = state.IsSuspended ? 0
            : Math.Clamp(state.Queue.Count - (counts.Supplies - counts.Creating), 0, counts.Creating);
        if (relying != capacity.Relying)
        {
            var isMore = relying > capacity.Relying;
            capacity.SetRelying(relying, now);
            state.Actions.CapacityMissing |= isMore && capacity.IsMissing;
        }
    }

    /// <returns>False if the shared capacity has no slot for it.</returns>
    private bool TryBegin(long now)
    {
        // Entries that became idle while a caller was about to enter the queue, or while the pool was suspended; they are
        // validated in the background.
        while (state.CallersNeedIdleEntries && state.Idle.TryTake() is { } entry)
        {
            checks.BeginValidation(entry, now);
        }

        // Without a free slot, the wanted work waits for one: the release of a slot triggers a new plan.
        var counts = state.Counts;
        var settings = state.Settings;
        var wanted = counts.Live < settings.MaxSize ? Wanted(now) : 0;
        if (wanted <= 0)
        {
            return true;
        }

        var allowance =
            _throttle.Allowance(now >= RetryAt, settings.StartsSlowly && counts.Ready > 0, settings.MaxConcurrentCreates);
        var room = Math.Min(Math.Min(wanted, settings.MaxSize - counts.Live), allowance - counts.Creating);
        var hasCapacity = true;
        for (; hasCapacity && room > 0; room--)
        {
            var forCaller = !state.IsSuspended && state.Queue.Count > counts.Supplies;
            hasCapacity = state.SharedCapacity is null || state.SharedCapacity.TryTake(now, forCaller);
            if (hasCapacity)
            {
                BeginCreation();
            }
            else
            {
                state.Actions.CapacityMissing = forCaller;
            }
        }

        // While the prober is in progress, its end triggers a new plan; a check scheduled for a time in the past would recur at
        // once, endlessly.
        if (_throttle.InOutage && RetryAt > now)
        {
            state.Actions.CheckNoLaterThan(RetryAt);
        }

        return hasCapacity;
    }

    /// <summary>The number of further creations that are needed, beyond those in progress; not positive if none is.</summary>
    private int Wanted(long now)
    {
        var waiting = state.IsSuspended ? 0 : state.Queue.Count;
        var wanted = waiting - state.Counts.Supplies;
        return state.Lifecycle != Lifecycle.Open
            ? wanted
            : Math.Max(Math.Max(wanted, WarmTarget - state.Counts.NotDestroying), minimum.Missing(waiting, now));
    }

    private void BeginCreation()
    {
        var synchronously =
            state.Settings.CreatesSynchronously && state.Queue.SynchronousCount > state.Counts.CreatingSynchronously;
        state.Counts.BeginCreation(synchronously);
        if (synchronously)
        {
            state.Actions.SynchronousCreations++;
        }
        else
        {
            state.Actions.Creations++;
        }
    }
}
