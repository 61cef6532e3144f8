using System.Globalization;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using Poolhouse.Extensions.Registration;

namespace Poolhouse.Extensions.Health;

/// <summary>
/// Judges a pool by its statistics. Never rents: a check that takes a connection fails exactly when the pool is busy, and then
/// the app is restarted.
/// </summary>
internal sealed class PoolHealthCheck(PoolHandle handle, PoolHealthOptions options) : IHealthCheck
{
    public Task<HealthCheckResult> CheckHealthAsync(HealthCheckContext context, CancellationToken cancellationToken = default)
    {
        var figures = handle.GetFigures();

        // The worst status decides, and among equals the first; the guide shows the same table.
        var (status, description) = Judge(figures, context.Registration.FailureStatus).MinBy(finding => finding.Status);
        return Task.FromResult(new HealthCheckResult(status, description, exception: null, Describe(figures)));
    }

    private IEnumerable<(HealthStatus Status, string Description)> Judge(PoolFigures figures, HealthStatus failure)
    {
        if (handle.IsStopping)
        {
            yield return (failure, "The pool is being drained or has been disposed.");
        }

        if (figures is { InOutage: true, Idle: 0, Leased: 0 })
        {
            // If nothing is attempted, the outage may be over, and only a caller can find out: a load balancer must send one.
            yield return figures.RetryAfter > TimeSpan.Zero || figures.Waiting > 0 || figures.Creating > 0
                ? (failure, "Items cannot be created, and none is idle or leased.")
                : (HealthStatus.Degraded, "The last creation failed; the next caller triggers another one.");
        }
        else if (figures.InOutage)
        {
            yield return (HealthStatus.Degraded, "Items cannot be created; only the existing ones are available.");
        }

        if (figures.Suspended)
        {
            yield return (HealthStatus.Degraded, "The pool is suspended.");
        }

        if (handle.ReloadRejection is { } rejection)
        {
            yield return (HealthStatus.Degraded, "The last change of the configuration was rejected: " + rejection);
        }

        if (handle.LeakThreshold != Timeout.InfiniteTimeSpan && figures.OldestLease > handle.LeakThreshold)
        {
            yield return (HealthStatus.Degraded, string.Create(
                CultureInfo.InvariantCulture,
                $"An item has been leased for {figures.OldestLease.TotalSeconds:0.###} s; it may never be returned."));
        }

        if (options.SaturatedAfter != Timeout.InfiniteTimeSpan && figures.Waiting > 0
            && figures.OldestWait > options.SaturatedAfter)
        {
            yield return (options.SaturatedStatus, string.Create(
                CultureInfo.InvariantCulture,
                $"Leased: {Share(figures)}. Waiting: {figures.Waiting}, the first for " +
                $"{figures.OldestWait.TotalSeconds:0.###} s."));
        }

        yield return (HealthStatus.Healthy, "The pool is working.");
    }

    private static string Share(PoolFigures figures) => figures.MaxLeased == 0
        ? figures.Leased.ToString(CultureInfo.InvariantCulture)
        : string.Create(CultureInfo.InvariantCulture, $"{figures.Leased} of {figures.MaxLeased}");

    private Dictionary<string, object> Describe(PoolFigures figures)
    {
        var data = new Dictionary<string, object>(StringComparer.Ordinal)
        {
            ["maxLeased"] = figures.MaxLeased,
            ["leased"] = figures.Leased,
            ["idle"] = figures.Idle,
            ["creating"] = figures.Creating,
            ["waiting"] = figures.Waiting,
            ["oldestWait"] = figures.OldestWait,
            ["oldestLease"] = figures.OldestLease,
            ["inOutage"] = figures.InOutage,
            ["suspended"] = figures.Suspended,
            ["timeouts"] = figures.Timeouts,
            ["shed"] = figures.Shed,
            ["createFailures"] = figures.CreateFailures,
        };
        if (handle.ReloadRejection is { } rejection)
        {
            data["reload"] = "rejected: " + rejection;
        }

        return data;
    }
}
