using Poolhouse.Testing.Leaks;

namespace Poolhouse.Testing;

/// <summary>
/// Checks a whole test run: what was rented outside of any <see cref="LeakScope"/> must have been returned at its end, and pools
/// must be disposed.
/// </summary>
/// <remarks>
/// Create it before the first test and dispose it after the last one: as a fixture of the assembly. Pools that were created
/// before are not covered, nor are those that belong to the whole process, such as <see cref="StreamPool.Shared"/>. Items are
/// found as by a <see cref="LeakScope"/>: also those of disposed pools, and those that were collected. One check at a time,
/// because it covers the whole process.
/// </remarks>
public sealed class LeakCheck : IDisposable
{
    private static LeakCheck? _active;

    private readonly HashSet<LivePools.Record> _before = [.. LivePools.NotDisposed];
    private readonly RentScope _rents = new();
    private IReadOnlyList<Leak>? _atEnd;

    /// <summary>Begins the check, and turns on the tracking of leases; see <see cref="LeakScope.Enable"/>.</summary>
    /// <exception cref="InvalidOperationException">Another check is active.</exception>
    public LeakCheck()
    {
        if (Interlocked.CompareExchange(ref _active, this, null) is not null)
        {
            throw new InvalidOperationException(
                "Another LeakCheck is active. A check covers the whole process: create one for the whole test run, not one for " +
                "each class.");
        }

        LeakScope.Enable();
        LeaseTracking.OfProcess = _rents;
    }

    /// <summary>Finds rented items that were not returned, and pools that were not disposed.</summary>
    /// <returns>The oldest leases first; empty if there are none. After the end of the check, those that it found then.</returns>
    public IReadOnlyList<Leak> FindLeaks() => _atEnd ??
    [
        .. Leak.Find(_rents),
        .. LivePools.NotDisposed.Except(_before).Select(static pool => new Leak(LeakKind.Pool, pool.Name, pool.Age, pool.Site)),
    ];

    /// <summary>Ends the check.</summary>
    /// <exception cref="LeakException">Something was not returned, or a pool was not disposed.</exception>
    public void Dispose()
    {
        if (_atEnd is not null)
        {
            return;
        }

        LeaseTracking.OfProcess = null;
        Volatile.Write(ref _active, null);
        _atEnd = FindLeaks();
        _rents.End();
        LeakException.ThrowIfAny(_atEnd);
    }
}
