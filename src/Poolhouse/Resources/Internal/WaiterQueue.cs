using Poolhouse.Internal;

namespace Poolhouse.Resources;

/// <summary>The callers that wait, in the order of their arrival, synchronous and asynchronous ones alike. Under the core's gate.</summary>
internal sealed class WaiterQueue<T>
    where T : notnull
{
    private readonly IntrusiveList<Waiter<T>> _waiters = new();

    public Waiter<T>? Head => _waiters.First;

    public int Count { get; private set; }

    /// <summary>How many of them block a thread.</summary>
    public int SynchronousCount { get; private set; }

    public void Add(Waiter<T> waiter)
    {
        _waiters.AddLast(waiter);
        Count++;
        SynchronousCount += waiter.IsSynchronous ? 1 : 0;
    }

    public void Remove(Waiter<T> waiter)
    {
        _waiters.Remove(waiter);
        Count--;
        SynchronousCount -= waiter.IsSynchronous ? 1 : 0;
    }
}
