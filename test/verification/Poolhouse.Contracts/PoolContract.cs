using Poolhouse.Testing;

namespace Poolhouse.Contracts;

/// <summary>The contract over one kind of pool.</summary>
internal sealed class PoolContract(PoolKind kind) : ResourcePoolContract
{
    protected override ContractPool CreatePool(ResourcePolicy<ContractItem> policy, ResourcePoolOptions options) => kind switch
    {
        PoolKind.ResourcePool => ContractPool.Over(new ResourcePool<ContractItem>(policy, options)),
        PoolKind.DelegatingPolicy => ContractPool.Over(new ResourcePool<ContractItem>(new DelegatingPolicy(policy), options)),
        PoolKind.KeyedResourcePool => new KeyedContractPool(policy, options),
        PoolKind.NestedResourcePool => new NestedContractPool(policy, options),
        PoolKind.SharedResourcePool => new SharedContractPool(policy, options),
        _ => throw new ArgumentOutOfRangeException(nameof(policy), kind, "No such kind."),
    };
}

/// <summary>The kinds of pools that must keep the contract.</summary>
internal enum PoolKind
{
    ResourcePool,

    /// <summary>A resource pool whose policy is wrapped in one that delegates every hook.</summary>
    DelegatingPolicy,
    KeyedResourcePool,
    NestedResourcePool,
    SharedResourcePool,
}
