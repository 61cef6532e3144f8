using Poolhouse.OpenTelemetry;

namespace OpenTelemetry.Metrics;

/// <summary>Extension methods that collect the metrics of pools.</summary>
public static class PoolhouseMeterProviderBuilderExtensions
{
    /// <summary>Collects the metrics of all pools, among them pools of database connections.</summary>
    /// <param name="builder">The builder.</param>
    /// <returns>The builder.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="builder"/> is null.</exception>
    /// <remarks>Pools with a meter of their own are not included: add that meter by its name.</remarks>
    public static MeterProviderBuilder AddPoolhouse(this MeterProviderBuilder builder)
    {
        ArgumentNullException.ThrowIfNull(builder);
        return builder.AddMeter(PoolhouseTelemetry.Meter, PoolhouseTelemetry.DataMeter);
    }
}
