using System.Collections.Concurrent;

namespace Poolhouse.Samples.HelloPools;

// snippet: own-pool
internal sealed class FixedPool<T> : LeaseSource<T>, IPool, IDisposable
    where T : notnull
{
    private readonly ConcurrentBag<LeasableItem<T>> _idle = [];
    private readonly Func<T> _create;
    private readonly int _size;
    private long _created;
    private long _rented;
    private long _returned;
    private long _leased;
    private volatile bool _closed;

    public FixedPool(Func<T> create, FixedPoolOptions options)
        : base(options.Name ?? PoolNames.For(typeof(T)))
    {
        _create = create;
        _size = options.Freeze().Size;
        for (var count = _size; count > 0; count--)
        {
            _idle.Add(New());
        }
    }

    public Lease<T>? TryRent()
    {
        ObjectDisposedException.ThrowIf(_closed, this);
        if (!_idle.TryTake(out var item))
        {
            return null;
        }

        Interlocked.Increment(ref _rented);
        Interlocked.Increment(ref _leased);
        return BeginLease(item);
    }

    public PoolStatistics GetStatistics() => new ResourcePoolStatistics
    {
        MaxSize = _size,
        Idle = _idle.Count,
        Leased = Volatile.Read(ref _leased),
        Rented = Volatile.Read(ref _rented),
        Returned = Volatile.Read(ref _returned),
        Created = Volatile.Read(ref _created),
        DoubleReturns = DoubleReturns,
        Closed = _closed,
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
        _closed = true;
        DestroyIdle();
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
            EndLease(item);
        }
    }

    protected override void OnDiscarded(LeasableItem<T> item)
    {
        Destroy(item);
        EndLease(New());
    }

    protected override void OnDetached(LeasableItem<T> item) => EndLease(New());

    private static void Destroy(LeasableItem<T> item) => (item.Value as IDisposable)?.Dispose();

    private LeasableItem<T> New()
    {
        Interlocked.Increment(ref _created);
        return Add(_create());
    }

    private void EndLease(LeasableItem<T> next)
    {
        Interlocked.Decrement(ref _leased);
        _idle.Add(next);
        if (_closed)
        {
            DestroyIdle(); // Dispose may have emptied the bag before.
        }
    }

    private void DestroyIdle()
    {
        while (_idle.TryTake(out var item))
        {
            Destroy(item);
        }
    }
}
// end snippet
