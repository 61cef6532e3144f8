using Poolhouse.Explorer.Scheduling;
using Poolhouse.Kernel;
using Poolhouse.Kernel.Leases;
using Poolhouse.Kernel.Time;
using Poolhouse.Resources.Engine;
using Poolhouse.Resources.Engine.Capacity;
using Poolhouse.Resources.Engine.Core;
using Poolhouse.Resources.Engine.Creating;
using Poolhouse.Resources.Engine.Items;
using Poolhouse.Resources.Engine.PolicyCalls;
using Poolhouse.Resources.Engine.Waiting;

namespace Poolhouse.Explorer.Scenarios;

/// <summary>The core of a resource pool, whose work other actors do, with separate records to compare it with.</summary>
// Callers and leases take the steps of ResourceRents and ResourcePool.Owner, without those that do not concern the core, so that
// scenarios are small enough to be explored exhaustively. PoolBench has the whole pool.
internal sealed class CoreBench : IEngineHost<Part>, ILeaseOwner<Part>
{
    private readonly ScenarioRun _run;
    private readonly ExplorerClock _clock = new();
    private readonly PoolClock _poolClock;
    private readonly ResourcePoolOptions _options;
    private readonly List<Part> _parts = [];
    private readonly List<Caller> _callers = [];
    private readonly ResourceHooks _hooks;
    private readonly bool _isSettingUp = true;
    private int _tickets;
    private int _creating;
    private int _gone;
    private int _begun;
    private int _ended;
    private long _timerDue = PoolClock.Never;

    /// <param name="run">The run.</param>
    /// <param name="maxSize">How many parts may be alive.</param>
    /// <param name="primed">How many are idle at first.</param>
    /// <param name="cells">How many hot cells there are.</param>
    /// <param name="configure">Changes the options.</param>
    /// <param name="capacity">The capacity that this pool shares with others; a test with several benches specifies what happens
    /// when all actors are blocked.</param>
    /// <param name="hooks">The hooks that the policy has.</param>
    public CoreBench(
        ScenarioRun run,
        int maxSize,
        int primed = 0,
        int cells = 2,
        Action<ResourcePoolOptions>? configure = null,
        SharedCapacity<Part>? capacity = null,
        ResourceHooks hooks = ResourceHooks.None)
    {
        _hooks = hooks;
        _run = run;
        _poolClock = new PoolClock(_clock);
        _options = new ResourcePoolOptions
        {
            MaxSize = maxSize,
            IdleTimeout = Timeout.InfiniteTimeSpan,
            MaxLifetime = Timeout.InfiniteTimeSpan,
            TimeProvider = _clock,
            Random = new Random(1),
        };
        configure?.Invoke(_options);
        Bound = maxSize;
        var share = capacity?.Join();
        Core = new ResourceCore<Part>(this, Settings(), Delays(), cells, share);
        share?.Attach(Core, _poolClock);
        Core.Operators.SetWarmTarget(primed, Now);
        Core.Operators.SetWarmTarget(0, Now);
        _isSettingUp = false;
        run.WhenBlocked(OnBlocked);
        run.AtEnd(CheckEnd);
    }

    public ResourceCore<Part> Core { get; }

    public string Name => "bench";

    public long Now
    {
        get => _clock.Now;
        set => _clock.Now = value;
    }

    /// <summary>How many parts may be alive at any time; a scenario that resizes the pool changes it.</summary>
    public int Bound { get; set; }

    /// <summary>The time up to which the clock advances while all actors wait: retries, expiries.</summary>
    public TimeSpan Horizon { get; set; } = TimeSpan.FromTicks(-1);

    /// <summary>How many of the next creations fail.</summary>
    public int FailingCreations { get; set; }

    /// <summary>Whether a check of an idle part, to keep it alive or to validate it, lasts until this is set to false.</summary>
    public bool ChecksHang { get; set; }

    /// <summary>How many of the next checks find that the part is dead.</summary>
    public int FailingChecks { get; set; }

    public int DoubleReturns { get; private set; }

    public int MostCreating { get; private set; }

    /// <summary>The uses of parts that were returned by a tainted lease.</summary>
    public List<long> TaintedUses { get; } = [];

    public IReadOnlyList<Caller> Callers => _callers;

    public int Created => _parts.Count;

    public int Gone => _gone;

    public ResourcePoolStatistics Statistics => Core.Readings.GetStatistics(Now, _poolClock, 0, 0, 0, 0);

    private int Alive => _parts.Count + _creating - _gone;

    public int NextTicket() => ++_tickets;

    // Callers

