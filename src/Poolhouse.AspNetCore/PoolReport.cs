using Microsoft.Extensions.Diagnostics.HealthChecks;
using Poolhouse.Extensions;

namespace Poolhouse.AspNetCore;

/// <summary>
/// The figures of one pool. Only names of types and labels of leases: no item, key, setting or connection string.
/// </summary>
internal sealed class PoolReport
{
    private const int MaxLeases = 5;

    public PoolReport(PoolInfo pool)
    {
        (Name, Kind, ItemType) = (pool.Name, NameOf(pool.PoolType), NameOf(pool.ItemType));
        OldestLeases = pool.Pool.GetLeases(MaxLeases);
        ReloadRejected = pool.ReloadRejection is not null;

        // Read once, so that the state and its explanation are those of the figures.
        Figures = pool.GetFigures();
        Health = pool.GetHealth(Figures);
    }

    public string Name { get; }

    public string Kind { get; }

    public string ItemType { get; }

    public PoolFigures Figures { get; }

    public HealthCheckResult Health { get; }

    public IReadOnlyList<LeaseSnapshot> OldestLeases { get; }

    public bool ReloadRejected { get; }

    public string State => Figures.Condition == PoolCondition.Working && ReloadRejected
        ? "change rejected"
        : PoolAnswers.NameOf(Figures.Condition);

    public string Grade => Health.Status switch
    {
        HealthStatus.Healthy => "good",
        HealthStatus.Degraded => "warn",
        _ => "bad",
    };

    private static string NameOf(Type type)
    {
        var name = type.Name;
        var tick = name.IndexOf('`', StringComparison.Ordinal);
        return tick < 0 ? name : name[..tick];
    }
}
