using System.Runtime.CompilerServices;

namespace Poolhouse.Tests.Misuse;

/// <summary>Keeps the reports of deliberate misuse off the standard error stream.</summary>
internal static class QuietReports
{
#pragma warning disable CA2255 // Once for all tests.
    [ModuleInitializer]
    internal static void Subscribe() => PoolMisuse.Detected += static (_, _) => { };
#pragma warning restore CA2255
}
