namespace Poolhouse.Contracts;

/// <summary>The contract of shared pools.</summary>
public sealed class SharedResourcePoolPromises : Promises
{
    public static IEnumerable<TheoryDataRow<string, string>> Checks => Rows(PoolKind.SharedResourcePool, alone: false);

    [Theory]
    [MemberData(nameof(Checks))]
    public Task Is_kept(string pool, string promise) => RunAsync(pool, promise);

    [Fact]
    public void Every_exception_of_shared_pools_is_the_name_of_a_check() =>
        Assert.Empty(SharedExceptions.Names.Except(ContractCase.All.First().Contract.Checks.Select(check => check.Name)));
}
