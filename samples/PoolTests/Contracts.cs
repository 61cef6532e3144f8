using Poolhouse.Resources;
using Poolhouse.Testing;

namespace Poolhouse.Samples.PoolTests;

internal static class Contracts
{
    public static async Task RunAsync()
    {
        // snippet: test-contract-run
        foreach (var check in new PlainContract { Way = RentWay.Sync }.Checks.Where(check => check.Promise is "I4"))
        {
            await check.RunAsync(); // ContractViolationException: which promise was broken, and how
            Console.WriteLine($"{check.Promise} holds.");
        }
        // end snippet
    }

#pragma warning disable CA2000 // The check disposes the pool.
    // snippet: test-contract
    private sealed class PlainContract : ResourcePoolContract
    {
        protected override ContractPool CreatePool(ResourcePolicy<ContractItem> policy, ResourcePoolOptions options) =>
            ContractPool.Over(new ResourcePool<ContractItem>(policy, options));
    }
    // end snippet
#pragma warning restore CA2000
}
