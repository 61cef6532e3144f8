using System.Runtime.CompilerServices;
using Microsoft.Extensions.ObjectPool;
using Poolhouse.Caching;
using Poolhouse.Caching.Threads;

namespace Poolhouse.Objects;

/// <summary>The implementation of the two public object pools, which differ only in how they call the policy.</summary>
internal sealed class ObjectCache<T, TPolicy> : CacheCore<T>, ILeaseOwner<T>
    where T : class
    where TPolicy : struct, IPooledObjectPolicy<T>
{
    // The item that the current thread is destroying.
    [ThreadStatic]
    private static object? _beingDestroyed;

    private readonly LeasableStore<T> _store;

    // Whether a CheckingPolicy calls TryBeginReturn before the pool's policy. Otherwise the pool calls it after the policy.
    private readonly bool _checksFirst;

    // False when the policy's Return would always return true, so the hot path need not call it.
    private readonly bool _resets;
#pragma warning disable IDE0044 // Not readonly: calls on a readonly field would go to a copy, and a policy may keep state.
    private TPolicy _policy;
#pragma warning restore IDE0044

    public ObjectCache(TPolicy policy, bool resets, ObjectPoolOptions settings, bool checksFirst = false)
        : base(
            typeof(T), settings, settings.MaxRetained, bytesPerUnit: 0, destroy: MayNeedDisposal ? DestroyItemAsync : null,
            isReported: settings.IsReported)
    {
        _policy = policy;
        _resets = resets;
        _checksFirst = checksFirst;
        MaxRetained = settings.MaxRetained;
        _store = new LeasableStore<T>(
            Engine, weight: 1, Math.Min(settings.MaxRetained, ThreadStack.Capacity), this, resets, Detector);
    }

    public int MaxRetained { get; }

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
        Engine.ThrowIfDisposed(Name);
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
        Engine.ThrowIfDisposed(Name);

        // Slots reserved by threads are reclaimed first, so that the free capacity is known before an item is created.
        Engine.Gather();
        for (var added = 0; added < count; added++)
        {
            if (!_store.Items.HasRoom)
            {
                return added;
            }

            var item = Create();
            Detector?.OnCreated(item);
            _store.Counters.Created++;

            // Counted even if another thread takes the last slot meanwhile: the item is then surplus that was never rented.
            Statistics.CountPrefilled();
            if (!(ThreadStack.Find(ThreadIndex.Current, Table) is { } stack && stack.TryPush(item))
                && _store.PutSlow(Own(), item) is var result and not PushResult.Kept)
            {
                if (result == PushResult.DoubleReturn)
                {
                    // The policy has returned an item that is in the pool already: none was created, and none is destroyed.
                    _store.Counters.Created--;
                    Statistics.UncountPrefilled();
                }
                else
                {
                    Engine.Destroy(item);
                }

                return added;
            }
        }

        return count;
    }

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
            Engine.Destroy(slot);
        }
    }

    void ILeaseOwner<T>.Discard(LeaseSlot<T> slot)
    {
        if (Detector?.TryDiscard(slot.Item, ref _store.Counters) != false)
        {
            _store.Counters.Discarded++;
            Engine.Destroy(slot);
        }
    }

    void ILeaseOwner<T>.Detach(LeaseSlot<T> slot)
    {
        if (Detector?.TryDetach(slot.Item, ref _store.Counters) != false)
        {
            _store.Counters.Detached++;
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private CacheSlot<T> RentSlow()
    {
        Engine.ThrowIfDisposed(Name);
        return _store.TakeSlotSlow() ?? _store.AttachSlot(CreateForRent(ref _store.Counters));
    }

    private T CreateForRent(ref CacheCounters counters)
    {
        var item = Create();
        Detector?.OnCreated(item);
        CountMiss(ref counters);
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

        Detector?.OnDropped(item);
        ref var refused = ref _store.Counters.Refused;
        refused++;
        DestroyReturned(item, ref refused);
    }

    // If the item is returned by its own disposal, it is being destroyed already, and was counted when that began.
    private void DestroyReturned(T item, ref long counter)
    {
        // In this order, because a thread static of a generic type is slow, and a pool that is too small comes here often.
        if (Engine.DestroysItems && item == _beingDestroyed)
        {
            counter--;
        }
        else
        {
            Engine.Destroy(item);
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
