using System.Runtime.CompilerServices;
using Poolhouse.Caching.Threads;

namespace Poolhouse.Caching;

/// <summary>The core of a cache: stores that share one budget, and the maintenance that releases idle items.</summary>
// TieredStore.Gather is the only way to take items from the stacks of other threads. It is used for rebalancing when a thread
// runs out of items or free slots, for the idle clock, memory pressure, Trim and Dispose.
// Locks: _gate guards the list of stores, and ensures that only one snapshot at a time holds all stores' locks. It is taken
// before a store's lock.
// Items are destroyed outside of every lock, on the thread that trims the pool, returns the item, or finds it changed.
internal sealed class CacheEngine : IDisposable
{
    // A sweep interrupts other cores. The pause after each one is at least this, and RebalanceShare times its duration, so that
    // sweeps take no more than about one percent of the time. The longest pause is for a thread that was suspended during a
    // sweep, or a clock that jumped: that is not the cost of sweeping.
    private static readonly TimeSpan _shortestRebalanceInterval = TimeSpan.FromMilliseconds(1);
    private static readonly TimeSpan _longestRebalanceInterval = TimeSpan.FromSeconds(1);
    private const int RebalanceShare = 100;

    private readonly Gate _gate = new();
    private readonly Func<object, ValueTask>? _destroy;
    private readonly MemoryPressureSource _pressure;
    private readonly PoolClock _clock;
    private readonly DeadlineTimer? _idleTimer;
    private readonly long _tick;
    private TieredStore[] _stores = [];
    private long _nextRebalance = long.MinValue;
    private long _destroyFailures;
    private volatile bool _disposed;

    /// <param name="budget">How much the stores may retain together.</param>
    /// <param name="options">The settings common to all caches, validated.</param>
    /// <param name="destroy">Destroys an item; null if items are left to the garbage collector.</param>
    public CacheEngine(RetentionBudget budget, CacheOptions options, Func<object, ValueTask>? destroy)
    {
        Budget = budget;
        Time = options.TimeProvider;
        _destroy = destroy;
        _clock = new PoolClock(Time);
        if (options.IdleTimeout != Timeout.InfiniteTimeSpan)
        {
            _tick = _clock.Ticks(options.IdleTimeout / Depot.TicksPerTimeout);
            _idleTimer = new DeadlineTimer(Time, _clock, Tick);
        }

        _pressure = options.MemoryPressure;
        _pressure.Add(this);
    }

    public RetentionBudget Budget { get; }

    public TimeProvider Time { get; }

    public bool IsDisposed => _disposed;

    public long DestroyFailures => Volatile.Read(ref _destroyFailures);

    /// <summary>Whether items are destroyed, not left to the garbage collector.</summary>
    public bool DestroysItems => _destroy is not null;

    /// <summary>Used by the slow path of a rent. The fast path finds no items in a disposed pool, so it need not check.</summary>
    /// <exception cref="ObjectDisposedException">The pool was disposed.</exception>
    public void ThrowIfDisposed(string pool)
    {
        if (_disposed)
        {
            throw new ObjectDisposedException(
                pool, $"Pool '{pool}' was disposed: it can no longer be rented from. Outstanding items may still be returned.");
        }
    }

    /// <param name="weight">The number of budget units that one item takes.</param>
    /// <param name="stackCapacity">The maximum number of items that a thread keeps; 0 if all are kept in the depot.</param>
    /// <param name="quarantine">How many other items are returned before a returned item is rented again; null if threads keep
    /// items.</param>
    public TieredStore AddStore(long weight, int stackCapacity, int? quarantine = null)
    {
        var store = new TieredStore(Budget, weight, stackCapacity, quarantine);
        using (_gate.Enter())
        {
            _stores = [.. _stores, store];
            if (_disposed)
            {
                store.TrimAll(close: true, removed: null);
            }
        }

        return store;
    }

    /// <summary>
    /// Offers an item to a store whose fast path had no free slot, and sweeps for slots if other threads seem to hold some.
    /// </summary>
    /// <param name="store">The store.</param>
    /// <param name="own">The current thread's stack in it.</param>
    /// <param name="item">The item.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public PushResult PushSlow(TieredStore store, ThreadStack own, object item)
    {
        var result = store.PushToDepot(own, item);
        if (result == PushResult.Surplus && store.MayGainFromOthers(own, CapacityElsewhere(store)))
        {
            result = PushAfterRebalance(store, own, item);
        }

        OnPushed(own, result);
        return result;
    }

    /// <summary>Offers an item to a store with a quarantine.</summary>
    /// <param name="store">The store.</param>
    /// <param name="own">The current thread's stack in it.</param>
    /// <param name="item">The item.</param>
    /// <param name="stamp">The stamp of the item.</param>
    public PushResult PushToQuarantine(TieredStore store, ThreadStack own, object item, object stamp)
    {
        var result = store.PushToQuarantine(item, stamp);
        OnPushed(own, result);
        return result;
    }

    /// <summary>
    /// Takes an item from a store whose fast path had none, and sweeps for items if other threads seem to hold some.
    /// </summary>
    /// <param name="store">The store.</param>
    /// <param name="own">The current thread's stack in it.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public object? PopSlow(TieredStore store, ThreadStack own) =>
        store.PopFromDepot(own) ?? (store.MayGainFromOthers(own, elsewhere: 0) ? PopAfterRebalance(store, own) : null);

    /// <summary>Moves the items of all threads to the depots, and returns their unused slots to the budget.</summary>
    public void Gather()
    {
        foreach (var store in Volatile.Read(ref _stores))
        {
            store.Gather();
        }
    }

