using Poolhouse.Resources.Engine;
using Poolhouse.Resources.Engine.Items;
using Poolhouse.Resources.Engine.PolicyCalls;
using Poolhouse.Resources.Engine.Waiting;

namespace Poolhouse.Resources.Shared;

/// <summary>Begins uses of shared items: of one that has room, or else of one whose room the queue hands over.</summary>
internal sealed class SharedRents<T>(
    SharedItemSet<T> itemSet, SharedUses<T> uses, ResourceRuntime<T> items, PoolEvents<T> events)
    : WaitingRents<SharedItem<T>, T>(items, events)
    where T : notnull
{
    private readonly SharedRoom<T> _room = itemSet.Room;
    private readonly PoolClock _clock = items.Clock;
    private readonly string _name = items.Name;
    private readonly PoolEvents<T> _events = events;
    private readonly LeakSearch<T> _leaks = new(items, events);

    /// <summary>Searches for uses that have lasted too long.</summary>
    public void SearchLeaks(long now) => _leaks.Search(uses.ToArray, itemSet.Settings.LeakThreshold, now);

    /// <summary>Begins a use of an item that has room, unless other callers wait for it.</summary>
    public bool TryRent(LeaseTrace? trace, out Lease<T> lease)
    {
        if (_room.IsUncontested && itemSet.TryEnter(out var item))
        {
            lease = Begin(item, trace);
            return true;
        }

        lease = default;
        return false;
    }

    /// <summary>
    /// Has an item created for callers that do not wait, unless others wait: those have had one created if they need it.
    /// </summary>
    public void CreateAhead()
    {
        if (_room.IsUncontested)
        {
            itemSet.StartGrowing();
        }
    }

    /// <summary>Creates the exception for a caller with a timeout of zero.</summary>
    public Exception NoTimeToWait(LeaseTrace? trace)
    {
        CreateAhead();
        return TimedOut(TimeSpan.Zero, trace);
    }

    public SharedResourcePoolStatistics GetStatistics()
    {
        var (slots, now) = (uses.ToArray(), _clock.Now);

        // Before the uses are counted: one that begins meanwhile may be among those, but not only among these.
        var leased = Array.FindAll(slots, static use => use.IsLeased);
        var rented = slots.Sum(static use => use.Uses);
        var oldestLease = leased.Select(use => now - use.RentedAt).Append(0).Max();
        var (waiting, since, ended) = _room.Read();
        var waits = Math.Min(rented, ended.Served);
        return new SharedResourcePoolStatistics
        {
            Rented = rented,
            Hits = rented - waits,
            Waits = waits,
            Returned = rented - leased.Length,
            Leased = leased.Length,
            MaxLeased = itemSet.Settings.MaxUses,
            Waiting = waiting,
            OldestWait = waiting == 0 ? TimeSpan.Zero : _clock.Span(Math.Max(0, _clock.Now - since)),
            OldestLease = _clock.Span(oldestLease),
            Leaking = oldestLease >= itemSet.Settings.LeakThreshold,
            WaitTime = _clock.Span(ended.WaitTicks),
            Timeouts = ended.Timeouts,
            Cancellations = ended.Cancellations,
            Shed = ended.Shed,
            DoubleReturns = _events.DoubleReturns,
            SuspectedLeaks = _leaks.Count,
            UseTime = _clock.Span(slots.Sum(static use => use.UseTicks)),
            Suspended = _room.IsSuspended,
            Closed = !_room.IsOpen,
            Items = Runtime.GetStatistics(),
        };
    }

    public IReadOnlyList<LeaseSnapshot> GetLeases(int max) => LeaseReader.Read(uses.ToArray(), max, _clock);

    protected override WaitOutcome Enter(Waiter<SharedItem<T>> waiter, SharedItem<T>? stale, long now) =>
        _room.Enter(waiter, now);

    protected override void Withdraw(Waiter<SharedItem<T>> waiter, long now, bool wakes) => _room.Withdraw(waiter, now, wakes);

    protected override Lease<T> Begin(SharedItem<T> grant, LeaseTrace? trace)
    {
        SharedUse<T> use;
        try
        {
            use = uses.Take();
        }
        catch (Exception failure) when (WorkScheduler.IsLackOfMemory(failure))
        {
            // The item counts the use already.
            _room.EndUse(grant);
            throw;
        }

        var now = _clock.Coarse;
        trace?.BeginLease(_name, _clock, now);
        return use.Begin(grant, trace, now);
    }

    protected override void ReturnUnused(Waiter<SharedItem<T>> waiter) => _room.EndUse(_room.GrantOf(waiter));

    public override void ValidateInBackground(SharedItem<T>? stale)
    {
        // Nothing is taken before the caller waits.
    }

    public override void EndInOutage() => _room.EndInOutage(_clock.Now);

    protected override Exception Overloaded() => RentErrors.Overloaded(DescribeUses(), itemSet.Settings.MaxWaiters);

    protected override Exception ErrorOf(WaitOutcome outcome, Waiter<SharedItem<T>> waiter, TimeSpan elapsed) => outcome switch
    {
        WaitOutcome.TimedOut => TimedOut(elapsed, waiter.Trace),
        WaitOutcome.Failed => RentErrors.Failed(DescribeItems(), waiter, elapsed, _clock),
        WaitOutcome.Shed => RentErrors.Shed(DescribeUses(), elapsed, itemSet.Settings.Overload),
        _ => RentErrors.Closed(_name),
    };

    private Exception TimedOut(TimeSpan elapsed, LeaseTrace? trace)
    {
        var leases = GetLeases(LeaseReader.Shown);
        var held = trace is null ? 0 : uses.ToArray().Count(use => use.Trace is { } other && other.IsOfSameFlow(trace));
        return RentErrors.TimedOut(Describe(), elapsed, leases, held);
    }

    /// <summary>
    /// Describes what a caller waits for: an item, with the counts of the items, unless no further one may be created.
    /// </summary>
    private PoolReport Describe() =>
        _room.IsSuspended || !itemSet.LacksItem ? DescribeUses() : DescribeItems();

    private PoolReport DescribeItems()
    {
        var statistics = GetStatistics();
        return PoolReport.Of(Runtime, statistics, statistics.Waiting);
    }

    private PoolReport DescribeUses()
    {
        var now = GetStatistics();
        return new PoolReport
        {
            Pool = _name,
            Limits = itemSet.Settings.Limits,
            Counts = PoolReport.CountsOf(now.MaxLeased, now.Leased, $"{now.Items.Live} items", now.Waiting, now.OldestLease),
            Phase = now.Suspended ? RentPhase.Suspended : RentPhase.Return,
            Statistics = now,
        };
    }
}
