using System.Globalization;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using Poolhouse.Extensions.Registration;

namespace Poolhouse.Extensions.Health;

/// <summary>
/// Judges a pool by its statistics. Never rents: a check that takes a connection fails exactly when the pool is busy, and then the app is restarted.
/// </summary>
internal sealed class PoolHealthCheck(PoolHandle handle) : IHealthCheck
{
    public Task<HealthCheckResult> CheckHealthAsync(HealthCheckContext context, CancellationToken cancellationToken = default)
    {
        var figures = PoolFigures.Of(handle.Pool);
        var (status, description) = Judge(figures, context.Registration.FailureStatus);
        return Task.FromResult(new HealthCheckResult(status, description, exception: null, Describe(figures)));
    }

    // The first row that applies decides; the guide shows the same table.
    private (HealthStatus Status, string Description) Judge(PoolFigures figures, HealthStatus failure)
    {
        if (handle.IsStopping)
        {
            return (failure, "The pool is being drained or has been disposed.");
        }

        if (figures is { InOutage: true, Idle: 0, Leased: 0 })
        {
            return (failure, "Items cannot be created, and none is left.");
        }

        if (figures.InOutage)
        {
            return (HealthStatus.Degraded, "Items cannot be created; the existing ones are in use.");
        }

        if (figures.Suspended)
        {
            return (HealthStatus.Degraded, "The pool is suspended.");
        }

        if (handle.ReloadRejection is { } rejection)
        {
            return (HealthStatus.Degraded, "The last change of the configuration was rejected: " + rejection);
        }

        if (handle.LeakThreshold != Timeout.InfiniteTimeSpan && figures.OldestLease > handle.LeakThreshold)
        {
            return (HealthStatus.Degraded, string.Create(
                CultureInfo.InvariantCulture, $"An item has been leased for {figures.OldestLease.TotalSeconds:0.###} s; it may never be returned."));
        }

        return (HealthStatus.Healthy, "The pool works.");
    }

    private Dictionary<string, object> Describe(PoolFigures figures)
    {
        var data = new Dictionary<string, object>(StringComparer.Ordinal)
        {
            ["maxSize"] = figures.MaxSize,
            ["leased"] = figures.Leased,
            ["idle"] = figures.Idle,
            ["creating"] = figures.Creating,
            ["waiting"] = figures.Waiting,
            ["oldestLease"] = figures.OldestLease,
            ["inOutage"] = figures.InOutage,
            ["suspended"] = figures.Suspended,
            ["timeouts"] = figures.Timeouts,
            ["createFailures"] = figures.CreateFailures,
        };
        if (handle.ReloadRejection is { } rejection)
        {
            data["reload"] = "rejected: " + rejection;
        }

        return data;
    }
}
