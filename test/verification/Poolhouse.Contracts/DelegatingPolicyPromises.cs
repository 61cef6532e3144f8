namespace Poolhouse.Contracts;

/// <summary>The contract of resource pools whose policy is wrapped.</summary>
public sealed class DelegatingPolicyPromises : Promises
{
    public static IEnumerable<TheoryDataRow<string, string>> Checks => Rows(PoolKind.DelegatingPolicy, alone: false);

    [Theory]
    [MemberData(nameof(Checks))]
    public Task Is_kept(string pool, string promise) => RunAsync(pool, promise);
}
