using System.Diagnostics;
using System.Runtime.CompilerServices;

namespace Poolhouse.Resources;

/// <summary>The concurrent heart of a resource pool: who holds which place, who waits, and what must be begun.</summary>
// It runs nobody's code, reads no clock and starts nothing: times come in as arguments, and what is to be done goes out through
// IResourceWork once the gate is open. So the same source runs under the explorer and in the simulation (test/Poolhouse.Explorer).
// Invariants, checked by AssertInvariants after every step under the gate
//   live = idle + leased + creating + validating + resetting + destroying, and only Resize makes the bound smaller than live (I2, I3)
//   nobody waits beside an idle entry, unless the pool is suspended (I5)
//   the detour says "waiting" exactly while the queue is not empty, so the cells are not used then (I4)
// How a waiter gets an entry
//   only here, from someone who offers it: a return, a creation, a validation, a reset. The offer takes the head of the queue, and one
//   CAS decides between it, a cancellation and a timeout. If the offer loses, it goes on to the next (I6).
// Locks: the gate; inside it the gate of a shared place budget, never the other way round.
internal sealed partial class ResourceCore<T>
    where T : notnull
{
    private readonly Lock _gate = new();
    private readonly IResourceWork<T> _work;
    private readonly IPlaceBudget? _budget;
    private readonly IdleStore<T> _idle;
    private readonly WaiterQueue<T> _queue = new();
    private readonly CreationThrottle _throttle;
    private readonly ResourceCounters _counters = new();
    private readonly List<ResourceEntry<T>> _entries = [];
    private readonly Random _random;
    private ResourceSettings _settings;
    private DelayController? _delays;
    private int _detour;
    private Lifecycle _lifecycle;
    private bool _suspended;
    private bool _refill;
    private int _warmTarget;
    private int _generation;
    private int _live;
    private int _creating;
    private int _creatingSynchronously;
    private int _validating;
    private int _resetting;
    private int _destroying;

    public ResourceCore(IResourceWork<T> work, ResourceSettings settings, DelayController? delays, int cells, IPlaceBudget? budget = null)
    {
        _work = work;
        _settings = settings;
        _delays = delays;
        _budget = budget;
        _random = settings.Options.Random;
        _throttle = new CreationThrottle(_random);
        _idle = new IdleStore<T>(settings.Options.IdleOrder, cells);
        _refill = settings.MinIdle > 0;
        UpdateDetour();
    }

    private enum Lifecycle
    {
        Open,

        /// <summary>Those who wait are still served; nobody new is.</summary>
        Draining,
        Closed,
    }

    public ResourceSettings Settings => Volatile.Read(ref _settings);

    public bool IsOpen => (Volatile.Read(ref _detour) & (int)Detour.Closing) == 0;

    /// <summary>Supplies on their way: each will be offered to the head of the queue, or its failure makes room for another.</summary>
    private int Supplies => _creating + _validating + _resetting;

    /// <summary>Takes the idle entry of this thread's cell, unless there is a reason to go through the gate.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public ResourceEntry<T>? TryTakeHot() => Volatile.Read(ref _detour) == 0 ? _idle.TryTakeHot() : null;

    /// <summary>Makes an entry idle in this thread's cell, or says false: then it must be offered.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool TryPutHot(ResourceEntry<T> entry, long now)
    {
        if (Volatile.Read(ref _detour) != 0)
        {
            return false;
        }

        // The exchange is a full fence: a renter that queues itself from here on either finds the entry when it sweeps the cells, or
        // its detour is seen below (I5).
        var displaced = _idle.PutHot(entry);
        if (displaced is not null || Volatile.Read(ref _detour) != 0)
        {
            SettleHot(displaced, now);
        }

        return true;
    }

    /// <summary>Takes an idle entry if nobody waits for one.</summary>
    public ResourceEntry<T>? TryTakeIdle()
    {
        if ((Volatile.Read(ref _detour) & (int)Detour.Waiting) != 0)
        {
            return null;
        }

        lock (_gate)
        {
            return _queue.Count == 0 && !_suspended && _lifecycle == Lifecycle.Open ? _idle.TryTake() : null;
        }
    }

    /// <summary>Queues a caller that found nothing, together with the idle entry that it found too stale to use, if any.</summary>
    public Admission Enter(Waiter<T> waiter, ResourceEntry<T>? stale, long now)
    {
        var effects = Effects<T>.None;
        Admission admission;
        lock (_gate)
        {
            if (stale is not null)
            {
                BeginValidation(stale, ref effects);
            }

            admission = Admit(now);
            if (admission == Admission.Queued)
            {
                waiter.EnqueuedAt = now;
                if (_queue.Count == 0)
                {
                    _delays?.Began(now);
                }

                _queue.Add(waiter);
                effects.LookNoLaterThan(waiter.Deadline);
                if (_delays is not null)
                {
                    effects.LookNoLaterThan(_delays.NextLook(_queue.Head!.EnqueuedAt));
                }

                // A full fence before the plan below sweeps the cells: see TryPutHot.
                UpdateDetour();
            }
            else if (admission == Admission.Overloaded)
            {
                _counters.Shed++;
            }

            Plan(now, ref effects);
            AssertInvariants();
        }

        Apply(ref effects);
        return admission;
    }

    /// <summary>Takes a waiter out whose outcome its caller has decided: it cancelled, or its time was up.</summary>
    public void Withdraw(Waiter<T> waiter, long now)
    {
        var effects = Effects<T>.None;
        lock (_gate)
        {
            Dequeue(waiter, now);
            RetireIdleIfDrained(ref effects);
            AssertInvariants();
        }

        Apply(ref effects);
    }

    /// <summary>An entry is ready for its next user: returned, validated, or reset.</summary>
    public void Offer(ResourceEntry<T> entry, long now)
    {
        var effects = Effects<T>.None;
        lock (_gate)
        {
            SetActivity(entry, EntryActivity.None);
            Place(entry, now, mayYield: true, ref effects);
            Plan(now, ref effects);
            AssertInvariants();
        }

        Apply(ref effects);
    }

    /// <summary>An entry came back and must be reset before it is offered: its place is held.</summary>
    public void BeginReset(ResourceEntry<T> entry)
    {
        lock (_gate)
        {
            SetActivity(entry, EntryActivity.Resetting);
        }
    }

    /// <summary>An entry will not be used again. Its place is free when <see cref="Destroyed"/> is called.</summary>
    public void Retire(ResourceEntry<T> entry, DestroyReason reason, long now)
    {
        var effects = Effects<T>.None;
        lock (_gate)
        {
            Retire(entry, reason, ref effects);
            Plan(now, ref effects);
            AssertInvariants();
        }

        Apply(ref effects);
    }

    /// <summary>An entry's item is gone, or its destruction was given up: either way its place is free.</summary>
    public void Destroyed(ResourceEntry<T> entry, long now)
    {
        var effects = Effects<T>.None;
        lock (_gate)
        {
            SetActivity(entry, EntryActivity.None);
            Unregister(entry, ref effects);
            effects.PlacesYielded += entry.ExpiryReason == DestroyReason.Evicted ? 1 : 0;
            _refill |= _settings.MinIdle > 0;
            Plan(now, ref effects);
            AssertInvariants();
        }

        entry.Forget();
        Apply(ref effects);
    }

    /// <summary>A caller keeps the item: its place is free.</summary>
    public void Detach(ResourceEntry<T> entry, long now)
    {
        var effects = Effects<T>.None;
        lock (_gate)
        {
            Unregister(entry, ref effects);
            _counters.Detached++;
            _refill |= _settings.MinIdle > 0;
            Plan(now, ref effects);
            AssertInvariants();
        }

        entry.Forget();
        Apply(ref effects);
    }

    /// <summary>A creation that was begun here has succeeded.</summary>
    public void Created(ResourceEntry<T> entry, bool synchronously, long ticks, long now)
    {
        var effects = Effects<T>.None;
        lock (_gate)
        {
            EndCreation(synchronously);
            entry.Index = _entries.Count;
            _entries.Add(entry);
            _counters.Created++;
            _counters.CreateTicks += ticks;
            if (entry.Generation == _generation)
            {
                // The place was given for a caller that waits; it is not given away again before that caller had its turn.
                Place(entry, now, mayYield: _queue.Count == 0, ref effects);
            }
            else
            {
                // Cleared while it was being made: it may have been made from what was cleared.
                Retire(entry, DestroyReason.Cleared, ref effects);
            }

            _throttle.Succeeded(moreWanted: Wanted(now) > 0, _settings.MaxConcurrentCreates);
            effects.LookNoLaterThan(NextLook(entry, now));
            Plan(now, ref effects);
            AssertInvariants();
        }

        Apply(ref effects);
    }

    /// <summary>A creation that was begun here has failed or was given up.</summary>
    /// <returns>The delay until the next attempt.</returns>
    public long CreateFailed(Exception failure, bool synchronously, long now)
    {
        var effects = Effects<T>.None;
        long pause;
        lock (_gate)
        {
            EndCreation(synchronously);
            _live--;
            effects.PlacesFreed++;
            _counters.CreateFailures++;
            pause = _throttle.Failed(failure, now, _settings.RetryDelay, _settings.MaxRetryDelay);
            if (_settings.FailsFast)
            {
                FailWaiters(failure, now, ref effects);
            }

            Plan(now, ref effects);
            RetireIdleIfDrained(ref effects);
            AssertInvariants();
        }

        Apply(ref effects);
        return pause;
    }

    private Admission Admit(long now)
    {
        if (_lifecycle != Lifecycle.Open)
        {
            return Admission.Closed;
        }

        if (_settings.FailsFast && !_suspended && _throttle.InOutage && now < _throttle.RetryAt && Supplies == 0)
        {
            return Admission.Unavailable;
        }

        var coming = (long)Supplies + Math.Max(0, _settings.MaxSize - _live);
        if (_queue.Count < _settings.MaxWaiters + coming)
        {
            return Admission.Queued;
        }

        // Something may have come back since this caller looked.
        return !_suspended && _queue.Count < _settings.MaxWaiters + coming + _idle.Count ? Admission.Queued : Admission.Overloaded;
    }

    /// <summary>Gives an entry that nobody holds to the head of the queue, to the idle ones, or up.</summary>
    private void Place(ResourceEntry<T> entry, long now, bool mayYield, ref Effects<T> effects)
    {
        if (_lifecycle == Lifecycle.Closed)
        {
            Retire(entry, DestroyReason.PoolDisposed, ref effects);
        }
        else if (_live - _destroying > _settings.MaxSize)
        {
            Retire(entry, DestroyReason.Surplus, ref effects);
        }
        else if (now >= entry.ExpiresAt)
        {
            Retire(entry, entry.ExpiryReason, ref effects);
        }
        else if (mayYield && _lifecycle == Lifecycle.Open && _budget?.ShouldYield(_queue.Head?.EnqueuedAt ?? PoolClock.Never) == true)
        {
            Retire(entry, DestroyReason.Evicted, ref effects);
        }
        else
        {
            if (_suspended || !TryServe(entry, now, ref effects))
            {
                _idle.Add(entry);
            }

            // Also if it was served: others may have become idle beside the last one that waited.
            RetireIdleIfDrained(ref effects);
        }
    }

    private bool TryServe(ResourceEntry<T> entry, long now, ref Effects<T> effects)
    {
        while (_queue.Head is { } waiter)
        {
            var shed = _delays is not null && _delays.ShouldShed(now - waiter.EnqueuedAt, now);
            var outcome = shed ? WaitOutcome.Shed : WaitOutcome.Given;

            // The one CAS. Lost: the caller cancelled or ran out of time, and will withdraw or has; the entry goes to the next (I6).
            if (!waiter.TryDecide(outcome))
            {
                Unqueue(waiter);
                continue;
            }

            Dequeue(waiter, now);
            effects.Wake(waiter);
            if (!shed)
            {
                waiter.Entry = entry;
                entry.BeginUse(now);
                entry.Trace = waiter.Trace;
                return true;
            }
        }

        return false;
    }

    /// <summary>Begins what the callers that wait, the minimum and a warm-up need, and not more.</summary>
    private void Plan(long now, ref Effects<T> effects)
    {
        RetireIdleIfDrained(ref effects);
        if (_lifecycle == Lifecycle.Closed)
        {
            return;
        }

        // Entries that became idle while somebody was on the way into the queue, or while the pool was suspended; they are checked in the
        // background. Creations and resets under way are no reason to let them lie: those may take long, and may fail (I5).
        while (!_suspended && _queue.Count > _validating && _idle.TryTake() is { } entry)
        {
            BeginValidation(entry, ref effects);
        }

        // Without a free place, what is wanted can wait for one: its release plans again.
        var wanted = _live < _settings.MaxSize ? Wanted(now) : 0;
        if (wanted <= 0)
        {
            return;
        }

        var allowance = _throttle.Allowance(now, _live - _creating - _destroying > 0, _settings.MaxConcurrentCreates);
        var room = Math.Min(Math.Min(wanted, _settings.MaxSize - _live), allowance - _creating);
        for (; room > 0; room--)
        {
            var forCaller = !_suspended && _queue.Count > Supplies;
            if (_budget is not null && !_budget.TryTake(now, forCaller))
            {
                effects.PlaceMissing = forCaller;
                break;
            }

            BeginCreation(ref effects);
        }

        // Once the prober is under way its end plans again; a look at a time that has passed would come back at once, for ever.
        if (_throttle.InOutage && _throttle.RetryAt > now)
        {
            effects.LookNoLaterThan(_throttle.RetryAt);
        }
    }

    /// <summary>How many more creations there is a use for, beyond those under way.</summary>
    private int Wanted(long now)
    {
        var waiting = _suspended ? 0 : _queue.Count;
        var wanted = waiting - Supplies;
        if (_lifecycle != Lifecycle.Open)
        {
            return wanted;
        }

        wanted = Math.Max(wanted, _warmTarget - (_live - _destroying));
        if (_refill)
        {
            var missing = _settings.MinIdle - (_idle.Count - CountExpiringSoon(now)) - Supplies + waiting;
            _refill = missing > 0;
            wanted = Math.Max(wanted, missing);
        }

        return wanted;
    }

    private void BeginCreation(ref Effects<T> effects)
    {
        _live++;
        _creating++;
        _counters.PeakLive = Math.Max(_counters.PeakLive, _live);
        if (_settings.CreatesSynchronously && _queue.SynchronousCount > _creatingSynchronously)
        {
            _creatingSynchronously++;
            effects.SynchronousCreations++;
        }
        else
        {
            effects.Creations++;
        }
    }

    private void EndCreation(bool synchronously)
    {
        _creating--;
        _creatingSynchronously -= synchronously ? 1 : 0;
    }

    private void BeginValidation(ResourceEntry<T> entry, ref Effects<T> effects)
    {
        SetActivity(entry, EntryActivity.Validating);
        effects.Begin(entry);
    }

    private void Retire(ResourceEntry<T> entry, DestroyReason reason, ref Effects<T> effects)
    {
        SetActivity(entry, EntryActivity.Destroying);
        entry.ExpiryReason = reason;
        _counters.Destroyed[(int)reason]++;
        effects.Begin(entry);
    }

    private void Unregister(ResourceEntry<T> entry, ref Effects<T> effects)
    {
        _counters.Uses += entry.Uses;
        _counters.UseTicks += entry.UseTicks;
        var last = _entries[^1];
        _entries[entry.Index] = last;
        last.Index = entry.Index;
        _entries.RemoveAt(_entries.Count - 1);
        _live--;
        effects.PlacesFreed++;
        UpdateDetour();
    }

    /// <summary>The oldest caller hears of a failure itself; the others only if nothing can come back that would serve them.</summary>
    private void FailWaiters(Exception? failure, long now, ref Effects<T> effects)
    {
        while (_queue.Head is { } waiter)
        {
            if (waiter.TryDecide(WaitOutcome.Failed))
            {
                waiter.Failure = failure;
                Dequeue(waiter, now);
                effects.Wake(waiter);
                failure = null;
                if (_live - _destroying > 0)
                {
                    return;
                }
            }
            else
            {
                Unqueue(waiter);
            }
        }
    }

    /// <summary>Takes out a decided waiter and counts its outcome: once, by the one who decided.</summary>
    private void Dequeue(Waiter<T> waiter, long now)
    {
        _counters.CountOutcome(waiter.Outcome, now - waiter.EnqueuedAt);
        Unqueue(waiter);
        if (_queue.Count == 0)
        {
            _delays?.Emptied(now);
        }
    }

    private void Unqueue(Waiter<T> waiter)
    {
        if (waiter.IsQueued)
        {
            _queue.Remove(waiter);
            if (_queue.Count == 0)
            {
                UpdateDetour();
            }
        }
    }

    private void SetActivity(ResourceEntry<T> entry, EntryActivity activity)
    {
        if (entry.Activity == activity)
        {
            return;
        }

        Count(entry.Activity, -1);
        entry.Activity = activity;
        Count(activity, 1);
        UpdateDetour();
    }

    private void Count(EntryActivity activity, int change)
    {
        _validating += activity is EntryActivity.Validating or EntryActivity.KeepingAlive ? change : 0;
        _resetting += activity == EntryActivity.Resetting ? change : 0;
        _destroying += activity == EntryActivity.Destroying ? change : 0;
    }

    private void UpdateDetour()
    {
        var detour =
            (_queue.Count > 0 ? Detour.Waiting : Detour.None) |
            (_suspended ? Detour.Suspended : Detour.None) |
            (_lifecycle != Lifecycle.Open ? Detour.Closing : Detour.None) |
            (_live - _destroying > _settings.MaxSize ? Detour.Surplus : Detour.None) |
            (_settings.Options.IdleOrder == IdleOrder.Fifo ? Detour.Fifo : Detour.None) |
            (_budget is not null ? Detour.Shared : Detour.None);
        if (_detour != (int)detour)
        {
            // A full fence, so that what follows under the gate sees every entry whose returner did not see the detour.
            Interlocked.Exchange(ref _detour, (int)detour);
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void SettleHot(ResourceEntry<T>? displaced, long now)
    {
        if (Volatile.Read(ref _detour) != 0 && _idle.TryTakeHot() is { } back)
        {
            Offer(back, now);
        }

        if (displaced is not null)
        {
            Offer(displaced, now);
        }
    }

    private void Apply(ref Effects<T> effects)
    {
        for (var waiter = effects.FirstWoken; waiter is not null;)
        {
            var next = waiter.NextInBatch;
            waiter.NextInBatch = null;
            waiter.Wake();
            waiter = next;
        }

        for (var entry = effects.FirstEntry; entry is not null;)
        {
            var next = entry.NextInBatch;
            entry.NextInBatch = null;
            if (entry.Activity == EntryActivity.Destroying)
            {
                _work.BeginDestroy(entry, entry.ExpiryReason);
            }
            else
            {
                _work.BeginCheck(entry, keepAlive: entry.Activity == EntryActivity.KeepingAlive);
            }

            entry = next;
        }

        for (; effects.SynchronousCreations > 0; effects.SynchronousCreations--)
        {
            _work.BeginCreate(synchronously: true);
        }

        for (; effects.Creations > 0; effects.Creations--)
        {
            _work.BeginCreate(synchronously: false);
        }

        if (effects.LookAt != PoolClock.Never)
        {
            _work.LookAt(effects.LookAt);
        }

        if (_budget is not null && effects.PlacesFreed > 0)
        {
            _budget.Release(effects.PlacesFreed, effects.PlacesYielded);
        }

        if (_budget is not null && effects.PlaceMissing)
        {
            _budget.Press();
        }

        if (!IsOpen)
        {
            _work.Closing();
        }
    }

    [Conditional("DEBUG")]
    private void AssertInvariants()
    {
        Debug.Assert(_live >= _creating + _validating + _resetting + _destroying, "More is under way than is alive.");
        Debug.Assert(_live == _entries.Count + _creating, "An entry is lost.");
        Debug.Assert(_creating >= 0 && _validating >= 0 && _resetting >= 0 && _destroying >= 0, "A count is negative.");
        Debug.Assert((_queue.Count > 0) == ((_detour & (int)Detour.Waiting) != 0), "The detour does not tell of the queue.");
    }
}
