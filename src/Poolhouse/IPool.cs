namespace Poolhouse;

/// <summary>The members common to every pool, whatever it pools: for metrics, health checks and diagnostics pages.</summary>
/// <remarks>All members are safe to call from any thread at any time, also after the pool has been disposed.</remarks>
public interface IPool
{
    /// <summary>The name of the pool in metrics and messages.</summary>
    /// <value>
    /// The name given in the options, or else the type of the items. Two pools may have the same name. Never derived from a
    /// secret.
    /// </value>
    string Name { get; }

    /// <summary>Reads the pool's counters.</summary>
    /// <returns>
    /// An immutable snapshot: exact while no item is being rented or returned, otherwise off by the operations in progress.
    /// </returns>
    PoolStatistics GetStatistics();

    /// <summary>Reads which items are leased, since when and by whom, without stopping the pool.</summary>
    /// <param name="max">The maximum number of leases to return; 0 or more.</param>
    /// <returns>
    /// The oldest leases first; one that ends meanwhile is left out. Empty for pools that keep no list of their leases: worker
    /// pools, and caches unless they are in paranoid mode.
    /// </returns>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="max"/> is negative.</exception>
    IReadOnlyList<LeaseSnapshot> GetLeases(int max) => LeaseSnapshot.None(max);

    /// <summary>Destroys every idle item that the pool retains.</summary>
    /// <returns>The number of items destroyed.</returns>
    int Trim();

    /// <summary>Reads the servers that items are created on, by name; empty if their policy knows none.</summary>
    internal IReadOnlyList<ServerStatistics<string>> GetServers() => [];
}
