using System.Diagnostics;
using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;
using Poolhouse.Caching.Threads;

namespace Poolhouse.Caching.Misuse;

/// <summary>Detects misuse of the items of one cache: double returns, foreign returns, and changes after a return.</summary>
// A pool without paranoid mode has no detector. A pool with one has closed stacks, so that every rent and every return takes the
// slow path, where the detector is called: the hot paths are the same code with and without it.
// Every item is stamped (TrackedItem). Only sampled rents record where and when, and only their items are poisoned when they
// return.
internal sealed class MisuseDetector<T>(
    string pool, ParanoidSetting setting, TimeProvider time, ItemPoison<T>? poison, bool isInternal = false)
    where T : class
{
    // A stack costs tens of microseconds. All of them are recorded in a test or a short program; in a long one, so few that they
    // take about one percent of the time of a thread.
    private const int StacksAtFirst = 1000;
    private static readonly TimeSpan _betweenStacks = TimeSpan.FromMilliseconds(10);

    private readonly ConditionalWeakTable<T, TrackedItem> _items = [];
    private readonly PoolClock _clock = new(time);
    private long _created;
    private int _untilSample = setting.Sampling;
    private int _stacks;
    private long _nextStack = long.MinValue;

    /// <summary>Records the rent of an item that was created for it.</summary>
    // A delegate that creates items may return one that it has returned before. Its stamp may be in the pool together with it.
    public void OnCreated(T item)
    {
        if (!_items.TryGetValue(item, out var tracked))
        {
            tracked = new TrackedItem(Interlocked.Increment(ref _created));
            BeginRent(tracked);
            _items.AddOrUpdate(item, tracked);
        }
        else
        {
            BeginRent(tracked);
        }
    }

    /// <summary>Records the rent of an item that was taken out of the pool.</summary>
    /// <param name="item">The item.</param>
    /// <param name="stamp">Its stamp, as <see cref="TryReturn"/> returned it; null if it must be looked up.</param>
    /// <param name="counters">The counters of the current thread.</param>
    /// <returns>False if the item was changed while it was idle: it must be destroyed.</returns>
    /// <exception cref="PoolMisuseException">It was changed, and the pool throws.</exception>
    public bool TryRent(T item, object? stamp, ref CacheCounters counters)
    {
        var tracked = Unsafe.As<TrackedItem>(stamp);
        if (tracked is null && !_items.TryGetValue(item, out tracked))
        {
            OnCreated(item);
            return true;
        }

        if (tracked.Mark is { } mark && !poison!.IsIntact(item, mark))
        {
            counters.WritesAfterReturn++;
            tracked.Mark = null;
            Report(PoolMisuseKind.WriteAfterReturn, tracked.LastRent, tracked.LastReturn);
            return false;
        }

        BeginRent(tracked);
        return true;
    }

    /// <summary>Begins the return of an item, before anything is done with it.</summary>
    /// <returns>False if the item must be left alone: it is not rented, or not of this pool.</returns>
    /// <exception cref="PoolMisuseException">It must be left alone, and the pool throws.</exception>
    public bool TryBeginReturn(T item, ref CacheCounters counters) => TryBegin(item, ref counters, out _);

    /// <summary>
    /// Returns an item that the pool may keep: from now on it must not change. Begins the return unless it has begun already.
    /// </summary>
    /// <returns>
    /// The stamp of the item; null if the item must be left alone: it is not rented, or not of this pool.
    /// </returns>
    /// <exception cref="PoolMisuseException">It must be left alone, and the pool throws.</exception>
    public object? TryReturn(T item, ref CacheCounters counters)
    {
        if (!TryBegin(item, ref counters, out var tracked))
        {
            return null;
        }

        End(item, tracked, isKept: true);
        return tracked;
    }

    /// <summary>Whether the current thread has begun to return the item and has not finished.</summary>
    public bool IsReturning(T item) => _items.TryGetValue(item, out var tracked) && tracked.IsReturningHere;

    /// <summary>Ends the rent of an item that the pool refused.</summary>
    public void OnDropped(T item)
    {
        if (_items.TryGetValue(item, out var tracked))
        {
            End(item, tracked, isKept: false);
        }
    }

    /// <summary>Ends the rent of an item that its user discards.</summary>
    /// <returns>False if the item must be left alone, as for <see cref="TryBeginReturn"/>.</returns>
    /// <exception cref="PoolMisuseException">It must be left alone, and the pool throws.</exception>
    public bool TryDiscard(T item, ref CacheCounters counters)
    {
        if (!TryBegin(item, ref counters, out var tracked))
        {
            return false;
        }

        End(item, tracked, isKept: false);
        return true;
    }

    /// <summary>Ends the rent of an item that belongs to its user from now on.</summary>
    /// <returns>False if the item must be left alone, as for <see cref="TryBeginReturn"/>.</returns>
    /// <exception cref="PoolMisuseException">It must be left alone, and the pool throws.</exception>
    public bool TryDetach(T item, ref CacheCounters counters)
    {
        if (!TryBegin(item, ref counters, out var tracked))
        {
            return false;
        }

        _items.Remove(item);
        tracked.EndScopedRent();
        return true;
    }

    /// <summary>
    /// The items that are rented, the oldest rents first. Rents that were not sampled have no time and are last.
    /// </summary>
    public IReadOnlyList<LeaseSnapshot> GetLeases(int max)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(max);
        var leases = _items.Where(static each => each.Value.IsRented).Select(each => SnapshotOf(each.Value));
        return [.. leases.OrderByDescending(static lease => lease.LeasedFor).Take(max)];
    }

    /// <summary>The rent of one item; null if it is not rented, or not of this pool.</summary>
    public LeaseSnapshot? FindLease(T item) =>
        _items.TryGetValue(item, out var tracked) && tracked.IsRented ? SnapshotOf(tracked) : null;

    private LeaseSnapshot SnapshotOf(TrackedItem tracked)
    {
        var site = tracked.LastRent;
        return new LeaseSnapshot
        {
            ItemNumber = tracked.Number,
            LeasedFor = site.Elapsed(_clock) ?? TimeSpan.Zero,
            RentedAt = site.Frames,
        };
    }

    // The items of an internal pool are not rented by the code that a scope tests.
    private void BeginRent(TrackedItem tracked)
    {
        var site = Sample();
        tracked.BeginRent(
            site,
            !isInternal && LeaseWatch.Installed is { } watch && watch.FindScope() is { } scope
                ? watch.BeginRent(scope, pool, _clock, site)
                : null);
    }

    private bool TryBegin(T item, ref CacheCounters counters, [NotNullWhen(true)] out TrackedItem? tracked)
    {
        if (!_items.TryGetValue(item, out tracked))
        {
            counters.ForeignReturns++;
            Report(PoolMisuseKind.ForeignReturn, rented: default, returned: default);
            return false;
        }

        if (tracked.TryBeginReturn() || tracked.IsReturningHere)
        {
            return true;
        }

        counters.DoubleReturns++;
        Report(PoolMisuseKind.DoubleReturn, tracked.LastRent, tracked.LastReturn);
        return false;
    }

    private void End(T item, TrackedItem tracked, bool isKept)
    {
        var site = default(LeaseSite);
        if (tracked.IsSampled)
        {
            if (isKept)
            {
                tracked.Mark = poison?.Apply(item);
            }

            site = Site(_clock.Coarse, tracked.LastRent.Stack is not null);
        }

        tracked.EndReturn(site);
    }

    private LeaseSite Sample()
    {
        // Threads that count at the same moment may count once: the samples need not be exact, and an exact count costs as much
        // as a lock.
        if (setting.Sampling > 1)
        {
            if (--_untilSample > 0)
            {
                return default;
            }

            _untilSample = setting.Sampling;
        }

        var now = _clock.Coarse;
        return Site(now, RecordsStack(now));
    }

    private bool RecordsStack(long now)
    {
        if (Volatile.Read(ref _stacks) < StacksAtFirst)
        {
            Interlocked.Increment(ref _stacks);
            return true;
        }

        var next = Volatile.Read(ref _nextStack);
        return now >= next && Interlocked.CompareExchange(ref _nextStack, now + _clock.Ticks(_betweenStacks), next) == next;
    }

    private LeaseSite Site(long now, bool withStack) => new(IsSampled: true, now, withStack ? Stack() : null);

    // The names of files are found in the first stacks only, because that takes longer than the rest.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private StackTrace Stack() => new(fNeedFileInfo: Volatile.Read(ref _stacks) < StacksAtFirst);

    private void Report(PoolMisuseKind kind, in LeaseSite rented, in LeaseSite returned)
    {
        // From now on stacks are recorded again, so that the next misuse of the same kind is reported with all of them.
        Volatile.Write(ref _stacks, 0);
        var misuse = new PoolMisuseEventArgs(pool, kind, rented, returned, _clock);
        var isThrown = setting.Mode == ParanoidMode.Throw;
        PoolMisuse.Report(misuse, isThrown);
        if (isThrown)
        {
            throw new PoolMisuseException(misuse);
        }
    }
}
