using Microsoft.VisualStudio.TestTools.UnitTesting;

namespace Poolhouse.Samples.ContractTests.MSTestTests;

[TestClass]
public sealed class PoolKeepsItsPromises
{
    public static IEnumerable<object[]> Checks => new PoolContract().Checks.Select(check => new object[] { check.Name });

    [TestMethod]
    [DynamicData(nameof(Checks))]
    public Task Keeps(string name) => new PoolContract().Checks.Single(check => check.Name == name).RunAsync();
}
