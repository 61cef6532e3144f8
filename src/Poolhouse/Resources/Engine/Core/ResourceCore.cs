using System.Diagnostics;
using System.Runtime.CompilerServices;
using Poolhouse.Resources.Engine.Capacity;
using Poolhouse.Resources.Engine.Creating;
using Poolhouse.Resources.Engine.Items;
using Poolhouse.Resources.Engine.Maintenance;
using Poolhouse.Resources.Engine.PolicyCalls;
using Poolhouse.Resources.Engine.Waiting;

namespace Poolhouse.Resources.Engine.Core;

/// <summary>The concurrent core of a resource pool: tracks slots and waiters, and decides which work to start.</summary>
// Invariants
//   live = idle + leased + creating + validating + kept alive + resetting + destroying, and only a smaller MaxSize puts the
//   capacity below live (I2, I3)
//   no caller waits while an entry is idle, unless a validation is in progress for each of them, or the pool is suspended (I5)
//   the slow path contains "waiting" exactly while the queue is not empty, so the cells are not used then (I4)
//   a section under the gate allocates only before it changes anything, because a half-completed section cannot be rolled back;
//   the exception is the first random number on a thread
// Parts, all under the gate: CoreState holds the items and the queue of callers; WaitingCallers admits and serves callers;
//   CreationPlanner decides what to create; the rest is maintenance. This class contains the gate, the fast path without it, and
//   what happens to entries and callers; CoreOperators, what the owner and the timer do. Each operation is one section.
// It runs no external code, reads no clock and starts nothing: times are passed as arguments, and work is started through
// IEngineHost after the gate has been left. So the same source runs under the explorer (test/verification/Poolhouse.Explorer)
// and in the simulation (test/verification/Poolhouse.Simulation), which check all of the invariants; AssertInvariantsLocked
// checks what is visible under the gate alone.
// Locks: the gate; inside it the gate of a shared capacity, never the other way round.
internal sealed class ResourceCore<T>
    where T : notnull
{
    private readonly Gate _gate = new();
    private readonly IdleStore<T> _idle;
    private readonly CoreState<T> _state;
    private readonly KeepAlives<T> _keepAlives;
    private readonly SharedCapacity<T>.Member? _sharedCapacity;

    // The settings of the state, for readers outside the gate.
    private ResourceSettings _settings;
    private int _slowPath;

    public ResourceCore(
        IEngineHost<T> host, ResourceSettings settings, CoDelController? delays, int cells,
        SharedCapacity<T>.Member? sharedCapacity = null)
    {
        _settings = settings;
        _sharedCapacity = sharedCapacity;
        _state = new CoreState<T>(host, sharedCapacity, settings, delays, cells);
        _idle = _state.Idle;
        Runner = new DeferredActionRunner<T>(_gate, _state);
        Minimum = new IdleMinimum<T>(_state);
        Checks = new SlowChecks<T>(_state);
        Planner = new CreationPlanner<T>(_state, Minimum, Checks);
        Callers = new WaitingCallers<T>(_state, Planner, Checks);
        Destruction = new IdleDestruction<T>(_state);
        _keepAlives = new KeepAlives<T>(_state);
        Sweeper = new Sweeper<T>(_state, Destruction, _keepAlives, Minimum);
        Clearing = new Clearing<T>(_state, Destruction);
        Readings = new ResourceReadings<T>(_gate, _state, Planner);
        UpdateSlowPathReasonsLocked();
    }

    public ResourceSettings Settings => Volatile.Read(ref _settings);

    public bool IsOpen => (Volatile.Read(ref _slowPath) & (int)SlowPathReasons.Closing) == 0;

    /// <summary>Whether the pool is closed; false while it drains. Read under the gate.</summary>
    public bool IsClosed
    {
        get
        {
            using (_gate.Enter())
            {
                return _state.Lifecycle == Lifecycle.Closed;
            }
        }
    }

    /// <summary>The current generation: a creation that starts now is younger than every clear up to it.</summary>
    public int Generation => Clearing.Generation;

    /// <summary>An object that references the pool while a caller waits, and only then.</summary>
    public object Queue => _state.Queue;

    /// <summary>Timed work, and the operations that pools expose.</summary>
    public CoreOperators<T> Operators => new(this, _gate, _state);

    /// <summary>Statistics and other read-only views.</summary>
    public ResourceReadings<T> Readings { get; }

    // The parts, all under the gate

    /// <summary>Starts what sections have decided on, and wakes callers.</summary>
    public DeferredActionRunner<T> Runner { get; }

    public IdleMinimum<T> Minimum { get; }

    public SlowChecks<T> Checks { get; }

    public CreationPlanner<T> Planner { get; }

    public WaitingCallers<T> Callers { get; }

    public IdleDestruction<T> Destruction { get; }

    public Sweeper<T> Sweeper { get; }

    public Clearing<T> Clearing { get; }

    /// <summary>
    /// Whether a section may end without a plan, as far as that is known outside the gate: otherwise, an attempt would only
    /// enter the gate once more than necessary.
    /// </summary>
    private bool MayNeedNoPlan =>
        CallersOnlyWait(Volatile.Read(ref _slowPath)) && _sharedCapacity is null && !Settings.MeasuresDelays;

    // The fast path

    /// <summary>Takes the idle entry of this thread's cell, unless there is a reason to go through the gate.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public ResourceEntry<T>? TryTakeHot() => Volatile.Read(ref _slowPath) == 0 ? _idle.TryTakeHot() : null;

    /// <summary>Stores an idle entry in this thread's cell. Returns false if it must be offered instead.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool TryPutHot(ResourceEntry<T> entry, long now)
    {
        if (Volatile.Read(ref _slowPath) != 0)
        {
            return false;
        }

        // The exchange is a full fence: a renter that queues itself from here on either finds the entry when it sweeps the cells,
        // or its slow path is seen below (I5). The same holds for a pool that was refused a slot of a shared capacity: it records
        // it there before it enters this gate, which is a full fence too, and gathers the cells.
        var displaced = _idle.PutHot(entry);
        if (displaced is not null || Volatile.Read(ref _slowPath) != 0 || _sharedCapacity is { IsMissing: true })
        {
            OfferHot(displaced, now);
        }

        return true;
    }

    /// <summary>Takes an idle entry if no caller is waiting for one.</summary>
    public ResourceEntry<T>? TryTakeIdle()
    {
        if ((Volatile.Read(ref _slowPath) & (int)SlowPathReasons.Waiting) != 0)
        {
            return null;
        }

        using (_gate.Enter())
        {
            var state = _state;
            return state.Queue.Count == 0 && !state.IsSuspended && state.Lifecycle == Lifecycle.Open ? _idle.TryTake() : null;
        }
    }

    /// <summary>Hands a returned entry that needs no check to the caller that has waited longest.</summary>
    /// <returns>False if the entry must be offered.</returns>
    // An offer without its plan, because a plan would start nothing (docs/design/adr-0008): nothing can be created in a full
    // pool, and no entry is idle that a waiting caller needs, apart from one in the cell of a returner that is about to see the
    // slow path.
    public bool TryServeHead(ResourceEntry<T> entry, long now)
    {
        if (!MayNeedNoPlan)
        {
            return false;
        }

        Waiter<ResourceEntry<T>>? waiter;
        using (_gate.Enter())
        {
            // The offer handles an entry that has expired or has been marked stale or broken by its parent since its returner
            // checked it.
            if (!NeedsNoPlanLocked() || now >= entry.ExpiresAt || _state.Host.IsBrokenByParent(entry)
                || (waiter = Callers.TryServeHead(entry, now)) is null)
            {
                return false;
            }

            UpdateSlowPathReasonsLocked();
            AssertInvariantsLocked();
        }

        Runner.Wake(waiter, now);
        return true;
    }

    // Entries

    /// <summary>Offers an entry that is ready for its next user: returned, validated, or reset.</summary>
    public void Offer(ResourceEntry<T> entry, long now)
    {
        using var section = EnterGate(now);
        _keepAlives.OnEnded(entry, now);
        var isStale = entry.ClearStale();
        var wasIdle = entry.State is EntryState.KeepingAlive or EntryState.Validating;
        _state.SetState(entry, EntryState.None);
        OfferLocked(entry, isNew: false, isStale, now);
        if (wasIdle && entry.IsListed && _state.ExceedsMinimum)
        {
            // Its idle time goes on, but a sweep during the operation has assumed that it begins again.
            _state.Actions.CheckNoLaterThan(Math.Max(now, PoolClock.Add(entry.IdleSince, Settings.IdleTimeout)));
        }
    }

    /// <summary>Starts the reset of a returned entry before it is offered; the entry still occupies its slot.</summary>
    public void BeginReset(ResourceEntry<T> entry, long now)
    {
        using var section = EnterGate(now);
        _state.SetState(entry, EntryState.Resetting);
        Checks.RelyOn(entry, now);
    }

    /// <summary>Starts the validation of an entry that no caller is waiting for.</summary>
    public void Validate(ResourceEntry<T> entry, long now)
    {
        using var section = EnterGate(now);
        Checks.BeginValidation(entry, now);
    }

    /// <summary>
    /// Destroys an entry that will not be used again. Its slot is released when <see cref="Destroyed"/> is called.
    /// </summary>
    public void Destroy(ResourceEntry<T> entry, DestroyReason reason, long now)
    {
        using var section = EnterGate(now);
        _keepAlives.OnEnded(entry, now);
        _state.Destroy(entry, reason);
    }

    /// <summary>Releases the slot of an entry whose item was destroyed, or whose destruction was abandoned.</summary>
    public void Destroyed(ResourceEntry<T> entry, long now)
    {
        using var section = EnterGate(now);
        _state.SetState(entry, EntryState.None);
        _state.Unregister(entry);
        _state.Actions.CapacityYielded += entry.ExpiryReason == DestroyReason.Evicted ? 1 : 0;
        Planner.OnRoom(now);
        Minimum.Refill();
    }

    /// <summary>Releases the slot of an item that a caller keeps.</summary>
    public void Detach(ResourceEntry<T> entry, long now)
    {
        using var section = EnterGate(now);
        _state.Unregister(entry);
        _state.Counters.Detached++;
        Minimum.Refill();
    }

    /// <summary>Records that a creation started here has succeeded.</summary>
    /// <exception cref="OutOfMemoryException">There is not enough memory for one more entry. The creation is still in
    /// progress.</exception>
    /// <param name="entry">The entry of the item.</param>
    /// <param name="synchronously">Whether the creation had a dedicated thread.</param>
    /// <param name="jitter">A random number from 0 to 1, for the jitter of the item's lifetime.</param>
    /// <param name="ticks">How long the creation took.</param>
    /// <param name="now">The time.</param>
    public void Created(ResourceEntry<T> entry, bool synchronously, double jitter, long ticks, long now)
    {
        using var section = EnterGate(now);
        _state.ReserveEntry();
        EndCreationLocked(synchronously, now);

        // Under the gate: a concurrent change of the lifetime is either in the settings already, or finds this entry registered.
        entry.ExpiresAt = Settings.ExpiryOf(now, jitter);
        _state.Register(entry);
        entry.Number = ++_state.Counters.Created;
        _state.Counters.CreateTicks += ticks;
        if (entry.Generation == Clearing.Generation)
        {
            OfferLocked(entry, isNew: true, isStale: false, now);
        }
        else
        {
            // Cleared during the creation: it may have been created from the state that was cleared.
            _state.Destroy(entry, DestroyReason.Cleared);
        }

        Planner.Succeeded(now);
        _state.Actions.CheckNoLaterThan(Sweeper.NextCheck(entry, now));
    }

    /// <summary>The maximum number of items alive: the capacity, or the one shared with other pools if that is less.</summary>
    public int MaxItems => Math.Min(Settings.MaxSize, _sharedCapacity?.Total ?? int.MaxValue);

    /// <summary>
    /// Whether the capacity, or the one shared with other pools, has become smaller than the number of occupied slots, so that a
    /// creation that has not begun should not begin.
    /// </summary>
    // Read without the gate: a change at this moment counts as one after the creation has begun.
    public bool ExceedsCapacity => _state.Counts.Live > Settings.MaxSize || _sharedCapacity is { IsExceeded: true };

    /// <summary>Releases the slot of a creation that has not begun, and starts another one if that is possible.</summary>
    public void CreationWithdrawn(bool synchronously, long now)
    {
        using var section = EnterGate(now);
        _state.ReleaseSlot();
        EndCreationLocked(synchronously, now);
        Minimum.Refill();
    }

    /// <summary>Records that a creation started here has failed or was abandoned.</summary>
    /// <param name="failed">Why.</param>
    /// <param name="synchronously">Whether the creation had a dedicated thread.</param>
    /// <param name="startedAt">When it started.</param>
    /// <param name="now">The time.</param>
    /// <returns>The delay until the next attempt.</returns>
    public long CreateFailed(CreationFailure failed, bool synchronously, long startedAt, long now)
    {
        using var section = EnterGate(now);
        EndCreationLocked(synchronously, now);
        _state.ReleaseSlot();
        Minimum.Refill();
        _state.Counters.CreateFailures++;
        Planner.Failed(failed, startedAt, now);
        Callers.EndInOutage(now, attemptFailed: true);
        return Planner.RetryDelay(now);
    }

    /// <summary>Releases the slot of a creation that was cancelled because the pool is closed. It is not a failure.</summary>
    public void CreateCancelled(bool synchronously, long now)
    {
        using var section = EnterGate(now);
        EndCreationLocked(synchronously, now);
        _state.ReleaseSlot();
    }

    // Callers

    /// <summary>
    /// Queues a caller that found no usable item, together with the idle entry that it found too stale to use, if any.
    /// </summary>
    /// <returns>None if it waits; otherwise, why it may not.</returns>
    public WaitOutcome Enter(Waiter<ResourceEntry<T>> waiter, ResourceEntry<T>? stale, long now)
    {
        if (stale is null && TryFollow(waiter, now))
        {
            return WaitOutcome.None;
        }

        using var section = EnterGate(now);
        if (stale is not null)
        {
            Checks.BeginValidation(stale, now);
        }

        var result = Callers.TryEnqueue(waiter, now);

        // A full fence before the plan at the end of the section sweeps the cells: see TryPutHot.
        UpdateSlowPathReasonsLocked();
        return result;
    }

    /// <summary>Queues a caller behind others, if no work can follow from that.</summary>
    // As in TryServeHead, there is nothing to plan. The slow path is already set, and the cells have been swept since.
    private bool TryFollow(Waiter<ResourceEntry<T>> waiter, long now)
    {
        if (!MayNeedNoPlan)
        {
            return false;
        }

        // Read now: once queued, the waiter may be served, and then reused for another caller.
        var deadline = waiter.Deadline;
        using (_gate.Enter())
        {
            if (!NeedsNoPlanLocked() || !Callers.TryFollow(waiter, now))
            {
                return false;
            }

            AssertInvariantsLocked();
        }

        Runner.Schedule(deadline, now);
        return true;
    }

    /// <summary>Removes a waiter whose outcome its caller has decided: it cancelled, or its timeout elapsed.</summary>
    /// <param name="waiter">The waiter.</param>
    /// <param name="now">The time.</param>
    /// <param name="wakes">Whether it must be woken, because the decision was not made by the waiting thread.</param>
    public void Withdraw(Waiter<ResourceEntry<T>> waiter, long now, bool wakes = false)
    {
        using var section = EnterGate(now);
        _state.Queue.Dequeue(waiter, now);
        if (wakes)
        {
            _state.Actions.Woken.Add(waiter);
        }
    }

    /// <summary>The entry that a waiter was given, even while the deciding thread is still writing it.</summary>
    public ResourceEntry<T> EntryOf(Waiter<ResourceEntry<T>> waiter)
    {
        // The outcome is decided, and the entry written, in one section under the gate.
        using (_gate.Enter())
        {
            return waiter.Grant!;
        }
    }

    /// <summary>
    /// Ends waits for which an outage has lasted too long: for a blocked caller, because a timer may not be able to.
    /// </summary>
    // Without the gate, because the next call sees an outage that begins now.
    public void EndInOutage(long now)
    {
        if (Planner.InOutage)
        {
            using var section = EnterGate(now);
        }
    }

    /// <summary>Starts the work that a slot released in a shared capacity allows.</summary>
    public void Plan(long now)
    {
        using var section = EnterGate(now);
        _state.Actions.AnswersOffer = true;
    }

    // The end of a section

    /// <summary>
    /// Enters the gate. Disposing the result settles the state, leaves the gate, and starts the planned work.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public GatedSection EnterGate(long now) => new(this, _gate.Enter(), now);

    /// <summary>Changes the settings, also for readers outside the gate.</summary>
    public void SetSettingsLocked(ResourceSettings settings)
    {
        _state.Settings = settings;
        Volatile.Write(ref _settings, settings);
    }

    /// <summary>Updates the reasons for the slow path after a change of the state, before the section relies on them.</summary>
    public void UpdateSlowPathReasonsLocked()
    {
        var slowPath = (int)_state.SlowPathReasons;
        if (_slowPath != slowPath)
        {
            // A full fence, so that what follows under the gate sees every entry whose returner did not see the slow path.
            Interlocked.Exchange(ref _slowPath, slowPath);
        }
    }

    [Conditional("DEBUG")]
    public void AssertInvariantsLocked()
    {
        _state.AssertInvariants();
        Debug.Assert(_slowPath == (int)_state.SlowPathReasons, "The slow-path reasons are out of date.");
    }

    /// <summary>Hands an available entry to the head of the queue, makes it idle, or destroys it.</summary>
    /// <param name="entry">The entry.</param>
    /// <param name="isNew">Whether it was created for waiting callers.</param>
    /// <param name="isStale">Whether it must be validated before a caller gets it, as for an entry that is idle while callers
    /// wait.</param>
    /// <param name="now">The time.</param>
    private void OfferLocked(ResourceEntry<T> entry, bool isNew, bool isStale, long now)
    {
        var state = _state;
        if (state.Lifecycle == Lifecycle.Closed)
        {
            state.Destroy(entry, DestroyReason.PoolDisposed);
        }
        else if (state.HasSurplus)
        {
            state.Destroy(entry, DestroyReason.Surplus);
        }
        else if (now >= entry.ExpiresAt)
        {
            state.Destroy(entry, entry.ExpiryReason);
        }
        else if (state.Host.IsBrokenByParent(entry))
        {
            state.Destroy(entry, DestroyReason.ParentInactive);
        }
        else if (!isNew && !state.IsSuspended && state.Queue.Head is { } head && state.ShouldYield(head.EnqueuedAt))
        {
            // A new entry is not given up before the caller for which its slot was granted had its turn.
            state.Destroy(entry, DestroyReason.Evicted);
        }
        else if (state.IsSuspended || isStale || !Callers.TryServe(entry, isNew, now))
        {
            // Checked once it is certain that no caller here takes it: those that were still in the queue may have left.
            if (state.ShouldYield(PoolClock.Never))
            {
                state.Destroy(entry, DestroyReason.Evicted);
            }
            else
            {
                _idle.Add(entry);
            }
        }
    }

    /// <summary>Whether callers wait and nothing else keeps rents and returns from the fast path, as read there.</summary>
    private static bool CallersOnlyWait(int slowPath) => (slowPath & ~(int)SlowPathReasons.Fifo) == (int)SlowPathReasons.Waiting;

    /// <summary>
    /// Whether a plan would start nothing, whether one caller less waits or one more; given <see cref="MayNeedNoPlan"/>.
    /// </summary>
    private bool NeedsNoPlanLocked() => CallersOnlyWait(_slowPath) && !_state.HasPostponed && Planner.IsFull;

    private void EndCreationLocked(bool synchronously, long now)
    {
        _state.Counts.EndCreation(synchronously);
        Callers.OnCreationEnded(now);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void OfferHot(ResourceEntry<T>? displaced, long now)
    {
        if ((Volatile.Read(ref _slowPath) != 0 || _sharedCapacity is { IsMissing: true })
            && _idle.TryTakeHot() is { } back)
        {
            Offer(back, now);
        }

        if (displaced is not null && !TryAddIdle(displaced, now))
        {
            Offer(displaced, now);
        }
    }

    /// <summary>Moves an idle entry that was displaced from a cell to the list, if nothing else can follow from it.</summary>
    /// <returns>False if it must be offered.</returns>
    // An offer ends with a plan, which is not needed here: without a reason for the slow path no caller waits, the pool is open
    // and has no surplus, and one more idle entry never calls for more work. Whether a shared capacity lacks a slot is read under
    // the gate: that is set before a thread enters this gate to look for idle entries.
    private bool TryAddIdle(ResourceEntry<T> entry, long now)
    {
        using (_gate.Enter())
        {
            // Exact under the gate. The offer handles an entry that has expired or has been marked stale or broken by its
            // parent while it was in its cell.
            if (_slowPath != 0 || _state.HasPostponed || now >= entry.ExpiresAt || _state.Host.IsBrokenByParent(entry)
                || _sharedCapacity is { IsMissing: true } or { Want: not CapacityWant.None })
            {
                return false;
            }

            _state.Queue.RestartDelays(now);
            _idle.Add(entry);
            AssertInvariantsLocked();
            return true;
        }
    }

    /// <summary>Plans the work that is needed now.</summary>
    /// <returns>The actions to start after the gate has been left.</returns>
    private DeferredActions<T> SettleLocked(long now)
    {
        Callers.EndInOutage(now);
        Destruction.DestroyIfDrained();
        Planner.Plan(now);
        UpdateSlowPathReasonsLocked();
        AssertInvariantsLocked();
        ref var actions = ref _state.Actions;
        actions.Now = now;
        actions.IsClosing = _state.Lifecycle != Lifecycle.Open;
        return _state.TakeActions();
    }

    /// <summary>A section under the gate that changes the state: <c>using var section = EnterGate(now);</c>.</summary>
    // The end of every such section, in this order: plan the work that is needed now, assert the invariants, leave the gate,
    // start the planned work. Also when the section throws: it throws only before it has changed anything, and then there is
    // nothing to plan. Sections after which a plan would start nothing do without one (docs/design/adr-0008).
    public readonly ref struct GatedSection
    {
        private readonly ResourceCore<T> _core;
        private readonly Gate.Scope _held;
        private readonly long _now;

        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public GatedSection(ResourceCore<T> core, Gate.Scope held, long now)
        {
            _core = core;
            _held = held;
            _now = now;
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        public void Dispose()
        {
            DeferredActions<T> actions;
            using (_held)
            {
                actions = _core.SettleLocked(_now);
            }

            _core.Runner.Apply(ref actions);
        }
    }
}
