namespace Poolhouse.Contracts;

/// <summary>The contract of nested pools.</summary>
public sealed class NestedResourcePoolPromises : Promises
{
    public static IEnumerable<TheoryDataRow<string, string>> Checks => Rows(PoolKind.NestedResourcePool, alone: false);

    [Theory]
    [MemberData(nameof(Checks))]
    public Task Is_kept(string pool, string promise) => RunAsync(pool, promise);
}
