namespace Poolhouse.Testing;

/// <summary>How a contract rents.</summary>
public enum RentWay
{
    /// <summary><see cref="ContractPool.RentAsync"/>.</summary>
    Async,

    /// <summary><see cref="ContractPool.Rent"/>, on a dedicated thread.</summary>
    Sync,

    /// <summary>
    /// <see cref="ContractPool.TryRent"/> first, and <see cref="ContractPool.RentAsync"/> if that returns no item.
    /// </summary>
    TryFirst,
}
