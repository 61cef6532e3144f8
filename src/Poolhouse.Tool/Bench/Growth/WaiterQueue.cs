using Poolhouse.Tool.Bench.Measuring;
using Poolhouse.Tool.Bench.Objects.Operations;

namespace Poolhouse.Tool.Bench.Growth;

#pragma warning disable CA2012 // Each of the stored tasks is consumed once.
/// <summary>A pool of one item, and a number of callers that wait for it.</summary>
internal sealed class WaiterQueue : IDisposable
{
    private static readonly TimeSpan _long = TimeSpan.FromHours(1);

    private readonly ResourcePool<Item> _pool;
    private readonly ValueTask<Lease<Item>>[] _waiters;
    private Lease<Item> _lease;
    private int _first;

    public WaiterQueue(ResourcePool<Item> pool, int waiters)
    {
        _pool = pool;
        _lease = pool.Rent(CancellationToken.None);
        _waiters = new ValueTask<Lease<Item>>[waiters];
        for (var i = 0; i < waiters; i++)
        {
            _waiters[i] = pool.RentAsync(_long, CancellationToken.None);
        }
    }

    /// <summary>The first waiter gets the item, and queues again at the end.</summary>
    public long PassOn()
    {
        _lease.Dispose();
        var waiter = _waiters[_first];
        var spin = default(SpinWait);
        while (!waiter.IsCompleted)
        {
            spin.SpinOnce(sleep1Threshold: -1);
        }

#pragma warning disable VSTHRD002, VSTHRD103, MA0042 // It is completed.
        _lease = waiter.GetAwaiter().GetResult();
#pragma warning restore VSTHRD002, VSTHRD103, MA0042
        _waiters[_first] = _pool.RentAsync(_long, CancellationToken.None);
        _first = (_first + 1) % _waiters.Length;
        return _lease.Value.Touch();
    }

    // The waiters end with the pool, so none of them gets the item.
    public void Dispose()
    {
        _pool.Dispose();
        _lease.Dispose();
    }

    /// <summary>One hand-over.</summary>
    internal readonly struct HandOver(WaiterQueue queue) : IOperation
    {
        public int Operations => 1;

        public long Invoke() => queue.PassOn();
    }
}
