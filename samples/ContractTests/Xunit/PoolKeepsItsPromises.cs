using Xunit;

namespace Poolhouse.Samples.ContractTests.XunitTests;

// snippet: contract-xunit
public sealed class PoolKeepsItsPromises
{
    public static TheoryData<string> Checks => new(new PoolContract().Checks.Select(check => check.Name));

    [Theory]
    [MemberData(nameof(Checks))]
    public Task Keeps(string name) => new PoolContract().Checks.Single(check => check.Name == name).RunAsync();
}
// end snippet
