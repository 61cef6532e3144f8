using Poolhouse.Resources;
using Poolhouse.Testing;

namespace Poolhouse.Contracts;

/// <summary>The contract over one kind of pool.</summary>
internal sealed class PoolContract(PoolKind kind) : ResourcePoolContract
{
    protected override ContractPool CreatePool(ResourcePolicy<ContractItem> policy, ResourcePoolOptions options) => kind switch
    {
        // The keyed pool, rented under one key, belongs here: a ContractPool of its own and a second PoolKind.
        PoolKind.ResourcePool => ContractPool.Over(new ResourcePool<ContractItem>(policy, options)),
        _ => throw new ArgumentOutOfRangeException(nameof(policy), kind, "No such kind."),
    };
}

/// <summary>The kinds of pools that must keep the contract.</summary>
internal enum PoolKind
{
    ResourcePool,
}
