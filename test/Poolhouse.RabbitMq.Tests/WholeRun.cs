using Poolhouse.RabbitMq.Tests;
using Poolhouse.Testing;
using Poolhouse.TestSupport;

[assembly: AssemblyFixture(typeof(WholeRun))]

namespace Poolhouse.RabbitMq.Tests;

/// <summary>At the end of the run, everything that was rented must be back, and every pool disposed.</summary>
public sealed class WholeRun : IDisposable
{
    private readonly LeakCheck _leaks = new();

    // The client does not return the array of a frame that it still had to send when its connection was lost.
    public void Dispose() => ExpectedLeaks.End(_leaks, (LeakKind.SharedArray, "RabbitMQ.Client."));
}
