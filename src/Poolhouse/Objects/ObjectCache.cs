using System.Runtime.CompilerServices;
using Microsoft.Extensions.ObjectPool;
using Poolhouse.Caching;
using Poolhouse.Caching.Misuse;
using Poolhouse.Caching.Threads;
using Poolhouse.Kernel.Leases;
using Poolhouse.Kernel.Threading;

namespace Poolhouse.Objects;

/// <summary>The implementation of the two public object pools, which differ only in how they call the policy.</summary>
internal sealed class ObjectCache<T, TPolicy> : ILeaseOwner<T>, IPool, IDisposable
    where T : class
    where TPolicy : struct, IPooledObjectPolicy<T>
{
    // The item that the current thread is destroying.
    [ThreadStatic]
    private static object? _beingDestroyed;

    private readonly LeasableStore<T> _store;
    private readonly CacheEngine _engine;
    private readonly CacheStatistics _statistics;
    private readonly PoolReporter? _reporter;

    // Whether a CheckingPolicy calls TryBeginReturn before the pool's policy. Otherwise the pool calls it after the policy.
    private readonly bool _checksFirst;

    // False when the policy's Return would always return true, so the hot path need not call it.
    private readonly bool _resets;
#pragma warning disable IDE0044 // Not readonly: calls on a readonly field would go to a copy, and a policy may keep state.
    private TPolicy _policy;
#pragma warning restore IDE0044

    public ObjectCache(TPolicy policy, bool resets, ObjectPoolOptions? options, bool checksFirst = false)
    {
        var settings = (options ?? new ObjectPoolOptions()).Freeze<ObjectPoolOptions>();
        _policy = policy;
        _resets = resets;
        _checksFirst = checksFirst;
        Name = settings.Name ?? PoolNames.For(typeof(T));
        MaxRetained = settings.MaxRetained;
        _engine = new CacheEngine(new RetentionBudget(settings.MaxRetained), settings, MayNeedDisposal ? DestroyItemAsync : null);
        var setting = settings.ParanoidSetting;
        var detector = setting.IsOn
            ? new MisuseDetector<T>(
                Name, setting, settings.TimeProvider, poison: null, isInternal: !settings.IsReported)
            : null;
        _store = new LeasableStore<T>(
            _engine, weight: 1, Math.Min(settings.MaxRetained, ThreadStack.Capacity), this, resets, detector);
        _statistics = new CacheStatistics(_engine, bytesPerUnit: 0);
        _reporter = settings.IsReported ? PoolReporter.Of(settings.Meter, settings.MeterFactory) : null;
        _reporter?.Add(this);
    }

    public string Name { get; }

    public int MaxRetained { get; }

    public bool IsDisposed => _engine.IsDisposed;

    // An item of a sealed type that is not disposable needs no check when it is destroyed; otherwise a derived item may be
    // disposable.
    private static bool MayNeedDisposal =>
        !typeof(T).IsSealed || typeof(T).IsAssignableTo(typeof(IDisposable))
            || typeof(T).IsAssignableTo(typeof(IAsyncDisposable));

    /// <summary>
    /// The plain items. The public pools keep a copy of this table, and refresh it if they do not find the current thread in it.
    /// </summary>
    public ThreadStack?[] Table => _store.Items.Table;

    /// <summary>The current thread's stack of plain items.</summary>
    public ThreadStack Own() => _store.Items.Own();

    /// <summary>Rents an item when the current thread's stack has none.</summary>
    public T GetSlow(ThreadStack own)
    {
        _engine.ThrowIfDisposed(Name);
        return _store.TakeSlow(own) ?? CreateForRent(ref own.Counters);
    }

    /// <summary>Lets the policy reset a returned item. A rejected item is destroyed here, also when the reset throws.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    public bool TryReset(T item)
    {
        var accepted = false;
        try
        {
            accepted = _policy.Return(item);
        }
        finally
        {
            if (!accepted)
            {
                Refuse(item);
            }
        }

        return accepted;
    }

    /// <summary>Begins the return of an item before its policy is called, for a pool in paranoid mode.</summary>
    /// <returns>False if the item must be left alone.</returns>
    public bool TryBeginReturn(T item) => _store.TryBeginReturn(item);

    /// <summary>Returns an item when the current thread's stack has no free slot.</summary>
    public void ReturnSlow(ThreadStack own, T item)
    {
        if (_store.PutSlow(own, item) is PushResult.Surplus or PushResult.Closed)
        {
            DestroyReturned(item, ref own.Counters.Surplus);
        }
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public Lease<T> Rent() => (Unsafe.As<CacheSlot<T>>(_store.FindStack()?.TryPop()) ?? RentSlow()).BeginLease();

    public int Prefill(int count)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(count);
        _engine.ThrowIfDisposed(Name);

        // Slots reserved by threads are reclaimed first, so that the free capacity is known before an item is created.
        _engine.Gather();
        for (var added = 0; added < count; added++)
        {
            if (!_store.Items.HasRoom)
            {
                return added;
            }

            var item = Create();
            _store.OnCreated(item);
            _store.Counters.Created++;

            // Counted even if another thread takes the last slot meanwhile: the item is then surplus that was never rented.
            _statistics.CountPrefilled();
            if (!(ThreadTable.Find(ThreadIndex.Current, Table) is { } stack && stack.TryPush(item))
                && _store.PutSlow(Own(), item) is var result and not PushResult.Kept)
            {
                if (result == PushResult.DoubleReturn)
                {
                    // The policy has returned an item that is in the pool already: none was created, and none is destroyed.
                    _store.Counters.Created--;
                    _statistics.UncountPrefilled();
                }
                else
                {
                    _engine.Destroy(item);
                }

                return added;
            }
        }

        return count;
    }

    public IReadOnlyList<LeaseSnapshot> GetLeases(int max) => _store.GetLeases(max);

    public int Trim()
    {
        _statistics.UpdatePeak();
        return _engine.Trim();
    }

    public CachePoolStatistics GetStatistics() => _statistics.GetStatistics();

    PoolStatistics IPool.GetStatistics() => GetStatistics();

    public void Dispose()
    {
        _statistics.UpdatePeak();
        _engine.Dispose();
        _reporter?.Remove(this);
    }

    LeaseInfo ILeaseOwner<T>.GetInfo(LeaseSlot<T> slot) =>
        new(slot.Uses, _engine.Time.GetElapsedTime(slot.CreatedAt), TimeSpan.Zero);

    LeaseSnapshot? ILeaseOwner<T>.FindLease(LeaseSlot<T> slot) => _store.FindLease(slot.Item);

    void ILeaseOwner<T>.Return(LeaseSlot<T> slot)
    {
        if (slot.WasTainted)
        {
            ((ILeaseOwner<T>)this).Discard(slot);
            return;
        }

        if (_resets && !TryReset(slot.Item))
        {
            return;
        }

        if (!(_store.FindStack() is { } stack && stack.TryPush(slot))
            && _store.PutSlotSlow(Unsafe.As<CacheSlot<T>>(slot)) is PushResult.Surplus or PushResult.Closed)
        {
            _engine.Destroy(slot);
        }
    }

    void ILeaseOwner<T>.Discard(LeaseSlot<T> slot)
    {
        if (_store.TryDiscard(slot.Item))
        {
            _store.Counters.Discarded++;
            _engine.Destroy(slot);
        }
    }

    void ILeaseOwner<T>.Detach(LeaseSlot<T> slot)
    {
        if (_store.TryDetach(slot.Item))
        {
            _store.Counters.Detached++;
        }
    }

    void ILeaseOwner<T>.CountDoubleReturn() => _statistics.CountDoubleEnd();

    [MethodImpl(MethodImplOptions.NoInlining)]
    private CacheSlot<T> RentSlow()
    {
        _engine.ThrowIfDisposed(Name);
        return _store.TakeSlotSlow() ?? _store.AttachSlot(CreateForRent(ref _store.Counters));
    }

    private T CreateForRent(ref CacheCounters counters)
    {
        var item = Create();
        _store.OnCreated(item);
        counters.Misses++;
        counters.Created++;
        _statistics.UpdatePeakOccasionally(counters.Created);
        return item;
    }

    private T Create() => _policy.Create() ?? throw new InvalidOperationException(
        $"The policy of pool '{Name}' returned null. Create must not return null: check the policy or the create delegate.");

    private void Refuse(T item)
    {
        if (!_store.MayRefuse(item, _checksFirst))
        {
            return;
        }

        _store.OnDropped(item);
        ref var refused = ref _store.Counters.Refused;
        refused++;
        DestroyReturned(item, ref refused);
    }

    // If the item is returned by its own disposal, it is being destroyed already, and was counted when that began.
    private void DestroyReturned(T item, ref long counter)
    {
        if (item == _beingDestroyed)
        {
            counter--;
        }
        else
        {
            _engine.Destroy(item);
        }
    }

    private static ValueTask DestroyItemAsync(object itemOrSlot)
    {
        var outer = _beingDestroyed;
        _beingDestroyed = itemOrSlot is CacheSlot<T> slot ? slot.Item : itemOrSlot;
        try
        {
            switch (_beingDestroyed)
            {
                case IDisposable disposable:
                    disposable.Dispose();
                    return default;
                case IAsyncDisposable disposable:
                    return disposable.DisposeAsync();
                default:
                    return default;
            }
        }
        finally
        {
            _beingDestroyed = outer;
        }
    }
}
