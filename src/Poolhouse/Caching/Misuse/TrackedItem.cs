namespace Poolhouse.Caching.Misuse;

/// <summary>What a detector knows about one item. It does not refer to the item.</summary>
// Invariants
//   the state is Rented exactly while a caller of the pool has the item; the CAS Rented -> Returning is the only way to return
//   it, so of two returns only one succeeds
//   only the thread that began a return may finish it; _returner is 0 unless a return is in progress, so that a thread which
//   returned the item before is not mistaken for the one that returns it now
//   Mark is written by the thread that puts the item in the pool, before it does so, and by the thread that took it out
internal sealed class TrackedItem(long number)
{
    private const int Idle = 0;
    private const int Rented = 1;
    private const int Returning = 2;

    private int _state = Rented;
    private int _returner;
    private LeaseSite _lastRent;
    private LeaseSite _lastReturn;
    private Action? _endScopedRent;

    /// <summary>The number of the item in its pool, in the order of creation.</summary>
    public long Number => number;

    public bool IsRented => Volatile.Read(ref _state) == Rented;

    /// <summary>The last rent.</summary>
    // A report of misuse by several threads at once may show the time of one rent and the stack of another.
    public LeaseSite LastRent => _lastRent;

    /// <summary>The last return.</summary>
    public LeaseSite LastReturn => _lastReturn;

    /// <summary>Whether the last rent was sampled.</summary>
    public bool IsSampled => _lastRent.IsSampled;

    /// <summary>The mark of the poison; null if the item is not marked.</summary>
    public object? Mark { get; set; }

    /// <summary>Whether the current thread has begun to return the item and has not finished.</summary>
    public bool IsReturningHere =>
        Volatile.Read(ref _state) == Returning && _returner == Environment.CurrentManagedThreadId;

    /// <summary>For the thread that took the item out of the pool, or created it.</summary>
    /// <param name="site">When and where the item is rented.</param>
    /// <param name="endScopedRent">Ends the same rent in the scope of a test, if there is one.</param>
    public void BeginRent(in LeaseSite site, Action? endScopedRent)
    {
        Set(ref _lastRent, site);
        EndScopedRent();
        if (endScopedRent is not null)
        {
            _endScopedRent = endScopedRent;
        }

        Mark = null;
        Volatile.Write(ref _state, Rented);
    }

    public bool TryBeginReturn()
    {
        if (Interlocked.CompareExchange(ref _state, Returning, Rented) != Rented)
        {
            return false;
        }

        _returner = Environment.CurrentManagedThreadId;
        return true;
    }

    /// <summary>For the thread that began the return: before the item becomes available to others, or is destroyed.</summary>
    public void EndReturn(in LeaseSite site)
    {
        Set(ref _lastReturn, site);
        EndScopedRent();
        _returner = 0;
        Volatile.Write(ref _state, Idle);
    }

    /// <summary>Ends the rent in the scope of a test, for an item that was returned or detached.</summary>
    public void EndScopedRent()
    {
        if (_endScopedRent is { } end)
        {
            _endScopedRent = null;
            end();
        }
    }

    // Most rents are not sampled, or have no stack: storing a reference costs more than the comparison.
    private static void Set(ref LeaseSite site, in LeaseSite value)
    {
        if (value.Stack is not null || site.Stack is not null)
        {
            site = value;
        }
        else if (value.IsSampled || site.IsSampled)
        {
            site = new LeaseSite(value.IsSampled, value.Time, Stack: null);
        }
    }
}
