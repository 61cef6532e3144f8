using Microsoft.Extensions.Diagnostics.HealthChecks;

namespace Poolhouse.Extensions;

/// <summary>The settings of the health check of a pool.</summary>
public sealed class PoolHealthOptions
{
    /// <summary>The status of a saturated pool: one whose first waiting caller has waited for longer than a second.</summary>
    /// <value>
    /// <see cref="HealthStatus.Degraded"/> by default: a busy app continues to get requests. <see cref="HealthStatus.Unhealthy"/>
    /// is for checks that make a load balancer prefer other instances, never for checks that restart the app.
    /// <see cref="HealthStatus.Healthy"/> is for pools whose callers may wait for longer.
    /// </value>
    public HealthStatus SaturatedStatus { get; set; } = HealthStatus.Degraded;

    internal static PoolHealthOptions Create(Action<PoolHealthOptions>? configure)
    {
        var options = new PoolHealthOptions();
        configure?.Invoke(options);
        return Enum.IsDefined(options.SaturatedStatus)
            ? options
            : throw new ArgumentOutOfRangeException(
                nameof(configure), options.SaturatedStatus, "SaturatedStatus: allowed is Unhealthy, Degraded or Healthy.");
    }
}
