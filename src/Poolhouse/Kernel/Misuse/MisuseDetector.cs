using System.Diagnostics;
using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;
using Poolhouse.Kernel.Threading;

namespace Poolhouse.Kernel.Misuse;

/// <summary>Detects misuse of the items of one cache: double returns, foreign returns, and changes after a return.</summary>
// A pool without paranoid mode has no detector. A pool with one has closed stacks, so that every rent and every return takes the
// slow path, where the detector is called: the hot paths are the same code with and without it.
// Every item is stamped (TrackedItem). Only sampled rents record where and when, and only their items are poisoned when they
// return.
internal sealed class MisuseDetector<T>(string pool, ParanoidSetting setting, TimeProvider time, ItemPoison<T>? poison)
    where T : class
{
    // A stack costs microseconds. All of them are recorded in a test or a short program, and few enough in a long one.
    private const int StacksAtFirst = 1000;
    private const int StacksLater = 1000;

    private readonly ConditionalWeakTable<T, TrackedItem> _items = [];
    private long _created;
    private long _rents;
    private long _stacks;

    /// <summary>Records the rent of an item that was created for it.</summary>
    public void OnCreated(T item)
    {
        var tracked = new TrackedItem(Interlocked.Increment(ref _created));
        tracked.BeginRent(Sample());
        _items.AddOrUpdate(item, tracked);
    }

    /// <summary>Records the rent of an item that was taken out of the pool.</summary>
    /// <returns>False if the item was changed while it was idle: it must be destroyed.</returns>
    /// <exception cref="PoolMisuseException">It was changed, and the pool throws.</exception>
    public bool TryRent(T item, ref CacheCounters counters)
    {
        if (!_items.TryGetValue(item, out var tracked))
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

        tracked.BeginRent(Sample());
        return true;
    }

    /// <summary>Begins the return of an item, before anything is done with it.</summary>
    /// <returns>False if the item must be left alone: it is not rented, or not of this pool.</returns>
    /// <exception cref="PoolMisuseException">It must be left alone, and the pool throws.</exception>
    public bool TryBeginReturn(T item, ref CacheCounters counters) => TryBegin(item, ref counters, out _);

    /// <summary>
    /// Returns an item that the pool may keep: from now on it must not change. Begins the return unless it has begun already.
    /// </summary>
    /// <returns>False if the item must be left alone: it is not rented, or not of this pool.</returns>
    /// <exception cref="PoolMisuseException">It must be left alone, and the pool throws.</exception>
    public bool TryReturn(T item, ref CacheCounters counters)
    {
        if (!TryBegin(item, ref counters, out var tracked))
        {
            return false;
        }

        End(item, tracked, isKept: true);
        return true;
    }

    /// <summary>Whether the current thread has begun to return the item and has not finished.</summary>
    public bool IsReturning(T item) => _items.TryGetValue(item, out var tracked) && tracked.IsReturningHere;

    /// <summary>Ends the rent of an item that the pool does not keep: it was refused or discarded.</summary>
    public void OnDropped(T item)
    {
        if (_items.TryGetValue(item, out var tracked))
        {
            End(item, tracked, isKept: false);
        }
    }

    /// <summary>Ends the rent of an item that belongs to its user from now on.</summary>
    public void OnDetached(T item) => _items.Remove(item);

    /// <summary>
    /// The items that are rented, the oldest rents first. Rents that were not sampled have no time and are last.
    /// </summary>
    public IReadOnlyList<LeaseSnapshot> GetLeases(int max)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(max);
        var leases = new List<LeaseSnapshot>();
        foreach (var (_, tracked) in _items)
        {
            if (tracked.IsRented)
            {
                leases.Add(SnapshotOf(tracked));
            }
        }

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
            LeasedFor = site.Elapsed(time) ?? TimeSpan.Zero,
            RentedAt = site.Frames,
            Scope = tracked.Scope,
        };
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

        // The policy of an inlined pool has reset it before the pool could check: that is not another change.
        tracked.Mark = null;
        counters.DoubleReturns++;
        Report(PoolMisuseKind.DoubleReturn, tracked.LastRent, tracked.LastReturn);
        return false;
    }

    private void End(T item, TrackedItem tracked, bool isKept)
    {
        var isSampled = tracked.LastRent.IsSampled;
        if (isKept && isSampled)
        {
            tracked.Mark = poison?.Apply(item);
        }

        tracked.EndReturn(isSampled ? Site(tracked.LastRent.Stack is not null) : default);
    }

    private LeaseSite Sample()
    {
        if (setting.Sampling > 1 && Interlocked.Increment(ref _rents) % setting.Sampling != 0)
        {
            return default;
        }

        var stacks = Interlocked.Increment(ref _stacks);
        return Site(stacks <= StacksAtFirst || stacks % StacksLater == 0);
    }

    private LeaseSite Site(bool withStack) => new(
        IsSampled: true, time.GetTimestamp(),
        withStack ? new StackTrace(fNeedFileInfo: Volatile.Read(ref _stacks) <= StacksAtFirst) : null);

    private void Report(PoolMisuseKind kind, in LeaseSite rented, in LeaseSite returned)
    {
        // From now on stacks are recorded again, so that the next misuse of the same kind is reported with all of them.
        Volatile.Write(ref _stacks, 0);
        var misuse = new PoolMisuseEventArgs(pool, kind, rented, returned, time);
        var isThrown = setting.Mode == ParanoidMode.Throw;
        PoolMisuse.Report(misuse, isThrown);
        if (isThrown)
        {
            throw new PoolMisuseException(misuse);
        }
    }
}
