using System.Diagnostics;
using System.Runtime.CompilerServices;
using Poolhouse.Kernel.Threading;
using Poolhouse.Kernel.Time;
using Poolhouse.Resources.Engine.Capacity;
using Poolhouse.Resources.Engine.PolicyCalls;
using Poolhouse.Resources.Engine.Waiting;

namespace Poolhouse.Resources.Engine;

/// <summary>The concurrent core of a resource pool: tracks slots and waiters, and decides which work to start.</summary>
// It runs no external code, reads no clock and starts nothing: times are passed as arguments, and pending work is handed out through
// IEngineHost after the gate was left. So the same source runs under the explorer (test/verification/Poolhouse.Explorer) and in the simulation
// (test/verification/Poolhouse.Simulation), which check all of the following; AssertInvariants checks what is visible under the gate alone.
// Invariants
//   live = idle + leased + creating + validating + resetting + destroying, and only Resize makes the capacity smaller than live (I2, I3)
//   no caller waits while an entry is idle, unless the pool is suspended (I5)
//   the slow path contains "waiting" exactly while the queue is not empty, so the cells are not used then (I4)
//   the pool wants shared capacity for a caller only while more callers wait than items are on their way
//   a section under the gate allocates nothing, unless it has changed nothing yet: a half-completed section cannot be rolled back
// How a waiter gets an entry
//   only here, from an operation that offers it: a return, a creation, a validation, a reset. The offer takes the head of the queue, and one
//   CAS decides between it, a cancellation and a timeout. If the offer loses, it moves on to the next waiter (I6).
// Locks: the gate; inside it the gate of a shared capacity, never the other way round.
internal sealed partial class ResourceCore<T>
    where T : notnull
{
    private readonly Gate _gate = new();
    private readonly IEngineHost<T> _work;
    private readonly ISharedCapacity? _budget;
    private readonly IdleStore<T> _idle;
    private readonly WaiterQueue<T> _queue = new();
    private readonly CreationThrottle _throttle;
    private readonly ResourceCounters _counters = new();
    private readonly List<ResourceEntry<T>> _entries = [];
    private readonly Random _random;
    private ResourceSettings _settings;
    private CoDelController? _delays;
    private int _slowPath;
    private Lifecycle _lifecycle;
    private bool _suspended;

    // In the pool of a shared pool's items: how many callers wait for the items that the waiters here rent on their behalf; null where the waiters
    // are the callers themselves.
    private int? _callersBehind;
    private bool _refill;
    private int _warmTarget;
    private int _generation;

    // The time by which everything older than the generation has expired.
    private long _clearedBy = PoolClock.Past;
    private int _live;
    private int _creating;
    private int _creatingSynchronously;
    private int _validating;
    private int _keepingAlive;
    private int _resetting;
    private int _destroying;

    // How many of the validations and resets are overdue.
    private int _overdueValidations;
    private int _overdueResets;

    public ResourceCore(IEngineHost<T> work, ResourceSettings settings, CoDelController? delays, int cells, ISharedCapacity? budget = null)
    {
        _work = work;
        _settings = settings;
        _delays = delays;
        _budget = budget;
        _random = settings.Options.Random;
        _throttle = new CreationThrottle(_random);
        _idle = new IdleStore<T>(settings.Options.IdleOrder, cells);
        _refill = settings.MinIdle > 0;
        UpdateSlowPathReasons();
    }

    private enum Lifecycle
    {
        Open,

        /// <summary>Waiting callers are still served; new ones are rejected.</summary>
        Draining,
        Closed,
    }

    public ResourceSettings Settings => Volatile.Read(ref _settings);

    public bool IsOpen => (Volatile.Read(ref _slowPath) & (int)SlowPathReasons.Closing) == 0;

    /// <summary>
    /// The items on their way for the waiting callers: each will be offered to the head of the queue, or its failure plans again. Checks
    /// that are overdue may hang: callers no longer rely on them.
    /// </summary>
    private int Supplies => _creating + _validating + _resetting - Overdue;

    /// <summary>
    /// All operations that will offer an item when they complete. Callers do not rely on upkeep, which begins when no caller waits and may take
    /// long: they get creations and idle items of their own in addition.
    /// </summary>
    private int SuppliesWithUpkeep => Supplies + _keepingAlive;

    /// <summary>The number of overdue validations and resets. Under the gate, or where nothing else runs.</summary>
    internal int Overdue => _overdueValidations + _overdueResets;

    /// <summary>The number of items being kept alive now. Under the gate, or where nothing else runs.</summary>
    internal int KeepingAlive => _keepingAlive;

    /// <summary>Takes the idle entry of this thread's cell, unless there is a reason to go through the gate.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public ResourceEntry<T>? TryTakeHot() => Volatile.Read(ref _slowPath) == 0 ? _idle.TryTakeHot() : null;

    /// <summary>Makes an entry idle in this thread's cell, or returns false: then it must be offered.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool TryPutHot(ResourceEntry<T> entry, long now)
    {
        if (Volatile.Read(ref _slowPath) != 0)
        {
            return false;
        }

        // The exchange is a full fence: a renter that queues itself from here on either finds the entry when it sweeps the cells, or
        // its slow path is seen below (I5).
        var displaced = _idle.PutHot(entry);
        if (displaced is not null || Volatile.Read(ref _slowPath) != 0)
        {
            SettleHot(displaced, now);
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
            return _queue.Count == 0 && !_suspended && _lifecycle == Lifecycle.Open ? _idle.TryTake() : null;
        }
    }

    /// <summary>Offers an entry that is ready for its next user: returned, validated, or reset.</summary>
    public void Offer(ResourceEntry<T> entry, long now)
    {
        var actions = DeferredActions<T>.None;
        using (_gate.Enter())
        {
            OnKeepAliveEnded(entry, now, ref actions);
            var doubtful = EndDoubt(entry);
            SetState(entry, EntryState.None);
            Dispatch(entry, isNew: false, doubtful, now, ref actions);
            Settle(now, ref actions);
        }

        Apply(ref actions);
    }

    /// <summary>Starts the reset of a returned entry before it is offered; the entry still occupies its slot.</summary>
    public void BeginReset(ResourceEntry<T> entry, long now)
    {
        var actions = DeferredActions<T>.None;
        using (_gate.Enter())
        {
            SetState(entry, EntryState.Resetting);
            RelyOn(entry, now, ref actions);
            Settle(now, ref actions);
        }

        Apply(ref actions);
    }

    /// <summary>Retires an entry that will not be used again. Its slot is released when <see cref="Destroyed"/> is called.</summary>
    public void Retire(ResourceEntry<T> entry, DestroyReason reason, long now)
    {
        var actions = DeferredActions<T>.None;
        using (_gate.Enter())
        {
            OnKeepAliveEnded(entry, now, ref actions);
            var activity = entry.State;
            Retire(entry, reason, ref actions);
            FailDependentWaiters(activity, now, ref actions);
            Settle(now, ref actions);
        }

        Apply(ref actions);
    }

    /// <summary>An entry's item is gone, or its destruction was abandoned: releases its slot in either case.</summary>
    public void Destroyed(ResourceEntry<T> entry, long now)
    {
        var actions = DeferredActions<T>.None;
        using (_gate.Enter())
        {
            SetState(entry, EntryState.None);
            Unregister(entry, ref actions);
            actions.CapacityYielded += entry.ExpiryReason == DestroyReason.Evicted ? 1 : 0;
            _refill |= _settings.MinIdle > 0;
            Settle(now, ref actions);
        }

        entry.Forget();
        Apply(ref actions);
    }

    /// <summary>Releases the slot of an item that a caller keeps.</summary>
    public void Detach(ResourceEntry<T> entry, long now)
    {
        var actions = DeferredActions<T>.None;
        using (_gate.Enter())
        {
            Unregister(entry, ref actions);
            _counters.Detached++;
            _refill |= _settings.MinIdle > 0;
            Settle(now, ref actions);
        }

        entry.Forget();
        Apply(ref actions);
    }

    /// <summary>Hands an available entry to the head of the queue, makes it idle, or retires it.</summary>
    /// <param name="entry">The entry.</param>
    /// <param name="isNew">Whether it was created for waiting callers.</param>
    /// <param name="doubtful">Whether it must be validated before a caller gets it, as for an entry that is idle while callers wait.</param>
    /// <param name="now">The time.</param>
    /// <param name="actions">The work to do after the gate was left.</param>
    private void Dispatch(ResourceEntry<T> entry, bool isNew, bool doubtful, long now, ref DeferredActions<T> actions)
    {
        if (_lifecycle == Lifecycle.Closed)
        {
            Retire(entry, DestroyReason.PoolDisposed, ref actions);
        }
        else if (_live - _destroying > _settings.MaxSize)
        {
            Retire(entry, DestroyReason.Surplus, ref actions);
        }
        else if (now >= entry.ExpiresAt)
        {
            Retire(entry, entry.ExpiryReason, ref actions);
        }
        else if (_work.IsRevoked(entry))
        {
            Retire(entry, DestroyReason.ParentRetired, ref actions);
        }
        else if (!isNew && !_suspended && _queue.Head is { } head && ShouldYield(head.EnqueuedAt))
        {
            // A new entry is not given up before the caller for which its slot was granted had its turn.
            Retire(entry, DestroyReason.Evicted, ref actions);
        }
        else if (_suspended || doubtful || !TryServe(entry, isNew, now, ref actions))
        {
            // Checked once it is certain that no caller here takes it: those that were still in the queue may have left.
            if (ShouldYield(PoolClock.Never))
            {
                Retire(entry, DestroyReason.Evicted, ref actions);
            }
            else
            {
                _idle.Add(entry);
            }
        }
    }

    /// <summary>Ends the doubt about an entry that is about to become idle or to be given to a caller.</summary>
    /// <returns>Whether it has not been validated since.</returns>
    private static bool EndDoubt(ResourceEntry<T> entry)
    {
        if (!entry.IsDoubted)
        {
            return false;
        }

        entry.EndDoubt();
        if (entry.State is EntryState.Validating or EntryState.KeepingAlive)
        {
            return false;
        }

        entry.FreshSince = PoolClock.Past;
        return true;
    }

    private bool ShouldYield(long oldestWait) => _lifecycle == Lifecycle.Open && _budget?.ShouldYield(oldestWait) == true;

    private void Retire(ResourceEntry<T> entry, DestroyReason reason, ref DeferredActions<T> actions)
    {
        SetState(entry, EntryState.Destroying);
        entry.ExpiryReason = reason;
        _counters.Destroyed[(int)reason]++;
        actions.Begin(entry);
    }

    private void Unregister(ResourceEntry<T> entry, ref DeferredActions<T> actions)
    {
        _counters.Uses += entry.Uses;
        _counters.UseTicks += entry.UseTicks;
        var last = _entries[^1];
        _entries[entry.Index] = last;
        last.Index = entry.Index;
        _entries.RemoveAt(_entries.Count - 1);
        _live--;
        actions.CapacityFreed++;
    }

    private void SetState(ResourceEntry<T> entry, EntryState activity)
    {
        if (entry.State == activity)
        {
            return;
        }

        Count(entry.State, -1);
        if (entry.IsOverdue)
        {
            CountOverdue(entry, -1);
        }

        entry.State = activity;
        Count(activity, 1);
    }

    private void Count(EntryState activity, int change)
    {
        _validating += activity == EntryState.Validating ? change : 0;
        _keepingAlive += activity == EntryState.KeepingAlive ? change : 0;
        _resetting += activity == EntryState.Resetting ? change : 0;
        _destroying += activity == EntryState.Destroying ? change : 0;
    }

    /// <summary>Completes every section under the gate that changes state: starts the work that is needed, and restores the invariants.</summary>
    private void Settle(long now, ref DeferredActions<T> actions)
    {
        actions.Now = now;
        TakeUpPostponed(ref actions);
        FailWaitersForNothing(now, ref actions);
        StartNeededWork(now, ref actions);
        UpdateSlowPathReasons();
        AssertInvariants();
    }

    private void UpdateSlowPathReasons()
    {
        var slowPath = (int)ComputeSlowPathReasons();
        if (_slowPath != slowPath)
        {
            // A full fence, so that what follows under the gate sees every entry whose returner did not see the slow path.
            Interlocked.Exchange(ref _slowPath, slowPath);
        }
    }

    private SlowPathReasons ComputeSlowPathReasons() =>
        (_queue.Count > 0 ? SlowPathReasons.Waiting : SlowPathReasons.None) |
        (_suspended ? SlowPathReasons.Suspended : SlowPathReasons.None) |
        (_lifecycle != Lifecycle.Open ? SlowPathReasons.Closing : SlowPathReasons.None) |
        (_live - _destroying > _settings.MaxSize ? SlowPathReasons.Surplus : SlowPathReasons.None) |
        (_settings.Options.IdleOrder == IdleOrder.Fifo ? SlowPathReasons.Fifo : SlowPathReasons.None) |
        (_budget is not null ? SlowPathReasons.Shared : SlowPathReasons.None);

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void SettleHot(ResourceEntry<T>? displaced, long now)
    {
        if (Volatile.Read(ref _slowPath) != 0 && _idle.TryTakeHot() is { } back)
        {
            Offer(back, now);
        }

        if (displaced is not null)
        {
            Offer(displaced, now);
        }
    }

    [Conditional("DEBUG")]
    private void AssertInvariants()
    {
        Debug.Assert(_live >= _creating + _validating + _keepingAlive + _resetting + _destroying, "More is under way than is alive.");
        Debug.Assert(_live == _entries.Count + _creating, "An entry is lost.");
        Debug.Assert(_overdueValidations <= _validating && _overdueResets <= _resetting, "More is overdue than is under way.");
        Debug.Assert(_creating >= 0 && _validating >= 0 && _keepingAlive >= 0 && _resetting >= 0 && _destroying >= 0, "A count is negative.");
        Debug.Assert(_callersBehind is null or >= 0, "More callers of the shared pool have left than came.");
        Debug.Assert(_slowPath == (int)ComputeSlowPathReasons(), "The slow-path reasons are out of date.");
        Debug.Assert(_budget is not { Want: CapacityWant.Caller } || (_queue.Count > Supplies && !_suspended), "Shared capacity is wanted for a caller, and none needs it.");
    }
}
