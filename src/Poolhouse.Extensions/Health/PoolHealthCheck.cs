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
        var (status, description) = handle.Judge(figures, context.Registration.FailureStatus, options.SaturatedStatus);
        return Task.FromResult(new HealthCheckResult(status, description, exception: null, Describe(figures)));
    }

    private Dictionary<string, object> Describe(PoolFigures figures)
    {
        var data = new Dictionary<string, object>(StringComparer.Ordinal)
        {
            ["condition"] = figures.Condition.ToString(),
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
        if (handle.SizeAdvice is { } advice)
        {
            data["sizeAdvice"] = advice;
        }

        if (handle.ReloadRejection is { } rejection)
        {
            data["reload"] = "rejected: " + rejection;
        }

        return data;
    }
}
