using Poolhouse.Testing;

namespace Poolhouse.Samples.ContractTests;

// snippet: contract
public sealed class PoolContract : ResourcePoolContract
{
    protected override ContractPool CreatePool(ResourcePolicy<ContractItem> policy, ResourcePoolOptions options) =>
        ContractPool.Over(new ResourcePool<ContractItem>(policy, options)); // your wrapper around the policy or the pool
}
// end snippet
