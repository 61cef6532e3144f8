using Poolhouse.Explorer.Scheduling;
using Poolhouse.Kernel.Leases;
using Poolhouse.Kernel.Time;
using Poolhouse.Resources.Engine;
using Poolhouse.Resources.Engine.Capacity;
using Poolhouse.Resources.Engine.Core;
using Poolhouse.Resources.Engine.Items;
using Poolhouse.Resources.Engine.PolicyCalls;
using Poolhouse.Resources.Engine.Waiting;

namespace Poolhouse.Explorer.Scenarios;

/// <summary>The core of a resource pool, with work that further actors do, and a ledger of its own to compare with.</summary>
// Callers and leases go the way of ResourceRents and ResourcePool.Owner, without what is not the core's business: so scenarios
// are small enough to be exhausted. The whole pool is on PoolBench.
internal sealed class CoreBench : IEngineHost<Part>, ILeaseOwner<Part>
{
    private readonly Play _play;
    private readonly StageClock _clock = new();
    private readonly PoolClock _poolClock;
    private readonly ResourcePoolOptions _options;
    private readonly List<Part> _parts = [];
    private readonly List<Caller> _callers = [];
    private readonly ResourceHooks _hooks;
    private readonly bool _setsTheScene = true;
    private int _tickets;
    private int _creating;
    private int _gone;
    private int _begun;
    private int _ended;
    private long _lookAt = PoolClock.Never;

    /// <param name="play">The scenario.</param>
    /// <param name="maxSize">How many parts may be alive.</param>
    /// <param name="primed">How many are idle at first.</param>
    /// <param name="cells">How many hot cells there are.</param>
    /// <param name="configure">Changes the options.</param>
    /// <param name="capacity">The capacity that this pool shares with others; a test with several benches specifies what happens
    /// at rest.</param>
    /// <param name="hooks">The hooks that the policy is said to have.</param>
    public CoreBench(
        Play play,
        int maxSize,
        int primed = 0,
        int cells = 2,
        Action<ResourcePoolOptions>? configure = null,
        SharedCapacity<Part>? capacity = null,
        ResourceHooks hooks = ResourceHooks.None)
    {
        _hooks = hooks;
        _play = play;
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
        Core.SetWarmTarget(primed, Now);
        Core.SetWarmTarget(0, Now);
        _setsTheScene = false;
        play.AtRest(OnRest);
        play.AtEnd(CheckEnd);
    }

    public ResourceCore<Part> Core { get; }

    public string Name => "bench";

    public long Now
    {
        get => _clock.Now;
        set => _clock.Now = value;
    }

    /// <summary>How many parts may be alive at any time; a scenario that resizes says until when which bound holds.</summary>
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

    /// <summary>Uses of parts whose return was that of a tainted lease.</summary>
    public List<long> TaintedUses { get; } = [];

    public IReadOnlyList<Caller> Callers => _callers;

    public int Created => _parts.Count;

    public int Gone => _gone;

    public ResourcePoolStatistics Statistics => Core.Readings.GetStatistics(Now, _poolClock, 0, 0, 0);

    private int Alive => _parts.Count + _creating - _gone;

    public int NextTicket() => ++_tickets;

    // The ways of callers

    public Caller NewCaller(TimeSpan? timeout = null)
    {
        var caller = new Caller(this) { Deadline = timeout is { } time ? Now + time.Ticks : PoolClock.Never };
        _callers.Add(caller);
        return caller;
    }

    /// <summary>Rents, waiting if need be.</summary>
    /// <returns>The lease; or null if the caller's outcome is another one, or the pool let it not even wait.</returns>
    public Lease<Part>? Rent(Caller? caller = null)
    {
        for (var entry = Core.TryTakeHot() ?? Core.TryTakeIdle(); entry is not null; entry = Core.TryTakeIdle())
        {
            if (Now < entry.ExpiresAt)
            {
                entry.BeginUse(Now);
                return Begin(entry);
            }

            Core.Retire(entry, entry.ExpiryReason, Now);
        }

        return Wait(caller ?? NewCaller(), stale: null);
    }

    public Lease<Part>? Wait(Caller caller, ResourceEntry<Part>? stale)
    {
        if (Core.Enter(caller, stale, Now) != EnqueueResult.Queued)
        {
            return null;
        }

        return Await(caller);
    }

    /// <summary>Waits for the outcome of a caller in the queue.</summary>
    public Lease<Part>? Await(Caller caller)
    {
        Actor.Until(() => caller.Wakes > 0, "its outcome");
        return caller.Outcome == WaitOutcome.Served ? Begin(caller.Entry!) : null;
    }

    public void Return(Lease<Part> lease)
    {
        LetGo(lease);
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
        LetGo(lease);
        _gone++;
        lease.Detach();
    }

    public void Discard(Lease<Part> lease)
    {
        LetGo(lease);
        lease.Discard();
    }

    /// <summary>The holder's last use: from here on, the part may belong to another user.</summary>
    public void LetGo(Lease<Part> lease)
    {
        lease.Value.LetGo();
        _ended++;
    }

    public void Resize(int maxSize)
    {
        _options.MaxSize = maxSize;
        Core.Reconfigure(Settings(), Delays(), Now);
    }

    /// <summary>What the pool's alarm does when it goes off.</summary>
    public void Look() => ScheduleAt(Math.Min(Core.Expire(Now), Core.Sweep(Now, [])));

    // The work

