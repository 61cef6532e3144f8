using System.Collections.Concurrent;

namespace Poolhouse.Samples.HelloPools;

// snippet: own-pool
internal sealed class FixedPool<T> : LeaseSource<T>, IPool, IDisposable
    where T : notnull
{
    private readonly ConcurrentBag<LeasableItem<T>> _idle = [];
    private readonly Func<T> _create;
    private long _created;
    private long _rented;
    private long _returned;

    public FixedPool(Func<T> create, FixedPoolOptions options)
        : base(options.Name ?? PoolNames.For(typeof(T)))
    {
        _create = create;
        for (var count = options.Freeze().Size; count > 0; count--)
        {
            _idle.Add(New());
        }
    }

    public Lease<T>? TryRent()
    {
        if (!_idle.TryTake(out var item))
        {
            return null;
        }

        Interlocked.Increment(ref _rented);
        return BeginLease(item);
    }

    public PoolStatistics GetStatistics() => new CachePoolStatistics
    {
        Rented = Volatile.Read(ref _rented),
        Returned = Volatile.Read(ref _returned),
        Created = Volatile.Read(ref _created),
        DoubleReturns = DoubleReturns,
    };

    public void Invalidate(Lease<T> lease)
    {
        if (FindItem(lease) is not null)
        {
            lease.Taint();
        }
    }

    public int Trim() => 0; // The number of items is fixed.

    public void Dispose()
    {
        while (_idle.TryTake(out var item))
        {
            Destroy(item);
        }
    }

    protected override void OnReturned(LeasableItem<T> item, bool isTainted)
    {
        Interlocked.Increment(ref _returned);
        if (isTainted)
        {
            OnDiscarded(item);
        }
        else
        {
            _idle.Add(item);
        }
    }

    protected override void OnDiscarded(LeasableItem<T> item)
    {
        Destroy(item);
        _idle.Add(New());
    }

    protected override void OnDetached(LeasableItem<T> item) => _idle.Add(New());

    private static void Destroy(LeasableItem<T> item) => (item.Value as IDisposable)?.Dispose();

    private LeasableItem<T> New()
    {
        Interlocked.Increment(ref _created);
        return Add(_create());
    }
}
// end snippet
