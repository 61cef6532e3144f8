using Poolhouse.Extensions;

namespace Poolhouse.AspNetCore;

/// <summary>
/// The figures of one pool. Only names of types and labels of leases: no item, key, setting or connection string.
/// </summary>
internal sealed class PoolReport(PoolInfo pool)
{
    private const int MaxLeases = 5;

    // As in the health check with its default settings.
    private static readonly TimeSpan _saturatedAfter = TimeSpan.FromSeconds(1);

    public string Name { get; } = pool.Name;

    public string Kind { get; } = NameOf(pool.PoolType);

    public string ItemType { get; } = NameOf(pool.ItemType);

    public PoolFigures Figures { get; } = pool.GetFigures();

    public IReadOnlyList<LeaseSnapshot> OldestLeases { get; } = pool.Pool.GetLeases(MaxLeases);

    public bool ReloadRejected { get; } = pool.ReloadRejection is not null;

    public bool IsStopping { get; } = pool.IsStopping;

    public (string Text, string Grade) State => this switch
    {
        { IsStopping: true } => ("stopping", "bad"),
        { Figures: { InOutage: true, Idle: 0, Leased: 0 } } => ("outage", "bad"),
        { Figures.InOutage: true } => ("outage, items in use", "warn"),
        { Figures.Suspended: true } => ("suspended", "warn"),
        _ when Figures.Waiting > 0 && Figures.OldestWait > _saturatedAfter => ("saturated", "warn"),
        { ReloadRejected: true } => ("change rejected", "warn"),
        _ => ("working", "good"),
    };

    private static string NameOf(Type type)
    {
        var name = type.Name;
        var tick = name.IndexOf('`', StringComparison.Ordinal);
        return tick < 0 ? name : name[..tick];
    }
}
