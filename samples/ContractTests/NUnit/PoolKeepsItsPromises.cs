using NUnit.Framework;

namespace Poolhouse.Samples.ContractTests.NUnitTests;

public sealed class PoolKeepsItsPromises
{
    public static IEnumerable<string> Checks => new PoolContract().Checks.Select(check => check.Name);

    [TestCaseSource(nameof(Checks))]
    public Task Keeps(string name) => new PoolContract().Checks.Single(check => check.Name == name).RunAsync();
}