    public Caller NewCaller(TimeSpan? timeout = null)
    {
        var caller = new Caller(this) { Deadline = timeout is { } time ? Now + time.Ticks : PoolClock.Never };
        _callers.Add(caller);
        return caller;
    }

    /// <summary>Rents, and waits if necessary.</summary>
    /// <returns>The lease; null if the wait had another outcome or was refused.</returns>
    public Lease<Part>? Rent(Caller? caller = null)
    {
        for (var entry = Core.TryTakeHot() ?? Core.TryTakeIdle(); entry is not null; entry = Core.TryTakeIdle())
        {
            if (Now < entry.ExpiresAt)
            {
                entry.BeginUse(Now);
                return Begin(entry);
            }

            Core.Destroy(entry, entry.ExpiryReason, Now);
        }

        return Wait(caller ?? NewCaller(), stale: null);
    }

    public Lease<Part>? Wait(Caller caller, ResourceEntry<Part>? stale)
    {
        if (Core.Enter(caller, stale, Now) != WaitOutcome.None)
        {
            return null;
        }

        return Await(caller);
    }

    /// <summary>Waits for the outcome of a caller in the queue.</summary>
    public Lease<Part>? Await(Caller caller)
    {
        Actor.Until(() => caller.Wakes > 0, "its outcome");
        return caller.Outcome == WaitOutcome.Served ? Begin(caller.Grant!) : null;
    }

    public void Return(Lease<Part> lease)
    {
        Release(lease);
        lease.Dispose();
    }

    public void RentAndReturn()
    {
        var lease = Rent();
        Part.Require(lease is not null, "A caller was not served.");
        Return(lease!.Value);
    }

    public void Detach(Lease<Part> lease)
    {
        Release(lease);
        _gone++;
        lease.Detach();
    }

    public void Discard(Lease<Part> lease)
    {
        Release(lease);
        lease.Discard();
    }

    /// <summary>The last use by the holder: afterwards, the part may belong to another user.</summary>
    public void Release(Lease<Part> lease)
    {
        lease.Value.Release();
        _ended++;
    }

    public void Resize(int maxSize)
    {
        _options.MaxSize = maxSize;
        Core.Operators.Reconfigure(Settings(), Delays(), Now);
    }

    /// <summary>Does what the pool does when its timer fires.</summary>
    public void FireTimer() => ScheduleAt(Math.Min(Core.Operators.Expire(Now), Core.Operators.Sweep(Now)));

    // The work

    public void BeginCreate(bool synchronously)
    {
        _creating++;
        MostCreating = Math.Max(MostCreating, _creating);
        Part.Require(Alive <= Bound, $"{Alive} parts are alive; the bound is {Bound}.");
        if (_isSettingUp)
        {
            Create();
        }
        else
        {
            _run.Actor("creator", Create);
        }
    }

    public void BeginCheck(ResourceEntry<Part> entry, bool keepAlive) => _run.Actor("checker", () =>
    {
        entry.Item.Hold();
        Actor.Step("check", "part");
        Actor.Until(() => !ChecksHang, "the check to end");
        entry.Item.Release();
        if (FailingChecks > 0)
        {
            FailingChecks--;
            Core.Destroy(entry, keepAlive ? DestroyReason.KeepAliveFailed : DestroyReason.ValidationFailed, Now);
        }
        else
        {
            Core.Offer(entry, Now);
        }
    });

    public void BeginDestroy(ResourceEntry<Part> entry, DestroyReason reason) => _run.Actor("destroyer", () =>
    {
        entry.Item.Destroy();
        _gone++;
        Core.Destroyed(entry, Now);
    });

    public void ScheduleAt(long time) => _timerDue = Math.Min(_timerDue, time);

    public void Closing() => Core.Operators.GetClosingState();

    // The owner of the leases

    public LeaseInfo GetInfo(LeaseSlot<Part> slot) => default;

    void ILeaseOwner<Part>.Return(LeaseSlot<Part> slot)
    {
        var entry = (ResourceEntry<Part>)slot;
        entry.EndUse(Now);
        if (entry.WasTainted)
        {
            TaintedUses.Add(entry.Uses);
            Core.Destroy(entry, DestroyReason.Tainted, Now);
        }
        else if (Now >= entry.ExpiresAt)
        {
            Core.Destroy(entry, entry.ExpiryReason, Now);
        }
        else if (!Core.TryPutHot(entry, Now) && !Core.TryServeHead(entry, Now))
        {
            Core.Offer(entry, Now);
        }
    }

