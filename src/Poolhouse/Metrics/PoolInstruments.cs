using System.Diagnostics.Metrics;
using System.Runtime.CompilerServices;
using Poolhouse.Kernel;

namespace Poolhouse.Metrics;

/// <summary>
/// The instruments of one meter. They read the statistics of the living pools when they are collected, so hot paths have no
/// overhead.
/// </summary>
internal sealed class PoolInstruments : PoolReporter
{
    public const string MeterName = "Poolhouse";
    public const string PoolNameTag = "poolhouse.pool.name";

    private static readonly ConditionalWeakTable<Meter, PoolInstruments> _ofMeters = [];
    private static readonly Lazy<Meter> _shared = new(() => new Meter(MeterName));

    private static readonly double[] _seconds = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10];

    // Caches have four reasons; resource pools have one for each way an item can end.
    private static readonly (string Value, Func<PoolStatistics, long?> Read)[] _destroyReasons =
    [
        ("surplus", s => s.Surplus),
        ("refused", s => s.Refused),
        ("trimmed", s => s is ResourcePoolStatistics ? null : s.Trimmed),
        ("discarded", s => s.Discarded),
        ("idle", Destroyed(DestroyReason.Idle)),
        ("lifetime", Destroyed(DestroyReason.Lifetime)),
        ("cleared", Destroyed(DestroyReason.Cleared)),
        ("trimmed", Destroyed(DestroyReason.Trimmed)),
        ("broken", Destroyed(DestroyReason.Broken)),
        ("validation_failed", Destroyed(DestroyReason.ValidationFailed)),
        ("keep_alive_failed", Destroyed(DestroyReason.KeepAliveFailed)),
        ("tainted", Destroyed(DestroyReason.Tainted)),
        ("created_too_late", Destroyed(DestroyReason.CreatedTooLate)),
        ("evicted", Destroyed(DestroyReason.Evicted)),
        ("parent_retired", Destroyed(DestroyReason.ParentRetired)),
        ("used_up", Destroyed(DestroyReason.UsedUp)),
        ("pool_disposed", Destroyed(DestroyReason.PoolDisposed)),
    ];

    private readonly WeakSet<IPool> _pools = new();
    private readonly Histogram<double> _waitTime;
    private readonly Histogram<double> _createTime;
    private readonly Histogram<double> _useTime;

    private PoolInstruments(Meter meter)
    {
        meter.CreateObservableUpDownCounter(
            "poolhouse.pool.items",
            () => Measure(
                "poolhouse.pool.item.state",
                ("retained", s => s.Retained),
                ("leased", s => s.Leased),
                ("creating", OfResources(s => s.Creating)),
                ("validating", OfResources(s => s.Validating)),
                ("resetting", OfResources(s => s.Resetting)),
                ("destroying", OfResources(s => s.Destroying))),
            "{item}",
            "Items alive, by whether they are retained in the pool, leased, or on their way in or out.");
        meter.CreateObservableCounter(
            "poolhouse.pool.rents",
            () => Measure("poolhouse.pool.rent.result", ("hit", s => s.Hits), ("miss", s => s.Misses)),
            "{rent}",
            "Rents, by whether a retained item served them or a new one had to be created.");
        meter.CreateObservableCounter("poolhouse.pool.returns", () => Measure(s => s.Returned), "{return}", "Items that came back.");
        meter.CreateObservableCounter("poolhouse.pool.items.created", () => Measure(s => s.Created), "{item}", "Items created.");
        meter.CreateObservableCounter(
            "poolhouse.pool.items.destroyed",
            () => Measure("poolhouse.pool.destroy.reason", _destroyReasons),
            "{item}",
            "Items that the pool let go of for good, by reason.");
        meter.CreateObservableCounter(
            "poolhouse.pool.double_returns",
            () => Measure(s => s.DoubleReturns),
            "{return}",
            "Returns of something that had been returned already: each one is a bug in the caller.");
        meter.CreateObservableUpDownCounter(
            "poolhouse.pool.retained", () => Measure(s => s.RetainedBytes), "By", "Bytes idle in pools of buffers.");
        meter.CreateObservableUpDownCounter(
            "poolhouse.pool.items.max", () => Measure(OfResources(s => s.MaxSize)), "{item}", "The bound of resource pools.");
        meter.CreateObservableUpDownCounter(
            "poolhouse.pool.waiting", () => Measure(OfResources(s => s.Waiting)), "{request}", "Callers that wait for an item.");
        meter.CreateObservableCounter(
            "poolhouse.pool.waits.failed",
            () => Measure(
                "poolhouse.pool.wait.outcome",
                ("timeout", OfResources(s => s.Timeouts)),
                ("cancelled", OfResources(s => s.Cancellations)),
                ("shed", OfResources(s => s.Shed))),
            "{request}",
            "Callers that got no item, by why.");
        meter.CreateObservableCounter(
            "poolhouse.pool.creates.failed", () => Measure(OfResources(s => s.CreateFailures)), "{item}", "Creations that failed.");
        meter.CreateObservableCounter(
            "poolhouse.pool.leaks.suspected", () => Measure(OfResources(s => s.LeaksSuspected)), "{lease}", "Leases that lasted suspiciously long.");
        _waitTime = Histogram("poolhouse.pool.wait_time", "How long callers that had to wait did so.");
        _createTime = Histogram("poolhouse.pool.create_time", "How long it took to create an item.");
        _useTime = Histogram("poolhouse.pool.use_time", "How long items were leased.");

        Histogram<double> Histogram(string name, string description) =>
            meter.CreateHistogram(name, "s", description, tags: null, new InstrumentAdvice<double> { HistogramBucketBoundaries = _seconds });
    }

    public override bool RecordsWaits => _waitTime.Enabled;

    public override bool RecordsUseTime => _useTime.Enabled;

    /// <summary>Gets the instruments of the meter specified in the options.</summary>
    public static PoolInstruments ForMeter(Meter? meter, IMeterFactory? factory) => _ofMeters.GetValue(
        meter ?? factory?.Create(new MeterOptions(MeterName)) ?? _shared.Value, static meter => new PoolInstruments(meter));

    public override void Add(IPool pool) => _pools.Add(pool);

    public override void Remove(IPool pool) => _pools.Remove(pool);

    public override void RecordWait(IPool pool, WaitOutcome outcome, TimeSpan time, bool synchronous) =>
        _waitTime.TryRecord(time, PoolNameTag, pool.Name);

    public override void RecordCreateTime(IPool pool, TimeSpan time) => _createTime.TryRecord(time, PoolNameTag, pool.Name);

    public override void RecordUseTime(IPool pool, TimeSpan time) => _useTime.TryRecord(time, PoolNameTag, pool.Name);

    /// <summary>Reads a counter that only resource pools have; nothing is reported for other pools.</summary>
    private static Func<PoolStatistics, long?> OfResources(Func<ResourcePoolStatistics, long> read) =>
        statistics => statistics is ResourcePoolStatistics resources ? read(resources) : null;

    private static Func<PoolStatistics, long?> Destroyed(DestroyReason reason) => OfResources(s => s.DestroyedFor(reason));

    private IEnumerable<Measurement<long>> Measure(Func<PoolStatistics, long?> read) =>
        from pool in _pools.ToList()
        let value = read(pool.GetStatistics())
        where value is not null
        select new Measurement<long>(value.Value, new KeyValuePair<string, object?>(PoolNameTag, pool.Name));

    private IEnumerable<Measurement<long>> Measure(string tag, params (string Value, Func<PoolStatistics, long?> Read)[] parts) =>
        from pool in _pools.ToList()
        let statistics = pool.GetStatistics()
        from part in parts
        let value = part.Read(statistics)
        where value is not null
        select new Measurement<long>(
            value.Value,
            new KeyValuePair<string, object?>(PoolNameTag, pool.Name),
            new KeyValuePair<string, object?>(tag, part.Value));
}
