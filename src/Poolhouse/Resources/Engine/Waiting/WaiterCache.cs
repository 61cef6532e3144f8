using Poolhouse.Kernel.Threading;

namespace Poolhouse.Resources.Engine.Waiting;

/// <summary>A cache of reusable waiters. Lock-free: a slot is emptied and filled by exchange, on a cache line that few threads share.</summary>
internal sealed class WaiterCache<T>
    where T : notnull
{
    private const int Groups = 16;
    private const int GroupSize = 8;

    private readonly AsyncWaiter<T>?[] _slots = new AsyncWaiter<T>?[Groups * GroupSize];

    private static int OwnGroup => (ThreadIndex.Current & (Groups - 1)) * GroupSize;

    public AsyncWaiter<T>? TryTake()
    {
        // The thread's own slots first: the thread that ends a wait is often the next to begin one.
        var start = OwnGroup;
        for (var i = 0; i < _slots.Length; i++)
        {
            ref var slot = ref _slots[(start + i) & (_slots.Length - 1)];
            if (Volatile.Read(ref slot) is not null && Interlocked.Exchange(ref slot, null) is { } waiter)
            {
                return waiter;
            }
        }

        return null;
    }

    /// <summary>Keeps the waiter unless the thread's own slots are all taken.</summary>
    public void Put(AsyncWaiter<T> waiter)
    {
        var start = OwnGroup;
        for (var i = start; i < start + GroupSize; i++)
        {
            if (Volatile.Read(ref _slots[i]) is null && Interlocked.CompareExchange(ref _slots[i], waiter, null) is null)
            {
                return;
            }
        }
    }
}
