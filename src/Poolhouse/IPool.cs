namespace Poolhouse;

/// <summary>What every pool can tell and do, whatever it pools: for metrics, health checks and operators' pages.</summary>
/// <remarks>All members are safe to call from any thread at any time, also after the pool was disposed.</remarks>
public interface IPool
{
    /// <summary>The name of the pool in metrics and messages.</summary>
    /// <value>The name given in the options, or one made of the item's type and a number. Never derived from a secret.</value>
    string Name { get; }

    /// <summary>Reads the pool's counters.</summary>
    /// <returns>An immutable snapshot: exact while nobody rents or returns, otherwise off by the operations under way.</returns>
    PoolStatistics GetStatistics();

    /// <summary>Destroys every item that the pool retains and nobody has rented.</summary>
    /// <returns>How many items were destroyed.</returns>
    int Trim();
}
