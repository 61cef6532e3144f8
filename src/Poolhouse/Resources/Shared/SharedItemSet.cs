using System.Diagnostics.CodeAnalysis;
using Poolhouse.Kernel.Threading;
using Poolhouse.Kernel.Time;
using Poolhouse.Resources.Engine;
using Poolhouse.Resources.Engine.PolicyCalls;

namespace Poolhouse.Resources.Shared;

/// <summary>
/// The active items of a shared pool: selects the item for the next use, and decides when to add or replace items.
/// </summary>
// Invariants
//   a member is in _members from its first use until it is retired; the list is replaced, never changed
//   at most one member is being created (_growth); members plus the one being created are at most MaxActive, except while the
//   successor of an expired only member is created, and until a growth that was in progress when MaxActive was reduced has ended
//   a growth that is requested after the item of the one in progress has become active begins when that one has ended
//   every member's lease is ended by the member, once it is retired and unused (SharedItem)
// Parts: SharedSelector selects items, SharedCallers wait for room in them, SharedProbes keeps them alive, SharedUpkeep runs at
// intervals.
// Locks: _gate guards the list, _growth and the callers. A leaf lock: members are retired, leases ended and callers woken outside
// of it.
internal sealed class SharedItemSet<T> : IDisposable
    where T : notnull
{
    private readonly Gate _gate = new();
    private readonly ResourcePool<T> _items;
    private readonly PolicyChecks<T> _checks;
    private readonly PoolClock _clock;
#pragma warning disable CA2213 // Without a timer or a wait handle there is nothing to dispose, and a growth may still read it.
    private CancellationTokenSource _growing = new();
#pragma warning restore CA2213
    private readonly string _name;
    private readonly Action? _retired;
    private readonly bool _callsIsBroken;
    private readonly bool _keepsAlive;
    private SharedSettings _settings;
    private SharedItem<T>[] _members = [];
    private readonly SharedProbes<T> _probes;
    private readonly SharedUpkeep<T> _upkeep;
    private SharedGrowth<T>? _growth;
    private SharedSelector<T> _selector;
    private bool _isClosed;

    /// <param name="name">The pool's name.</param>
    /// <param name="items">Creates and destroys the items.</param>
    /// <param name="policy">The hooks of the items.</param>
    /// <param name="options">The settings, frozen.</param>
    /// <param name="retired">Called when a member takes no new uses any more, after that has become visible; or null.</param>
    public SharedItemSet(
        string name, ResourcePool<T> items, ResourcePolicy<T> policy, SharedResourcePoolOptions options, Action? retired)
    {
        _name = name;
        Callers = new SharedCallers<T>(this, _gate);
        _retired = retired;
        _items = items;
        _checks = items.Runtime.Checks;
        _clock = items.Runtime.Clock;
        _callsIsBroken = policy.Hooks.HasFlag(ResourceHooks.IsBroken);
        _keepsAlive = policy.Hooks.HasFlag(ResourceHooks.KeepAlive);
        _settings = new SharedSettings(options, _clock, _keepsAlive);
        _probes = new SharedProbes<T>(this, items.Runtime, _keepsAlive);
        items.Runtime.Core.CountCallersBehind(0, _clock.Now);
        _upkeep = new SharedUpkeep<T>(this, items.Runtime, _probes);
        KeepMinimum();
    }

    /// <summary>Whether the set is closed: no item takes uses any more, and none is created.</summary>
    public bool IsClosed => Volatile.Read(ref _isClosed);

    public SharedSettings Settings => Volatile.Read(ref _settings);

    /// <summary>The number of items being kept alive right now.</summary>
    public int Probing => _probes.Count;

    public IReadOnlyList<SharedItem<T>> Members => Volatile.Read(ref _members);

    /// <summary>The callers that wait for room.</summary>
    public SharedCallers<T> Callers { get; }

    /// <summary>
    /// Restores the minimum number of active items. Fewer are active only while the next one is being created, or cannot be.
    /// </summary>
    public void KeepMinimum()
    {
        if (Members.Count < Settings.MinIdle)
        {
            StartGrowing(isForMinimum: true);
        }
    }

    /// <summary>
    /// Finds an item for a use, unless other callers wait for one, and starts the creation of another one when the items fill up.
    /// </summary>
    public bool TryEnter([NotNullWhen(true)] out SharedItem<T>? member)
    {
        member = null;
        return !Callers.Exist && TryEnterInTurn(out member);
    }

    /// <summary>Does the same for a caller that is awake and has waited for its turn.</summary>
    public bool TryEnterInTurn([NotNullWhen(true)] out SharedItem<T>? member)
    {
        var members = Volatile.Read(ref _members);
        var settings = Settings;
        var now = _clock.Coarse;
        for (var tries = 0; tries <= members.Length; tries++)
        {
            if (_selector.Choose(members, settings.Selection) is not { } chosen)
            {
                break;
            }

            if (IsUsable(chosen, now) && chosen.TryEnter(settings.MaxUsesPerItem))
            {
                if (chosen.Uses >= settings.GrowAt)
                {
                    StartGrowing();
                }

                member = chosen;
                return true;
            }

            // It was filled up or retired meanwhile: try again.
            members = Volatile.Read(ref _members);
        }

        // The random or round-robin choice was always a full item: take any that has room.
        foreach (var any in members)
        {
            if (IsUsable(any, now) && any.TryEnter(settings.MaxUsesPerItem))
            {
                StartGrowing();
                member = any;
                return true;
            }
        }

        member = null;
        return false;
    }

    /// <summary>Starts the creation of another item, unless one is being created or there are enough.</summary>
    /// <param name="count">The number of active items that is enough, even if the pool may have more.</param>
    /// <returns>The creation in progress; null when there are enough items.</returns>
    /// <exception cref="ObjectDisposedException">The pool is drained or disposed.</exception>
    public SharedGrowth<T>? Grow(int count)
    {
        SharedGrowth<T>? growth = null;
        var isNew = false;
        using (_gate.Enter())
        {
            ThrowIfClosedLocked();
            if (_members.Length < count)
            {
                growth = TryBeginGrowthLocked(out isNew);
            }
        }

        if (isNew)
        {
            growth!.Begin();
        }

        return growth;
    }

    /// <summary>
    /// Does the same as <see cref="Grow"/> when no caller is waiting. A failure is counted by the engine, and surfaces for the
    /// first caller that needs the item.
    /// </summary>
    /// <param name="isForMinimum">Whether to do nothing if the minimum is reached by now: a creation may have ended since the
    /// caller counted the items.</param>
    public void StartGrowing(bool isForMinimum = false)
    {
        SharedGrowth<T>? growth = null;
        var isNew = false;
        try
        {
            using (_gate.Enter())
            {
                var isNeeded = !_isClosed && !(isForMinimum && _members.Length >= Settings.MinIdle);
                growth = isNeeded ? TryBeginGrowthLocked(out isNew) : null;
            }
        }
        catch (Exception failure) when (WorkScheduler.IsLackOfMemory(failure))
        {
            // The next use or check tries again. What called this, such as the end of a use, continues.
            return;
        }

        if (isNew)
        {
            growth!.Begin();
        }
    }

    /// <summary>Completes when no item of a closed set is being created, and no probe holds an item.</summary>
    public async Task WhenQuiescentAsync()
    {
        SharedGrowth<T>? growth;
        using (_gate.Enter())
        {
            growth = _growth;
        }

        await _probes.WhenEndedAsync().ConfigureAwait(false);
        if (growth is not null)
        {
            await growth.Task.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        }
    }

    /// <summary>Retires an item. Its successor is created when it is needed, or at once if too few items are left.</summary>
    /// <param name="member">The item.</param>
    /// <param name="reason">Why it is to be destroyed; null to return it to the engine, which destroys it if it has
    /// expired.</param>
    public void Retire(SharedItem<T> member, DestroyReason? reason)
    {
        try
        {
            using (_gate.Enter())
            {
                _members = Array.FindAll(_members, each => each != member);
            }
        }
        catch (Exception failure) when (WorkScheduler.IsLackOfMemory(failure))
        {
            // There is none for the list without it. Expired by the exact clock and by the coarse one, it takes no more uses, and
            // the next attempt to use it, or the next check, tries again.
            _items.Runtime.Core.ExpireAt(member.Entry, PoolClock.Past, _clock.Now);
            return;
        }

        Callers.ReportRoom();
        if (member.Retire(reason))
        {
            _retired?.Invoke();
        }

        KeepMinimum();
    }

    /// <summary>Retires an item if the policy reports it as broken.</summary>
    /// <returns>Whether the item takes no new uses any more, for whatever reason.</returns>
    public bool RetireIfBroken(SharedItem<T> member)
    {
        if (_callsIsBroken && !member.IsRetired && _checks.IsBroken(member.Item))
        {
            Retire(member, _checks.ReasonFor(member.Item, DestroyReason.Broken));
        }

        return member.IsRetired;
    }

    /// <summary>Probes an item for which a caller has reported a problem.</summary>
    public void ProbeSoon(SharedItem<T> member) => _probes.Start(member, suspected: true);

    /// <summary>Retires all selected items; uses in progress continue. The caller then calls <see cref="KeepMinimum"/>.</summary>
    /// <param name="predicate">Selects the items; called under the gate.</param>
    /// <param name="reason">Why they are to be destroyed; null to return them to the engine, which destroys those that have
    /// expired.</param>
    public int RetireAll(Predicate<SharedItem<T>> predicate, DestroyReason? reason = null)
    {
        SharedItem<T>[] retired;
        using (_gate.Enter())
        {
            retired = Array.FindAll(_members, predicate);
            _members = [.. _members.Except(retired)];
        }

        Callers.ReportRoom();
        End(retired, reason);
        return retired.Length;
    }

    /// <summary>
    /// Applies settings that were validated. Active items beyond a smaller limit take no new uses, those with the fewest uses
    /// first.
    /// </summary>
    /// <param name="options">The settings.</param>
    /// <param name="surplus">Receives these items, for <see cref="EndChange"/>.</param>
    public void Reconfigure(SharedResourcePoolOptions options, ref SharedItem<T>[]? surplus)
    {
        var settings = new SharedSettings(options, _clock, _keepsAlive);
        CancellationTokenSource? unneeded = null;
        using (_gate.Enter())
        {
            // Nothing is allocated after the first change: the surplus items would be lost.
            SharedItem<T>[] least = [.. _members.OrderBy(member => member.Uses).Take(_members.Length - settings.MaxActive)];
            SharedItem<T>[] others = [.. _members.Except(least)];
            if (!_isClosed && _growth is not null && others.Length >= settings.MaxActive)
            {
                unneeded = _growing;
                _growing = new CancellationTokenSource();
            }

            Volatile.Write(ref _settings, settings);
            (surplus, _members) = (least, others);
        }

#pragma warning disable CA1849, VSTHRD103 // Only the engine's wait is registered, and it ends on another thread.
        unneeded?.Cancel();
#pragma warning restore CA1849, VSTHRD103
    }

    /// <summary>
    /// Ends a change of the settings: retires the surplus items, and permits the uses that the new limits allow. Not under a
    /// lock, because the policy is called for an item without a use.
    /// </summary>
    /// <param name="surplus">The items from <see cref="Reconfigure"/>; null if nothing was changed.</param>
    public void EndChange(SharedItem<T>[]? surplus)
    {
        if (surplus is null)
        {
            return;
        }

        End(surplus);
        foreach (var member in Members)
        {
            // Full by the old limit.
            member.ClearFull();
        }

        Callers.ReportRoom();
        _upkeep.Schedule(_clock.Now);
        KeepMinimum();
    }

    /// <summary>Replaces the items of the given generation or older, each at a random moment within a time.</summary>
    public void Clear(TimeSpan spread, int since)
    {
        var now = _clock.Now;
        _items.Runtime.Core.Clear(_clock.Ticks(spread), since, now);
        if (spread == TimeSpan.Zero)
        {
            RetireAll(member => member.IsExpired(now));
            KeepMinimum();
        }
        else
        {
            _upkeep.CheckWithin(_clock.Ticks(spread));
        }
    }

    /// <summary>Retires one item at a random moment within a time.</summary>
    public void RetireWithin(SharedItem<T> member, TimeSpan spread)
    {
        var now = _clock.Now;
        var at = PoolClock.Add(now, (long)(_clock.Ticks(spread) * _items.Runtime.Settings.Options.Random.NextDouble()));
        _items.Runtime.Core.ExpireAt(member.Entry, at, now);
        _upkeep.CheckWithin(_clock.Ticks(spread));
    }

    /// <summary>
    /// Retires an item that failed in a way that affects the others, and has those probed that are not replaced.
    /// </summary>
    public void Invalidate(SharedItem<T> member, TimeSpan spread)
    {
        Retire(member, DestroyReason.Tainted);
        Clear(spread, member.Generation);
        foreach (var other in Members)
        {
            ProbeSoon(other);
        }
    }

    public void Dispose()
    {
        CancellationTokenSource growing;
        using (_gate.Enter())
        {
            _isClosed = true;
            growing = _growing;
        }

#pragma warning disable CA1849, VSTHRD103 // Only the engine's wait is registered, and it ends on another thread.
        growing.Cancel();
#pragma warning restore CA1849, VSTHRD103
        RetireAll(_ => true);

        // Probes hold items that are to be destroyed. No further probe begins, because the items are retired.
        _probes.Cancel();
    }

    private bool IsUsable(SharedItem<T> member, long now)
    {
        if (_callsIsBroken && _checks.IsBroken(member.Item))
        {
            Retire(member, _checks.ReasonFor(member.Item, DestroyReason.Broken));
            return false;
        }

        return !member.IsExpired(now) || MayContinue(member);
    }

    /// <summary>Whether an expired item may still take uses: only while its successor is being created.</summary>
    public bool MayContinue(SharedItem<T> member)
    {
        SharedGrowth<T>? growth = null;
        var isNew = false;
        try
        {
            using (_gate.Enter())
            {
                var isLast = _members.Length == 1 && _members[0] == member;
                if (isLast && member.IsOnlyOld && !_isClosed && Settings.MaxSize > 1)
                {
                    isNew = _growth is null;
                    growth = _growth ??= NewGrowth();
                }
            }
        }
        catch (Exception failure) when (WorkScheduler.IsLackOfMemory(failure))
        {
            // Until there is memory for its successor.
            return true;
        }

        if (isNew)
        {
            growth!.Begin();
        }

        if (growth is null)
        {
            Retire(member, reason: null);
        }

        return growth is not null;
    }

    /// <exception cref="ObjectDisposedException">The pool is drained or disposed.</exception>
    public void ThrowIfClosedLocked()
    {
        if (_isClosed)
        {
            throw RentErrors.Closed(_name);
        }
    }

    /// <summary>Whether another item may be created and is not being created yet.</summary>
    public bool MayGrowLocked => _growth is null && _members.Length < Settings.MaxActive;

    /// <summary>Whether no item is being created, and none may be.</summary>
    public bool IsFullLocked => _growth is null && _members.Length >= Settings.MaxActive;

    /// <summary>Registers a growth. The caller that gets a new one starts it, outside the gate.</summary>
    // The item of the growth in progress may be active and full already: then another growth follows.
    public SharedGrowth<T>? TryBeginGrowthLocked(out bool isNew)
    {
        isNew = MayGrowLocked;
        if (isNew)
        {
            return _growth = NewGrowth();
        }

        if (_growth is { HasAdded: true } ending && _members.Length < Settings.MaxActive)
        {
            ending.Next ??= NewGrowth();
        }

        return _growth;
    }

    /// <summary>Creates an item, or takes an idle one, and makes it active.</summary>
    public async Task AddOneAsync(bool blocks, CancellationToken cancellation)
    {
        try
        {
            // Waiting callers have deadlines of their own; the engine keeps retrying as configured.
#pragma warning disable CA1849, MA0042, VSTHRD103 // Only if blocking is allowed.
            var lease = blocks
                ? _items.Rent(Timeout.InfiniteTimeSpan, cancellation)
                : await _items.RentAsync(Timeout.InfiniteTimeSpan, cancellation).ConfigureAwait(false);
#pragma warning restore CA1849, MA0042, VSTHRD103
            Add(lease);
        }
        catch (OperationCanceledException) when (cancellation.IsCancellationRequested)
        {
            if (IsClosed)
            {
                throw RentErrors.Closed(_name);
            }

            // The pool was made smaller: no further item is needed.
        }
    }

    /// <summary>
    /// Ends a growth, and starts the next one if that was requested since the item became active. The callers look for the item,
    /// or the first of them has the next one created.
    /// </summary>
    /// <param name="failed">The growth if it failed: all callers that find no room fail as well.</param>
    public void EndGrowth(SharedGrowth<T>? failed = null)
    {
        SharedGrowth<T>? next;
        SharedCaller<T>? woken;
        using (_gate.Enter())
        {
            next = _growth?.Next;
            _growth = null;
            if (_isClosed || !MayGrowLocked)
            {
                next = null;
            }

            _growth = next;
            woken = failed is null ? Callers.MarkLocked() : Callers.FailLocked(failed);
        }

        SharedCallers<T>.Wake(woken);
        next?.Begin();
        Callers.ReportLackOfRoom();
    }

    /// <summary>
    /// Counts the uses for which the items may have room. Items without room are marked as full, some of them possibly below the
    /// maximum of uses: such exist in nested pools, and after the limits were made smaller.
    /// </summary>
    public int CountRoomLocked()
    {
        var maxUses = Settings.MaxUsesPerItem;
        var room = 0;
        foreach (var member in _members)
        {
            if (!member.TryMarkFull(maxUses))
            {
                // At least one, also for an item that is about to be removed from the list: a use may have ended since.
                room += member.IsRetired ? 1 : Math.Max(1, maxUses - member.Uses);
            }
        }

        return room;
    }

    private SharedGrowth<T> NewGrowth() => new(this, _items.Runtime, _growing.Token);

    private void Add(Lease<T> lease)
    {
        SharedItem<T>[] old;
        try
        {
            old = Activate(lease);
        }
        catch
        {
            // There is not enough memory, and nothing has changed: the item is idle again.
            lease.Dispose();
            throw;
        }

        Callers.ReportRoom();
        End(old);
    }

    /// <summary>Makes an item active. Throws only before anything has changed.</summary>
    /// <returns>The items that are no longer active, possibly that one.</returns>
    private SharedItem<T>[] Activate(Lease<T> lease)
    {
        var now = _clock.Now;
        var member = new SharedItem<T>(lease, now);
        using (_gate.Enter())
        {
            // The successor is ready: retire the items that were only waiting for it.
            var old = _isClosed ? [member] : Array.FindAll(_members, each => each.IsExpired(now));
            if (!_isClosed && _members.Length - old.Length >= Settings.MaxActive)
            {
                // The limit was made smaller meanwhile.
                old = [.. old, member];
            }

            if (!_isClosed)
            {
                _members = [.. _members.Append(member).Except(old)];
            }

            _growth?.HasAdded = true;
            return old;
        }
    }

    private void End(SharedItem<T>[] members, DestroyReason? reason = null)
    {
        foreach (var member in members)
        {
            member.Retire(reason);
        }

        if (members.Length > 0)
        {
            _retired?.Invoke();
        }
    }
}
