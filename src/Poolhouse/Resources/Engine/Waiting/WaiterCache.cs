namespace Poolhouse.Resources.Engine.Waiting;

/// <summary>
/// A cache of reusable waiters. Lock-free: a slot is emptied and filled by exchange, on a cache line that few threads share.
/// </summary>
internal sealed class WaiterCache<TGrant, T>
    where TGrant : class
    where T : notnull
{
    private const int Groups = 16;
    private const int GroupSize = 8;

    // Created for the first caller that waits: a kilobyte, and many pools never have one. Not by Put: a caller whose wait has
    // ended must not lose its lease to a lack of memory.
    private Slot[]? _slots;

    private static int OwnGroup => (ThreadIndex.Current & (Groups - 1)) * GroupSize;

    public AsyncWaiter<TGrant, T>? TryTake()
    {
        if (Volatile.Read(ref _slots) is not { } slots)
        {
            // Two threads may both create them: all use those that were published first.
            Interlocked.CompareExchange(ref _slots, new Slot[Groups * GroupSize], null);
            return null;
        }

        // The thread's own slots first: the thread that ends a wait is often the next to begin one.
        var start = OwnGroup;
        for (var i = 0; i < slots.Length; i++)
        {
            ref var slot = ref slots[(start + i) & (slots.Length - 1)].Waiter;
            if (Volatile.Read(ref slot) is not null && Interlocked.Exchange(ref slot, null) is { } waiter)
            {
                return waiter;
            }
        }

        return null;
    }

    /// <summary>Keeps the waiter unless the thread's own slots are all taken.</summary>
    public void Put(AsyncWaiter<TGrant, T> waiter)
    {
        if (Volatile.Read(ref _slots) is not { } slots)
        {
            return;
        }

        var start = OwnGroup;
        for (var i = start; i < start + GroupSize; i++)
        {
            ref var slot = ref slots[i].Waiter;
            if (Volatile.Read(ref slot) is null && Interlocked.CompareExchange(ref slot, waiter, null) is null)
            {
                return;
            }
        }
    }

    // A struct, because a reference to an element of an array of objects is checked against the element type at run time.
    private struct Slot
    {
        public AsyncWaiter<TGrant, T>? Waiter;
    }
}
