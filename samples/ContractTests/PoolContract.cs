using Poolhouse.Testing;

namespace Poolhouse.Samples.ContractTests;

#pragma warning disable CA2000 // The check disposes the pool.
// snippet: contract
public sealed class PoolContract : ResourcePoolContract
{
    protected override ContractPool CreatePool(ResourcePolicy<ContractItem> policy, ResourcePoolOptions options) =>
        ContractPool.Over(new ResourcePool<ContractItem>(policy, options)); // your wrapper around the policy or the pool
}
// end snippet
#pragma warning restore CA2000
