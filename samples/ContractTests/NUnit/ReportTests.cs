using NUnit.Framework;
using Poolhouse.Testing;

namespace Poolhouse.Samples.ContractTests.NUnitTests;

public sealed class ReportTests
{
    [Test]
    public void Leaves_nothing_rented()
    {
        using var leaks = new LeakScope();
        Report.Write();
    }
}
