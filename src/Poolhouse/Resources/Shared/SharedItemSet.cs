using System.Diagnostics.CodeAnalysis;
using Poolhouse.Resources.Engine;
using Poolhouse.Resources.Engine.PolicyCalls;
using Poolhouse.Resources.Engine.Waiting;

namespace Poolhouse.Resources.Shared;

/// <summary>
/// The active items of a shared pool: selects the item for the next use, and decides when to add or replace items.
/// </summary>
// Invariants
//   an item is in _items from its first use until it is inactive; the list is replaced, never changed
//   at most one item is being created (_growth); items plus the one being created are at most MaxActive, except while the
//   successor of the only item, which has expired, is created
//   every lease of the engine is ended by its item, once that is inactive and unused (SharedItem)
//   a growth is in _growths until it has deactivated the items that its own replaces: a disposal waits for that
// Parts: SharedSelector selects items, SharedRoom serves the callers that wait for room in them, SharedGrowth creates an item,
// SharedProbes keeps them alive, SharedUpkeep does what is due in time.
// Locks: _gate guards the list, _growth and the callers. A leaf lock: items are deactivated, leases ended, growths begun and
// callers woken outside of it.
internal sealed class SharedItemSet<T> : IDisposable
    where T : notnull
{
    private readonly Gate _gate = new();
    private readonly ResourcePool<T> _itemPool;
    private readonly PolicyChecks<T> _checks;
    private readonly PoolClock _clock;
    private readonly string _name;
    private readonly Action? _deactivated;
    private readonly bool _callsIsBroken;
    private readonly bool _keepsAlive;
    private SharedSettings _settings;
    private SharedItem<T>[] _items = [];
    private readonly SharedProbes<T> _probes;
    private readonly List<SharedGrowth<T>> _growths = [];
    private SharedGrowth<T>? _growth;
    private SharedSelector<T> _selector;
    private bool _isClosed;
    private int _warmUps;

    /// <param name="name">The pool's name.</param>
    /// <param name="itemPool">Creates and destroys the items.</param>
    /// <param name="policy">The hooks of the items.</param>
    /// <param name="options">The settings, frozen.</param>
    /// <param name="queue">The callers that wait for room.</param>
    /// <param name="deactivated">Called when an item takes no new uses any more, after that has become visible; or null.</param>
    public SharedItemSet(
        string name,
        ResourcePool<T> itemPool,
        ResourcePolicy<T> policy,
        SharedResourcePoolOptions options,
        CallerQueue<SharedItem<T>> queue,
        Action? deactivated)
    {
        _name = name;
        Room = new SharedRoom<T>(this, itemPool.Runtime, _gate, queue);
        _deactivated = deactivated;
        _itemPool = itemPool;
        _checks = itemPool.Runtime.Checks;
        _clock = itemPool.Runtime.Clock;
        _callsIsBroken = policy.Hooks.HasFlag(ResourceHooks.IsBroken);
        _keepsAlive = policy.Hooks.HasFlag(ResourceHooks.KeepAlive);
        _settings = new SharedSettings(options, _clock, _keepsAlive);
        _probes = new SharedProbes<T>(this, itemPool.Runtime, _keepsAlive);
        KeepMinimum();
    }

    /// <summary>Whether the set is closed: no item takes uses any more, and none is created.</summary>
    public bool IsClosed => Volatile.Read(ref _isClosed);

    public SharedSettings Settings => Volatile.Read(ref _settings);

    /// <summary>The number of items being kept alive right now.</summary>
    public int Probing => _probes.Count;

    /// <summary>The active items. The array is replaced, never changed.</summary>
    public SharedItem<T>[] Items => Volatile.Read(ref _items);

    /// <summary>The room in the items, and the callers that wait for it.</summary>
    public SharedRoom<T> Room { get; }

    /// <summary>Whether an item that is being created is wanted by callers, and not only to keep the minimum or ahead of
    /// demand. Read under the gate of the engine.</summary>
    public bool IsItemUrgent => Room.CallersWait || Volatile.Read(ref _warmUps) > 0;

    /// <summary>
    /// Restores the minimum number of active items. Fewer are active only while the next one is being created, or cannot be.
    /// </summary>
    public void KeepMinimum()
    {
        if (Items.Length < Settings.MinIdle)
        {
            StartGrowing(isForMinimum: true);
        }
    }

    /// <summary>
    /// Finds an item for a use and counts the use, and starts the creation of another item when the items fill up. For a caller
    /// whose turn it is. Not under the gate, because the policy is called.
    /// </summary>
    public bool TryEnter([NotNullWhen(true)] out SharedItem<T>? item) =>
        _selector.TryEnter(this, _clock.Coarse, out item);

    /// <summary>Waits until the given number of items is active, and has the missing ones created.</summary>
    /// <exception cref="ObjectDisposedException">The pool is drained or disposed.</exception>
    public async Task WarmUpAsync(int count, CancellationToken cancellationToken)
    {
        Interlocked.Increment(ref _warmUps);
        try
        {
            while (Grow(count) is { } growth)
            {
                await growth.Task.WaitAsync(cancellationToken).ConfigureAwait(false);
            }
        }
        finally
        {
            Interlocked.Decrement(ref _warmUps);
        }
    }

    /// <summary>
    /// Starts the creation of another item, unless one is being created or there are enough. A failure is counted by the engine,
    /// and fails the callers that wait.
    /// </summary>
    /// <param name="isForMinimum">Whether to do nothing if the minimum is reached by now.</param>
    /// <param name="forCallers">Whether to do nothing if there is room for all callers that wait by now.</param>
    public void StartGrowing(bool isForMinimum = false, bool forCallers = false)
    {
        SharedGrowth<T>? growth;
        try
        {
            using (_gate.Enter())
            {
                var isNeeded = (!isForMinimum || _items.Length < Settings.MinIdle) && (!forCallers || Room.CallersLackRoomLocked);
                growth = GetOrAddGrowthLocked(isNeeded, Room.CallersBlock);
            }
        }
        catch (Exception failure) when (WorkScheduler.IsLackOfMemory(failure))
        {
            // The next use or check tries again. What called this, such as the end of a use, continues.
            return;
        }

        growth?.TryBegin();
    }

    /// <summary>Has an item created if callers wait that the active items have no room for. Not under the gate.</summary>
    public void GrowForCallers()
    {
        if (Room.CallersWait)
        {
            StartGrowing(forCallers: true);
        }
    }

    /// <summary>Completes when no item of a closed set is being created, and no probe holds an item.</summary>
    public async Task WhenQuiescentAsync()
    {
        Task growths;
        using (_gate.Enter())
        {
            growths = Task.WhenAll(_growths.Select(static growth => growth.Task));
        }

        await _probes.WhenEndedAsync().ConfigureAwait(false);
        await growths.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
    }

    /// <summary>Deactivates an item. Its successor is created when it is needed, or at once if too few items are left.</summary>
    /// <param name="item">The item.</param>
    /// <param name="reason">Why it is to be destroyed; null to return it to the engine, which destroys it if it has
    /// expired.</param>
    public void Deactivate(SharedItem<T> item, DestroyReason? reason)
    {
        try
        {
            using (_gate.Enter())
            {
                _items = Without(_items, item);
            }
        }
        catch (Exception failure) when (WorkScheduler.IsLackOfMemory(failure))
        {
            // There is none for the list without it. Expired by the exact clock and by the coarse one, it takes no more uses, and
            // the next attempt to use it, or the next check, tries again.
            _itemPool.Runtime.Core.Operators.ExpireAt(item.Entry, PoolClock.Past, _clock.Now);
            return;
        }

        if (item.Deactivate(reason))
        {
            _deactivated?.Invoke();
        }

        GrowForCallers();
        KeepMinimum();
    }

    /// <summary>Deactivates an item if the policy reports it as broken.</summary>
    /// <returns>Whether the item takes no new uses any more, for whatever reason.</returns>
    public bool DeactivateIfBroken(SharedItem<T> item)
    {
        if (_callsIsBroken && !item.IsInactive && _checks.IsBroken(item.Value))
        {
            Deactivate(item, _checks.ReasonFor(item.Value, DestroyReason.Broken));
        }

        return item.IsInactive;
    }

    /// <inheritdoc cref="SharedProbes{T}.Start"/>
    public void Probe(SharedItem<T> item, bool suspected) => _probes.Start(item, suspected);

    /// <summary>
    /// Deactivates all selected items; uses in progress continue. The caller then calls <see cref="KeepMinimum"/>.
    /// </summary>
    /// <param name="predicate">Selects the items; called under the gate.</param>
    /// <param name="reason">Why they are to be destroyed; null to return them to the engine, which destroys those that have
    /// expired.</param>
    public int DeactivateAll(Predicate<SharedItem<T>> predicate, DestroyReason? reason = null)
    {
        SharedItem<T>[] deactivated;
        using (_gate.Enter())
        {
            deactivated = Array.FindAll(_items, predicate);
            _items = [.. _items.Except(deactivated)];
        }

        End(deactivated, reason);
        return deactivated.Length;
    }

    /// <summary>Applies settings that were validated. The caller then calls <see cref="EndChange"/>.</summary>
    public void Reconfigure(SharedResourcePoolOptions options)
    {
        var settings = new SharedSettings(options, _clock, _keepsAlive);
        using (_gate.Enter())
        {
            Volatile.Write(ref _settings, settings);
        }
    }

    /// <summary>
    /// Ends a change of the settings: deactivates the items beyond a smaller limit, those with the fewest uses first, and permits
    /// the uses that the new limits allow. Not under a lock, because the policy is called for an item without a use.
    /// </summary>
    public void EndChange()
    {
        SharedGrowth<T>? unneeded;
        SharedItem<T>[] surplus;
        using (_gate.Enter())
        {
            surplus = [.. _items.OrderBy(item => item.Uses).Take(_items.Length - Settings.MaxActive)];
            _items = [.. _items.Except(surplus)];
            unneeded = _items.Length >= Settings.MaxActive ? _growth : null;
        }

        unneeded?.Cancel();
        End(surplus);
        foreach (var item in Items)
        {
            // Full by the old limit.
            item.ClearFull();
        }

        // Limits of time may be shorter now. The check that the engine scheduled may have run with those from before.
        _itemPool.Runtime.ScheduleAt(_clock.Now);
        Room.Offer();
        KeepMinimum();
    }

    /// <summary>
    /// Replaces the items of the given generation or older, each at a random moment within a time: a check is scheduled for each.
    /// </summary>
    public void Clear(TimeSpan spread, int since)
    {
        var now = _clock.Now;
        _itemPool.Runtime.Core.Operators.Clear(_clock.Ticks(spread), since, now);
        if (spread == TimeSpan.Zero)
        {
            DeactivateAll(item => item.IsExpired(now));
            KeepMinimum();
        }
    }

    /// <summary>Deactivates one item at a random moment within a time.</summary>
    public void DeactivateWithin(SharedItem<T> item, TimeSpan spread)
    {
        var now = _clock.Now;
        var at = PoolClock.Add(now, (long)(_clock.Ticks(spread) * _itemPool.Runtime.Settings.Options.Random.NextDouble()));
        _itemPool.Runtime.Core.Operators.ExpireAt(item.Entry, at, now);
    }

    /// <summary>
    /// Deactivates an item that failed in a way that affects the others, and has those probed that are not replaced.
    /// </summary>
    public void Invalidate(SharedItem<T> item, TimeSpan spread)
    {
        Deactivate(item, DestroyReason.Tainted);
        Clear(spread, item.Generation);
        foreach (var other in Items)
        {
            Probe(other, suspected: true);
        }
    }

    public void Dispose()
    {
        SharedGrowth<T>? growth;
        using (_gate.Enter())
        {
            _isClosed = true;
            growth = _growth;
        }

        growth?.Cancel();
        DeactivateAll(_ => true);

        // Probes hold items that are to be destroyed. No further probe begins, because the items are inactive.
        _probes.Cancel();
    }

    /// <summary>
    /// Whether the policy and the age of an item permit another use; deactivates it otherwise. Not under the gate.
    /// </summary>
    public bool IsUsable(SharedItem<T> item, long now) =>
        !DeactivateIfBroken(item) && (!item.IsExpired(now) || MayContinue(item));

    /// <summary>Whether an expired item may still take uses: only while its successor is being created.</summary>
    public bool MayContinue(SharedItem<T> item)
    {
        SharedGrowth<T>? growth = null;
        try
        {
            using (_gate.Enter())
            {
                var isLast = _items.Length == 1 && _items[0] == item;
                if (isLast && item.IsOnlyOld && !_isClosed && Settings.MaxSize > 1)
                {
                    growth = _growth ?? AddGrowthLocked(Room.CallersBlock);
                }
            }
        }
        catch (Exception failure) when (WorkScheduler.IsLackOfMemory(failure))
        {
            // Until there is memory for its successor.
            return true;
        }

        growth?.TryBegin();
        if (growth is null)
        {
            Deactivate(item, reason: null);
        }

        return growth is not null;
    }

    /// <summary>Whether no item is being created, and none may be. Under the gate.</summary>
    public bool IsFullLocked => _growth is null && _items.Length >= Settings.MaxActive;

    /// <summary>Whether an item is being created, or may be: callers wait for it.</summary>
    public bool LacksItem
    {
        get
        {
            using (_gate.Enter())
            {
                return !IsFullLocked;
            }
        }
    }

    /// <summary>Whether an item is being created. Under the gate.</summary>
    public bool IsGrowingLocked => _growth is not null;

    /// <summary>The number of uses for which items may still be created. Under the gate.</summary>
    public int CountCreatableLocked() => Math.Max(0, Settings.MaxActive - _items.Length) * Settings.MaxUsesPerItem;

    /// <summary>The number of uses for which the active items have room. Under the gate.</summary>
    public long CountRoomLocked()
    {
        long room = 0;
        foreach (var item in _items)
        {
            room += Math.Max(0, Settings.MaxUsesPerItem - item.Load);
        }

        return room;
    }

    /// <summary>Adds a growth if one is wanted and possible. The caller begins what it gets, outside the gate.</summary>
    /// <returns>The growth in progress; null if there is none.</returns>
    public SharedGrowth<T>? GetOrAddGrowthLocked(bool isWanted, bool synchronously) =>
        isWanted && _growth is null && !_isClosed && _items.Length < Settings.MaxActive
            ? AddGrowthLocked(synchronously)
            : _growth;

    /// <summary>Forgets a growth that has ended.</summary>
    public void Forget(SharedGrowth<T> growth)
    {
        using (_gate.Enter())
        {
            _growths.Remove(growth);
        }
    }

    /// <summary>
    /// Makes the item of a growth active, or deactivates it if there are enough. Throws only before anything has changed.
    /// </summary>
    public void Add(SharedGrowth<T> growth, Lease<T> lease)
    {
        _itemPool.Runtime.ScheduleAt(PoolClock.Add(_clock.Now, Settings.KeepAliveTicks));
        var old = Activate(growth, lease);
        Room.Offer();
        End(old);
    }

    /// <summary>Ends a growth without an item.</summary>
    /// <param name="growth">The growth.</param>
    /// <param name="failure">Why the item could not be created; null if it is not needed any more.</param>
    /// <param name="failingSince">When the outage began that is the reason; never if the failure is thrown unchanged.</param>
    public void EndGrowth(SharedGrowth<T> growth, Exception? failure = null, long failingSince = PoolClock.Never)
    {
        var now = _clock.Now;
        using (_gate.Enter())
        {
            _growth = _growth == growth ? null : _growth;
            Room.EndStartLocked(now);
        }

        if (failure is null)
        {
            Room.Offer();
        }
        else
        {
            Room.Fail(failure, failingSince);
            _itemPool.Runtime.ScheduleAt(PoolClock.Add(now, Settings.RetryDelay));
        }
    }

    // On its own, so that the closure is allocated where a lack of memory is caught.
    private static SharedItem<T>[] Without(SharedItem<T>[] items, SharedItem<T> item) =>
        Array.FindAll(items, each => each != item);

    private SharedGrowth<T> AddGrowthLocked(bool synchronously)
    {
        var growth = new SharedGrowth<T>(this, _itemPool.Runtime, synchronously);
        _growths.Add(growth);
        return _growth = growth;
    }

    private SharedGrowth<T>? Grow(int count)
    {
        SharedGrowth<T>? growth;
        using (_gate.Enter())
        {
            if (_isClosed)
            {
                throw RentErrors.Closed(_name);
            }

            if (_items.Length >= count)
            {
                return null;
            }

            growth = GetOrAddGrowthLocked(isWanted: true, synchronously: false);
        }

        if (growth?.TryBegin() == false)
        {
            // It may have begun for upkeep, with a longer pause after a failure.
            _itemPool.Runtime.Core.Plan(_clock.Now);
        }

        return growth;
    }

    /// <summary>Makes an item active. Throws only before anything has changed.</summary>
    /// <returns>The items that are no longer active, possibly that one.</returns>
    private SharedItem<T>[] Activate(SharedGrowth<T> growth, Lease<T> lease)
    {
        var now = _clock.Now;
        var item = new SharedItem<T>(lease, now);
        using (_gate.Enter())
        {
            // The successor is ready: deactivate the items that were only waiting for it.
            var old = _isClosed ? [item] : Array.FindAll(_items, each => each.IsExpired(now));
            if (!_isClosed && _items.Length - old.Length >= Settings.MaxActive)
            {
                // The limit was made smaller meanwhile.
                old = [.. old, item];
            }

            if (!_isClosed)
            {
                _items = [.. _items.Append(item).Except(old)];
            }

            _growth = _growth == growth ? null : _growth;
            Room.EndStartLocked(now);
            return old;
        }
    }

    private void End(SharedItem<T>[] items, DestroyReason? reason = null)
    {
        var areNew = false;
        foreach (var item in items)
        {
            areNew |= item.Deactivate(reason);
        }

        if (areNew)
        {
            _deactivated?.Invoke();
        }

        GrowForCallers();
    }
}
