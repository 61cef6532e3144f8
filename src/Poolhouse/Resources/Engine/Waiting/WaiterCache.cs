using Poolhouse.Kernel.Threading;

namespace Poolhouse.Resources.Engine.Waiting;

/// <summary>A cache of reusable waiters. Lock-free: a slot is emptied and filled by exchange, on a cache line that few threads share.</summary>
internal sealed class WaiterCache<T>
    where T : notnull
{
    private const int Groups = 16;
    private const int GroupSize = 8;

    private readonly AsyncWaiter<T>?[] _places = new AsyncWaiter<T>?[Groups * GroupSize];

    private static int OwnGroup => (ThreadIndex.Current & (Groups - 1)) * GroupSize;

    public AsyncWaiter<T>? TryTake()
    {
        // The thread's own slots first: the thread that ends a wait is often the next to begin one.
        var start = OwnGroup;
        for (var i = 0; i < _places.Length; i++)
        {
            ref var place = ref _places[(start + i) & (_places.Length - 1)];
            if (Volatile.Read(ref place) is not null && Interlocked.Exchange(ref place, null) is { } waiter)
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
            if (Volatile.Read(ref _places[i]) is null && Interlocked.CompareExchange(ref _places[i], waiter, null) is null)
            {
                return;
            }
        }
    }
}
