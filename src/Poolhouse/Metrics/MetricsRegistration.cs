using System.Runtime.CompilerServices;

namespace Poolhouse.Metrics;

/// <summary>Connects the metrics to the pools, which refer only to <see cref="PoolReporter"/>.</summary>
internal static class MetricsRegistration
{
#pragma warning disable CA2255 // Any other caller would be a pool that refers to the metrics, which refer to every pool.
    [ModuleInitializer]
    internal static void Register() => PoolReporter.Provider = PoolInstruments.ForMeter;
#pragma warning restore CA2255
}
