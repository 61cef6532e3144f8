using System.Diagnostics.Metrics;
using System.Runtime.CompilerServices;

namespace Poolhouse.Explorer.Shims;

/// <summary>
/// With a meter in the process, the first pool creates its instruments at once, not on a thread that no schedule has.
/// </summary>
internal static class ReadyMetrics
{
#pragma warning disable CA2255 // Once for all scenarios.
    [ModuleInitializer]
    internal static void Create() => new Meter("Explorer").Dispose();
#pragma warning restore CA2255
}
