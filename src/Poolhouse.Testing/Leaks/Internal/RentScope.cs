using System.Collections.Concurrent;
using Poolhouse.Kernel.Misuse;
using Poolhouse.Kernel.Time;

namespace Poolhouse.Testing.Leaks;

/// <summary>What was rented in a scope of a test, and not returned. Thread safe.</summary>
// Refers to neither items nor pools: a leak is found whether or not they were collected, and nothing is kept alive for it.
internal sealed class RentScope(RentScope? outer = null)
{
    private readonly ConcurrentDictionary<ScopedRent, bool> _rents = new();
    private bool _ended;

    /// <summary>The scope around it in its flow; null: none.</summary>
    public RentScope? Outer => outer;

    public bool HasEnded => Volatile.Read(ref _ended);

    /// <summary>The rents that have not ended. A copy.</summary>
    public IEnumerable<ScopedRent> Rents => _rents.Keys;

    /// <summary>Adds a rent.</summary>
    /// <param name="pool">The name of the pool.</param>
    /// <param name="clock">The clock of the pool.</param>
    /// <param name="site">When and where the item was rented.</param>
    public ScopedRent Begin(string pool, PoolClock clock, in LeaseSite site)
    {
        var rent = new ScopedRent(this, pool, clock, site);
        _rents.TryAdd(rent, true);

        // After the addition: it and Clear take the same lock, so either End removes the rent, or the end is visible here.
        if (HasEnded)
        {
            Remove(rent);
        }

        return rent;
    }

    public void Remove(ScopedRent rent) => _rents.TryRemove(rent, out _);

    /// <summary>Ends the scope: rents are neither kept nor added any more.</summary>
    public void End()
    {
        Volatile.Write(ref _ended, true);
        _rents.Clear();
    }
}