    /// <summary>Destroys all retained items.</summary>
    /// <returns>The number of items destroyed.</returns>
    public int Trim() => Remove(static (store, removed) => store.TrimAll(close: false, removed));

    /// <summary>Releases memory: briefly idle items at medium pressure, all items at high pressure.</summary>
    public void OnPressure(MemoryPressure pressure)
    {
        if (pressure == MemoryPressure.High)
        {
            Trim();
        }
        else if (pressure == MemoryPressure.Medium)
        {
            Remove(static (store, removed) => store.TrimIdle(wholeTimeout: false, removed));
        }
    }

    /// <summary>
    /// Rejects items from now on and destroys those retained. Leased items belong to their holders until they are returned.
    /// </summary>
    public void Dispose()
    {
        using (_gate.Enter())
        {
            _disposed = true;
        }

        Remove(static (store, removed) => store.TrimAll(close: true, removed));
        _idleTimer?.Dispose();
        _pressure.Remove(this);
    }

    /// <summary>Destroys an item that has left the pool: surplus, rejected, trimmed, or returned after disposal.</summary>
    public void Destroy(object item)
    {
        if (_destroy is not null)
        {
            _ = DestroyAsync(item);
        }
    }

    public CacheSnapshot GetSnapshot()
    {
        var snapshot = default(CacheSnapshot);
        using (_gate.Enter())
        {
            foreach (var store in _stores)
            {
                store.Freeze();
            }

            foreach (var store in _stores)
            {
                store.AddTo(ref snapshot);
            }

            foreach (var store in _stores)
            {
                store.Unfreeze();
            }
        }

        return snapshot;
    }

    /// <summary>
    /// A cache is synchronous: it starts an asynchronous disposal, does not wait for it, and counts its outcome.
    /// </summary>
    private async Task DestroyAsync(object item)
    {
#pragma warning disable CA1031 // Counted: it must not prevent other disposals, nor reach the caller that returned this item.
        try
        {
            await _destroy!(item).ConfigureAwait(false);
        }
        catch (Exception failure)
        {
            Interlocked.Increment(ref _destroyFailures);
            CurrentThread.KeepInterrupt(failure);
        }
#pragma warning restore CA1031
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private PushResult PushAfterRebalance(TieredStore store, ThreadStack own, object item) =>
        TryRebalance(gathered: null) ? store.PushToDepot(own, item) : PushResult.Surplus;

    [MethodImpl(MethodImplOptions.NoInlining)]
    private object? PopAfterRebalance(TieredStore store, ThreadStack own) =>
        TryRebalance(store) ? store.PopFromDepot(own) : null;

    private void OnPushed(ThreadStack own, PushResult result)
    {
        switch (result)
        {
            case PushResult.Kept:
                EnsureTicking();
                break;
            case PushResult.DoubleReturn:
                own.Counters.DoubleReturns++;
                break;
            default:
                own.Counters.Surplus++;
                break;
        }
    }

    // A tick begins unscheduled, so that an item that is added after IsEmpty was read schedules the next one.
    private void EnsureTicking()
    {
        if (_idleTimer is not { IsScheduled: false })
        {
            return;
        }

        try
        {
            _idleTimer.ScheduleAt(PoolClock.Add(_clock.Now, _tick));
        }
        catch (OutOfMemoryException)
        {
            // The item was added: if the return failed, its caller might continue to use it. The next return tries again.
        }
    }

    private long Tick(long now)
    {
        Remove(static (store, removed) => store.TrimIdle(wholeTimeout: true, removed));
        return PoolClock.Never;
    }

    private bool IsEmpty => Array.TrueForAll(Volatile.Read(ref _stores), store => store.IsEmpty);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private int CapacityElsewhere(TieredStore store)
    {
        var stores = Volatile.Read(ref _stores);
        return stores.Length == 1 ? 0 : CapacityElsewhere(stores, store);
    }

    private static int CapacityElsewhere(TieredStore[] stores, TieredStore store)
    {
        var capacity = 0;
        foreach (var each in stores)
        {
            capacity += each == store ? 0 : each.CapacityOnThreads;
        }

        return capacity;
    }

    // Gathers the items of one store, or, if it is null, of all.
    private bool TryRebalance(TieredStore? gathered)
    {
        var started = _clock.Now;
        var next = Volatile.Read(ref _nextRebalance);
        var longest = _clock.Ticks(_longestRebalanceInterval);

        // Until it is known how long this sweep took, or if it fails, the pause is the longest one.
        if (started < next || Interlocked.CompareExchange(ref _nextRebalance, started + longest, next) != next)
        {
            return false;
        }

        if (gathered is null)
        {
            Gather();
        }
        else
        {
            gathered.Gather();
        }

        var now = _clock.Now;
        var took = Math.Clamp(now - started, 0, longest / RebalanceShare);
        Volatile.Write(ref _nextRebalance, now + Math.Max(_clock.Ticks(_shortestRebalanceInterval), took * RebalanceShare));
        return true;
    }

    private int Remove(Func<TieredStore, List<object?>?, int> trim)
    {
        var removed = DestroysItems ? new List<object?>() : null;
        var count = 0;
        foreach (var store in Volatile.Read(ref _stores))
        {
            count += trim(store, removed);
        }

        // Before the items are destroyed, because that may block.
        if (!IsEmpty)
        {
            EnsureTicking();
        }

        foreach (var item in removed ?? [])
        {
            Destroy(item!);
        }

        return count;
    }
}
