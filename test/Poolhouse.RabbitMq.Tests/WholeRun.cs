using System.Runtime.CompilerServices;
using Poolhouse.Testing;

// At the end of the run, everything that was rented must be back, and every pool disposed.
[assembly: AssemblyFixture(typeof(LeakCheck))]

namespace Poolhouse.RabbitMq.Tests;

internal static class WholeRun
{
    // It does not return the array of a frame that it still had to send when its connection was lost.
#pragma warning disable CA2255 // Before any test.
    [ModuleInitializer]
#pragma warning restore CA2255
    internal static void IgnoreClient() => LeakScope.IgnoreArraysOf("RabbitMQ.Client");
}
