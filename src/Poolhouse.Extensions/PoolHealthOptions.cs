using Microsoft.Extensions.Diagnostics.HealthChecks;

namespace Poolhouse.Extensions;

/// <summary>The settings of the health check of a pool.</summary>
public sealed class PoolHealthOptions
{
    /// <summary>A pool is saturated when its first waiting caller has waited for longer than this.</summary>
    /// <value>1 second by default; zero or more, or <see cref="Timeout.InfiniteTimeSpan"/> if saturation does not matter.</value>
    public TimeSpan SaturatedAfter { get; set; } = TimeSpan.FromSeconds(1);

    /// <summary>The status of a saturated pool.</summary>
    /// <value>
    /// <see cref="HealthStatus.Degraded"/> by default: a busy app continues to get requests. <see cref="HealthStatus.Unhealthy"/>
    /// is for checks that make a load balancer prefer other instances, never for checks that restart the app.
    /// </value>
    public HealthStatus SaturatedStatus { get; set; } = HealthStatus.Degraded;

    internal static PoolHealthOptions Create(Action<PoolHealthOptions>? configure)
    {
        var options = new PoolHealthOptions();
        configure?.Invoke(options);
        if (options.SaturatedAfter < TimeSpan.Zero && options.SaturatedAfter != Timeout.InfiniteTimeSpan)
        {
            throw new ArgumentOutOfRangeException(
                nameof(configure), options.SaturatedAfter,
                "SaturatedAfter: allowed is zero or more, or Timeout.InfiniteTimeSpan.");
        }

        return Enum.IsDefined(options.SaturatedStatus)
            ? options
            : throw new ArgumentOutOfRangeException(
                nameof(configure), options.SaturatedStatus, "SaturatedStatus: allowed is Unhealthy, Degraded or Healthy.");
    }
}
