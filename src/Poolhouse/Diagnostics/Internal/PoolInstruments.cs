using System.Diagnostics.Metrics;
using System.Runtime.CompilerServices;

namespace Poolhouse.Internal;

/// <summary>The instruments of one meter. They read the statistics of the living pools when somebody collects; no hot path pays.</summary>
internal sealed class PoolInstruments
{
    public const string MeterName = "Poolhouse";
    public const string PoolNameTag = "poolhouse.pool.name";

    private static readonly ConditionalWeakTable<Meter, PoolInstruments> _ofMeters = [];
    private static readonly Lazy<Meter> _shared = new(() => new Meter(MeterName));

    private readonly WeakSet<IPool> _pools = new();

    private PoolInstruments(Meter meter)
    {
        meter.CreateObservableUpDownCounter(
            "poolhouse.pool.items",
            () => Measure(
                "poolhouse.pool.item.state", ("retained", s => s.Retained), ("leased", s => s.Leased)),
            "{item}",
            "Items alive, by whether they are retained in the pool or leased.");
        meter.CreateObservableCounter(
            "poolhouse.pool.rents",
            () => Measure("poolhouse.pool.rent.result", ("hit", s => s.Hits), ("miss", s => s.Misses)),
            "{rent}",
            "Rents, by whether a retained item served them or a new one had to be created.");
        meter.CreateObservableCounter("poolhouse.pool.returns", () => Measure(s => s.Returned), "{return}", "Items that came back.");
        meter.CreateObservableCounter("poolhouse.pool.items.created", () => Measure(s => s.Created), "{item}", "Items created.");
        meter.CreateObservableCounter(
            "poolhouse.pool.items.destroyed",
            () => Measure(
                "poolhouse.pool.destroy.reason",
                ("surplus", s => s.Surplus),
                ("refused", s => s.Refused),
                ("trimmed", s => s.Trimmed),
                ("discarded", s => s.Discarded)),
            "{item}",
            "Items that the pool let go of for good, by reason.");
        meter.CreateObservableCounter(
            "poolhouse.pool.double_returns",
            () => Measure(s => s.DoubleReturns),
            "{return}",
            "Returns of something that had been returned already: each one is a bug in the caller.");
        meter.CreateObservableUpDownCounter(
            "poolhouse.pool.retained", () => Measure(s => s.RetainedBytes), "By", "Bytes idle in pools of buffers.");
    }

    /// <summary>Adds a pool to the meter its options name.</summary>
    /// <returns>The instruments, for <see cref="Remove"/>.</returns>
    public static PoolInstruments Add(IPool pool, CacheOptions options)
    {
        var meter = options.Meter ?? options.MeterFactory?.Create(new MeterOptions(MeterName)) ?? _shared.Value;
        var instruments = _ofMeters.GetValue(meter, static meter => new PoolInstruments(meter));
        instruments._pools.Add(pool);
        return instruments;
    }

    public void Remove(IPool pool) => _pools.Remove(pool);

    private IEnumerable<Measurement<long>> Measure(Func<PoolStatistics, long> read) =>
        from pool in _pools.ToList()
        select new Measurement<long>(read(pool.GetStatistics()), new KeyValuePair<string, object?>(PoolNameTag, pool.Name));

    private IEnumerable<Measurement<long>> Measure(string tag, params (string Value, Func<PoolStatistics, long> Read)[] parts) =>
        from pool in _pools.ToList()
        let statistics = pool.GetStatistics()
        from part in parts
        select new Measurement<long>(
            part.Read(statistics),
            new KeyValuePair<string, object?>(PoolNameTag, pool.Name),
            new KeyValuePair<string, object?>(tag, part.Value));
}
