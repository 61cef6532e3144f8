namespace Poolhouse.Resources.Engine.Waiting;

/// <summary>The waiting callers in order of arrival, synchronous and asynchronous ones alike. Under the core's gate.</summary>
// Uses links of its own rather than an IntrusiveList, which writes into each node which list it is in; every wait would pay for
// that (about 10 % of a hand-over; eng/bars.sh --only "resource, 8").
internal sealed class WaiterQueue<T>
    where T : notnull
{
    private Waiter<T>? _tail;

    public Waiter<T>? Head { get; private set; }

    public int Count { get; private set; }

    /// <summary>The number of waiters that block a thread.</summary>
    public int SynchronousCount { get; private set; }

    public void Add(Waiter<T> waiter)
    {
        waiter.Previous = _tail;
        if (_tail is null)
        {
            Head = waiter;
        }
        else
        {
            _tail.Next = waiter;
        }

        _tail = waiter;
        waiter.IsQueued = true;
        Count++;
        SynchronousCount += waiter.IsSynchronous ? 1 : 0;
    }

    public void Remove(Waiter<T> waiter)
    {
        if (waiter.Previous is { } previous)
        {
            previous.Next = waiter.Next;
        }
        else
        {
            Head = waiter.Next;
        }

        if (waiter.Next is { } next)
        {
            next.Previous = waiter.Previous;
        }
        else
        {
            _tail = waiter.Previous;
        }

        waiter.Previous = null;
        waiter.Next = null;
        waiter.IsQueued = false;
        Count--;
        SynchronousCount -= waiter.IsSynchronous ? 1 : 0;
    }
}
