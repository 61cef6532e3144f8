using Poolhouse.Testing;
using Xunit;

// snippet: leaks-xunit-run
[assembly: AssemblyFixture(typeof(LeakCheck))]
// end snippet

namespace Poolhouse.Samples.ContractTests.XunitTests;

public sealed class ReportTests
{
    // snippet: leaks-xunit
    [Fact]
    public void Leaves_nothing_rented()
    {
        using var leaks = new LeakScope();
        Report.Write();
    }
    // end snippet
}
