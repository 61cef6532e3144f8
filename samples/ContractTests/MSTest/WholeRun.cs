using Microsoft.VisualStudio.TestTools.UnitTesting;
using Poolhouse.Testing;

namespace Poolhouse.Samples.ContractTests.MSTestTests;

// snippet: leaks-mstest-run
[TestClass]
public static class WholeRun
{
    private static LeakCheck? _check;

    [AssemblyInitialize]
    public static void Begin(TestContext context) => _check = new LeakCheck();

    [AssemblyCleanup]
    public static void End() => _check?.Dispose();
}
// end snippet
