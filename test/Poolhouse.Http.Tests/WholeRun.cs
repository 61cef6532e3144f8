using Poolhouse.Http.Tests;
using Poolhouse.Testing;
using Poolhouse.TestSupport;

[assembly: AssemblyFixture(typeof(WholeRun))]

namespace Poolhouse.Http.Tests;

/// <summary>At the end of the run, everything that was rented must be back, and every pool disposed.</summary>
// Not in the processes that count bytes: the check records the stack of every rent.
public sealed class WholeRun : IDisposable
{
    private readonly LeakCheck? _leaks = OwnProcess.IsThis ? null : new LeakCheck();

    public void Dispose() => _leaks?.Dispose();
}
