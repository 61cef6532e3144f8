namespace Poolhouse.Contracts;

/// <summary>The contract of resource pools.</summary>
public sealed class ResourcePoolPromises : Promises
{
    public static IEnumerable<TheoryDataRow<string, string>> Checks => Rows(PoolKind.ResourcePool, alone: false);

    [Theory]
    [MemberData(nameof(Checks))]
    public Task Is_kept(string pool, string promise) => RunAsync(pool, promise);
}
