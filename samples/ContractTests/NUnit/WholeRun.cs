using NUnit.Framework;
using Poolhouse.Testing;

namespace Poolhouse.Samples.ContractTests.NUnitTests;

#pragma warning disable CA1001 // NUnit calls End.
// snippet: leaks-nunit-run
[SetUpFixture]
public sealed class WholeRun
{
    private LeakCheck? _check;

    [OneTimeSetUp]
    public void Begin() => _check = new LeakCheck();

    [OneTimeTearDown]
    public void End() => _check?.Dispose();
}
// end snippet
