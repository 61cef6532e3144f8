namespace Poolhouse.Contracts;

/// <summary>Every check of the contract, over one kind of pool, every way to rent and every order of the idle items.</summary>
/// <remarks>
/// One class for each kind, so that kinds are checked in parallel: most checks wait more than they compute.
/// </remarks>
public abstract class Promises
{
    // These observe garbage collections or count bytes, so nothing else may run at the same time.
    private static readonly string[] _alone = ["I24", "I26"];

    internal static Task RunAsync(string pool, string promise) =>
        ContractCase.All.Single(one => string.Equals(one.ToString(), pool, StringComparison.Ordinal)).Find(promise).RunAsync();

    internal static IEnumerable<TheoryDataRow<string, string>> Rows(PoolKind? kind, bool alone) =>
        from one in ContractCase.All
        where kind is null || one.Kind == kind
        from check in one.Checks
        where _alone.Contains(check.Promise) == alone
        select new TheoryDataRow<string, string>(one.ToString(), check.Name)
        {
            TestDisplayName = $"{check.Promise} {check.Name} ({one})",
            Label = string.Empty,
        };
}
