using Poolhouse.OpenTelemetry;

namespace OpenTelemetry.Trace;

/// <summary>Extension methods that collect the activities of pools.</summary>
public static class PoolhouseTracerProviderBuilderExtensions
{
    /// <summary>
    /// Collects the activities of pools: the waits for database connections, as parts of the requests that waited.
    /// </summary>
    /// <param name="builder">The builder.</param>
    /// <returns>The builder.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="builder"/> is null.</exception>
    public static TracerProviderBuilder AddPoolhouse(this TracerProviderBuilder builder)
    {
        ArgumentNullException.ThrowIfNull(builder);
        return builder.AddSource(PoolhouseTelemetry.DataActivitySource);
    }
}
