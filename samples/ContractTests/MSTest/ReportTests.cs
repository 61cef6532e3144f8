using Microsoft.VisualStudio.TestTools.UnitTesting;
using Poolhouse.Testing;

namespace Poolhouse.Samples.ContractTests.MSTestTests;

[TestClass]
public sealed class ReportTests
{
    [TestMethod]
    public void Leaves_nothing_rented()
    {
        using var leaks = new LeakScope();
        Report.Write();
    }
}
