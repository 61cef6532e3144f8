namespace Poolhouse.Contracts;

/// <summary>The contract of keyed pools.</summary>
public sealed class KeyedResourcePoolPromises : Promises
{
    public static IEnumerable<TheoryDataRow<string, string>> Checks => Rows(PoolKind.KeyedResourcePool, alone: false);

    [Theory]
    [MemberData(nameof(Checks))]
    public Task Is_kept(string pool, string promise) => RunAsync(pool, promise);
}
