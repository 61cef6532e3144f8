namespace Poolhouse.Contracts;

/// <summary>Every check of the contract, over every kind of pool, every way to rent and every order of the idle items.</summary>
public sealed class Promises
{
    // Watched from the outside, by the garbage collector or by counting bytes: nothing may run beside them.
    private static readonly string[] _alone = ["I24", "I26"];

    public static IEnumerable<TheoryDataRow<string, string>> Checks => Rows(alone: false);

    public static IEnumerable<TheoryDataRow<string, string>> MemoryChecks => Rows(alone: true);

    [Theory]
    [MemberData(nameof(Checks))]
    public Task Is_kept(string pool, string promise) => RunAsync(pool, promise);

    [Fact]
    public void Every_exception_of_shared_pools_is_the_name_of_a_check() =>
        Assert.Empty(SharedExceptions.Names.Except(ContractCase.All.First().Contract.Checks.Select(check => check.Name)));

    internal static Task RunAsync(string pool, string promise) =>
        ContractCase.All.Single(one => string.Equals(one.ToString(), pool, StringComparison.Ordinal)).Find(promise).RunAsync();

    private static IEnumerable<TheoryDataRow<string, string>> Rows(bool alone) =>
        from one in ContractCase.All
        from check in one.Checks
        where _alone.Contains(check.Promise) == alone
        select new TheoryDataRow<string, string>(one.ToString(), check.Name)
        {
            TestDisplayName = $"{check.Promise} {check.Name} ({one})",
            Label = string.Empty,
            Traits = new() { ["Promise"] = [check.Promise], ["Pool"] = [one.Kind.ToString()] },
        };
}

/// <summary>The promises about memory: nothing else runs meanwhile.</summary>
[Collection(nameof(Alone))]
public sealed class PromisesAboutMemory
{
    [Theory]
    [MemberData(nameof(Promises.MemoryChecks), MemberType = typeof(Promises))]
    public Task Is_kept(string pool, string promise) => Promises.RunAsync(pool, promise);
}

[CollectionDefinition(nameof(Alone), DisableParallelization = true)]
public sealed class Alone;
