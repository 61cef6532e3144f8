using Poolhouse.Data.Tests;
using Poolhouse.Data.Tests.Creation;
using Poolhouse.Testing;
using Poolhouse.TestSupport;

[assembly: AssemblyFixture(typeof(WholeRun))]

namespace Poolhouse.Data.Tests;

/// <summary>At the end of the run, everything that was rented must be back, and every pool disposed.</summary>
public sealed class WholeRun : IDisposable
{
    private readonly LeakCheck _leaks = new();

    public void Dispose() => ExpectedLeaks.End(
        _leaks,

        // The test is about sources that are not disposed.
        (LeakKind.Pool, typeof(UnreferencedSources).FullName!),

        // The providers do not return all their arrays if a reply is truncated or a command is cancelled while it is being sent.
        (LeakKind.SharedArray, "Npgsql."),
        (LeakKind.SharedArray, "MySqlConnector."));
}