    void ILeaseOwner<Part>.Discard(LeaseSlot<Part> slot)
    {
        var entry = (ResourceEntry<Part>)slot;
        entry.EndUse(Now);
        Core.Destroy(entry, DestroyReason.Discarded, Now);
    }

    void ILeaseOwner<Part>.Detach(LeaseSlot<Part> slot)
    {
        var entry = (ResourceEntry<Part>)slot;
        entry.EndUse(Now);
        Core.Detach(entry, Now);
    }

    public void CountDoubleReturn() => DoubleReturns++;

    // Implementation

    public Lease<Part> Begin(ResourceEntry<Part> entry)
    {
        var lease = entry.BeginLease();
        lease.Value.Hold();
        _begun++;
        return lease;
    }

    private void Create()
    {
        var (generation, startedAt) = (Core.Generation, Now);
        Actor.Step("create", "part");
        _creating--;
        if (FailingCreations > 0)
        {
            FailingCreations--;
            Core.CreateFailed(
                new CreationFailure(new InvalidOperationException("The creation fails.")), synchronously: false, startedAt, Now);
        }
        else
        {
            var part = new Part();
            _parts.Add(part);
            Core.Created(new ResourceEntry<Part>(part, this, Now, generation), synchronously: false, jitter: 0, ticks: 0, Now);
        }
    }

    private ResourceSettings Settings() => new(_options.Freeze(), _poolClock, _hooks);

    private CoDelController? Delays() =>
        _options.Overload is { } overload
            ? new CoDelController(_poolClock.Ticks(overload.Target), _poolClock.Ticks(overload.Interval))
            : null;

    /// <summary>Called when no actor can continue: checks the invariants, and may advance the time.</summary>
    public bool OnBlocked()
    {
        CheckInvariants();
        if (_timerDue > Horizon.Ticks || !_callers.Exists(caller => caller.WasQueued && caller.Wakes == 0))
        {
            return false;
        }

        Now = Math.Max(Now, _timerDue);
        _timerDue = PoolClock.Never;
        _run.Actor("alarm", FireTimer);
        return true;
    }

    /// <summary>The invariants that hold whenever no actor can continue.</summary>
    private void CheckInvariants()
    {
        var now = Statistics;
        Part.Require(now.Suspended || now.Waiting == 0 || now.Idle == 0, "A part is idle while a caller waits (I5).");
        Part.Require(now is { Creating: 0, Validating: 0, Resetting: 0, Destroying: 0 }, "Some work was not completed.");
        Part.Require(now.Live == Alive, $"The pool counts {now.Live} live parts, the test {Alive} (I3).");
        Part.Require(now.Live <= now.MaxSize, $"{now.Live} parts are alive; MaxSize is {now.MaxSize} (I2).");
        var held = _parts.Count(part => part.IsHeld);
        Part.Require(now.Idle + held == Alive, $"{Alive} parts are alive, {now.Idle} idle, {held} leased: one is lost (I3).");
    }

    private void CheckEnd()
    {
        CheckInvariants();
        CheckCallers();
        var now = Statistics;
        Part.Require(now.Waiting == 0, "A caller is left in the queue.");
        Part.Require(now.Rented == _begun, $"{_begun} leases began, and the pool counts {now.Rented}.");
        Part.Require(now.Returned + now.Detached == _ended, $"{_ended} leases ended; the pool has another count.");

        // What counts as idle can be taken, from whichever cell or list it is in.
        var taken = 0;
        for (; Core.TryTakeIdle() is not null; taken++)
        {
        }

        Part.Require(now.Suspended || taken == now.Idle, $"{now.Idle} parts are idle, and {taken} can be taken.");
    }

    private void CheckCallers()
    {
        var queued = _callers.FindAll(caller => caller.WasQueued);
        Part.Require(
            queued.TrueForAll(caller => caller.Wakes == 1 && caller.Outcome != WaitOutcome.None),
            "A caller was not woken exactly once.");
        var now = Statistics;
        Part.Require(now.Timeouts == Count(WaitOutcome.TimedOut), "Timeouts are miscounted.");
        Part.Require(now.Cancellations == Count(WaitOutcome.Cancelled), "Cancellations are miscounted.");

        // An earlier caller was served, or had given up, before any later one was served (I4).
        var unfair = queued.Exists(later => later.Outcome == WaitOutcome.Served
            && queued.Exists(earlier => earlier.EntryTicket < later.EntryTicket && earlier.ExitTicket > later.ExitTicket));
        Part.Require(!unfair, "A caller was served before one that arrived earlier (I4).");

        long Count(WaitOutcome outcome) => queued.Count(caller => caller.Outcome == outcome);
    }
}