    public void BeginCreate(bool synchronously)
    {
        _creating++;
        MostCreating = Math.Max(MostCreating, _creating);
        Part.Require(Alive <= Bound, $"{Alive} parts are alive, and only {Bound} may be.");
        if (_setsTheScene)
        {
            Create();
        }
        else
        {
            _play.Actor("creator", Create);
        }
    }

    public void BeginCheck(ResourceEntry<Part> entry, bool keepAlive) => _play.Actor("checker", () =>
    {
        entry.Item.Hold();
        Actor.Step("check", "part");
        Actor.Until(() => !ChecksHang, "the check to end");
        entry.Item.LetGo();
        if (FailingChecks > 0)
        {
            FailingChecks--;
            Core.Retire(entry, keepAlive ? DestroyReason.KeepAliveFailed : DestroyReason.ValidationFailed, Now);
        }
        else
        {
            Core.Offer(entry, Now);
        }
    });

    public void BeginDestroy(ResourceEntry<Part> entry, DestroyReason reason) => _play.Actor("destroyer", () =>
    {
        entry.Item.Destroy();
        _gone++;
        Core.Destroyed(entry, Now);
    });

    public void ScheduleAt(long time) => _lookAt = Math.Min(_lookAt, time);

    public void Closing() => Core.GetClosingState();

    // The owner of the leases

    public LeaseInfo GetInfo(LeaseSlot<Part> slot) => default;

    void ILeaseOwner<Part>.Return(LeaseSlot<Part> slot)
    {
        var entry = (ResourceEntry<Part>)slot;
        entry.EndUse(Now);
        if (entry.WasTainted)
        {
            TaintedUses.Add(entry.Uses);
            Core.Retire(entry, DestroyReason.Tainted, Now);
        }
        else if (Now >= entry.ExpiresAt)
        {
            Core.Retire(entry, entry.ExpiryReason, Now);
        }
        else if (!Core.TryPutHot(entry, Now) && !Core.TryHandOver(entry, Now))
        {
            Core.Offer(entry, Now);
        }
    }

    void ILeaseOwner<Part>.Discard(LeaseSlot<Part> slot)
    {
        var entry = (ResourceEntry<Part>)slot;
        entry.EndUse(Now);
        Core.Retire(entry, DestroyReason.Discarded, Now);
    }

    void ILeaseOwner<Part>.Detach(LeaseSlot<Part> slot)
    {
        var entry = (ResourceEntry<Part>)slot;
        entry.EndUse(Now);
        Core.Detach(entry, Now);
    }

    public void CountDoubleReturn() => DoubleReturns++;

    // The machinery

    public Lease<Part> Begin(ResourceEntry<Part> entry)
    {
        var lease = entry.BeginLease();
        lease.Value.Hold();
        _begun++;
        return lease;
    }

    private void Create()
    {
        var generation = Core.Generation;
        Actor.Step("create", "part");
        _creating--;
        if (FailingCreations > 0)
        {
            FailingCreations--;
            Core.CreateFailed(new InvalidOperationException("No parts today."), permanent: false, synchronously: false, Now);
        }
        else
        {
            var part = new Part();
            _parts.Add(part);
            Core.Created(new ResourceEntry<Part>(part, this, Now, generation), synchronously: false, 0, Now);
        }
    }

    private ResourceSettings Settings() => new(_options.Freeze(), _poolClock, _hooks);

    private CoDelController? Delays() =>
        _options.Overload is { } overload
            ? new CoDelController(_poolClock.Ticks(overload.Target), _poolClock.Ticks(overload.Interval))
            : null;

    /// <summary>Nobody can go on: everything must be in order, and perhaps time passes.</summary>
    public bool OnRest()
    {
        CheckRest();
        if (_lookAt > Horizon.Ticks || !_callers.Exists(caller => caller.WasQueued && caller.Wakes == 0))
        {
            return false;
        }

        Now = Math.Max(Now, _lookAt);
        _lookAt = PoolClock.Never;
        _play.Actor("alarm", Look);
        return true;
    }

    /// <summary>The invariants that hold whenever no actor can continue.</summary>
    private void CheckRest()
    {
        var now = Statistics;
        Part.Require(now.Suspended || now.Waiting == 0 || now.Idle == 0, "An idle part and a waiter rest together (I5).");
        Part.Require(now is { Creating: 0, Validating: 0, Resetting: 0, Destroying: 0 }, "Something was left undone.");
        Part.Require(now.Live == Alive, $"The pool counts {now.Live} parts alive, the ledger {Alive} (I3).");
        Part.Require(now.Live <= now.MaxSize, $"{now.Live} parts are alive at rest; MaxSize is {now.MaxSize} (I2).");
        var held = _parts.Count(part => part.IsHeld);
        Part.Require(now.Idle + held == Alive, $"{Alive} parts alive, {now.Idle} idle, {held} leased: one is lost (I3).");
    }

    private void CheckEnd()
    {
        CheckRest();
        CheckCallers();
        var now = Statistics;
        Part.Require(now.Waiting == 0, "Somebody is left in the queue.");
        Part.Require(now.Rented == _begun, $"{_begun} leases began, and the pool counts {now.Rented}.");
        Part.Require(now.Returned + now.Detached == _ended, $"{_ended} leases ended; the pool says otherwise.");

        // What is said to be idle can be taken, from whichever cell or list it is in.
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
            && queued.Exists(earlier => earlier.CameIn < later.CameIn && earlier.WentOut > later.WentOut));
        Part.Require(!unfair, "A caller was served before one that came earlier (I4).");

        long Count(WaitOutcome outcome) => queued.Count(caller => caller.Outcome == outcome);
    }
}
