using System.Diagnostics.Metrics;
using System.Runtime.CompilerServices;
using Parts = System.Collections.Generic.IEnumerable<(string Value, long Count)>;

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

    private static readonly double[] _seconds = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10];

    private readonly WeakSet<IPool> _pools = new();
    private int _published;
    private Histogram<double>? _waitTime;
    private Histogram<double>? _createTime;
    private Histogram<double>? _useTime;

    public override bool RecordsWaits => _waitTime is { Enabled: true };

    public override bool RecordsUseTime => _useTime is { Enabled: true };

    /// <summary>Gets the instruments of the meter specified in the options.</summary>
    public static PoolInstruments ForMeter(Meter? meter, IMeterFactory? factory)
    {
        if ((meter ?? factory?.Create(Options())) is not { } chosen)
        {
            return SharedInstruments.Get();
        }

        var instruments = _ofMeters.GetValue(chosen, static _ => new PoolInstruments());
        instruments.Publish(chosen);
        return instruments;
    }

    /// <summary>The living pools of all meters.</summary>
    public static List<IPool> AllPools() => [.. _ofMeters.SelectMany(static each => each.Value._pools.ToList())];

    public static MeterOptions Options() => new(MeterName) { TelemetrySchemaUrl = TelemetrySchema.Url };

    public override void Add(IPool pool)
    {
        _pools.Add(pool);
        IPoolEventLog.Current?.Started(pool);
        LeaseWatch.Installed?.OnCreated(pool);
    }

    public override void Remove(IPool pool)
    {
        _pools.Remove(pool);
        IPoolEventLog.Current?.Closed(pool);
        LeaseWatch.Installed?.OnDisposed(pool);
    }

    public override void RecordWait(IPool pool, WaitOutcome outcome, TimeSpan time, bool synchronous) =>
        _waitTime?.TryRecord(time, PoolNameTag, pool.Name);

    public override void RecordCreateTime(IPool pool, TimeSpan time) => _createTime?.TryRecord(time, PoolNameTag, pool.Name);

    public override void RecordUseTime(IPool pool, TimeSpan time, string? label) =>
        _useTime?.TryRecord(time, PoolNameTag, pool.Name, label);

    /// <summary>Creates the instruments in their meter, the first time.</summary>
    // Not in the constructor: two threads may both construct the instruments of a meter, and one of the two objects is used.
    public void Publish(Meter meter)
    {
        if (Interlocked.Exchange(ref _published, 1) != 0)
        {
            return;
        }

        _ofMeters.TryAdd(meter, this);
        LevelBy(
            "poolhouse.pool.status", "{pool}", "Pools of this name in each state: working, saturated, in an outage and so on.",
            "poolhouse.pool.condition", static figures => figures.Conditions);
        LevelBy(
            "poolhouse.pool.item.count", "{item}",
            "Items alive, by state: idle, leased, or being created, validated, reset or destroyed.",
            "poolhouse.pool.item.state", static figures => figures.States);
        Level("poolhouse.pool.item.max", "{item}", "Maximum number of items alive.", static figures => figures.Max);
        Total("poolhouse.pool.item.creations", "{creation}", "Items created.", static figures => figures.Created);
        Total(
            "poolhouse.pool.item.create_failures", "{failure}", "Creations that failed.",
            static figures => figures.CreateFailures);
        TotalBy(
            "poolhouse.pool.item.destructions", "{destruction}", "Items destroyed, by reason.",
            "poolhouse.pool.destroy.reason", static figures => figures.Destroyed);
        Level("poolhouse.pool.idle.size", "By", "Bytes idle in pools of buffers.", static figures => figures.IdleBytes);
        TotalBy(
            "poolhouse.pool.rents", "{rent}",
            "Rents, by whether an idle item served them, a new one had to be created, or the caller had to wait.",
            "poolhouse.pool.rent.result", static figures => figures.Rents);
        Total("poolhouse.pool.returns", "{return}", "Items returned.", static figures => figures.Returned);
        Total(
            "poolhouse.pool.double_returns", "{return}",
            "Returns of items that had already been returned. Each one is a bug in the caller.",
            static figures => figures.DoubleReturns);
        TotalBy(
            "poolhouse.pool.misuses", "{misuse}", "Misuse of items that caches in paranoid mode detected, by kind.",
            "poolhouse.pool.misuse.kind", static figures => figures.Misuses);
        Level(
            "poolhouse.pool.pending_requests", "{request}", "Callers that are waiting.", static figures => figures.Waiting);
        TotalBy(
            "poolhouse.pool.wait.failures", "{failure}", "Callers that were not served, by reason.",
            "poolhouse.pool.wait.outcome", static figures => figures.FailedWaits);
        Total(
            "poolhouse.pool.suspected_leaks", "{lease}", "Leases reported as suspected leaks.", static figures => figures.Leaks);
        Instruments.TryCreate(() => meter.CreateObservableUpDownCounter(
            "poolhouse.pool.lease.count", MeasureLabels, "{lease}", "Active leases by label, of pools that record labels."));
        PublishTimes(meter);
        GC.KeepAlive(PoolEventSource.Log);

        void Level(string name, string unit, string description, Func<PoolFigures, long?> read) =>
            Instruments.TryCreate(() => meter.CreateObservableUpDownCounter(name, () => Measure(read), unit, description));

        void LevelBy(string name, string unit, string description, string tag, Func<PoolFigures, Parts> read) =>
            Instruments.TryCreate(() => meter.CreateObservableUpDownCounter(name, () => Measure(tag, read), unit, description));

        void Total(string name, string unit, string description, Func<PoolFigures, long?> read) =>
            Instruments.TryCreate(() => meter.CreateObservableCounter(name, () => Measure(read), unit, description));

        void TotalBy(string name, string unit, string description, string tag, Func<PoolFigures, Parts> read) =>
            Instruments.TryCreate(() => meter.CreateObservableCounter(name, () => Measure(tag, read), unit, description));
    }

    private void PublishTimes(Meter meter)
    {
        _waitTime = Histogram("poolhouse.pool.wait_time", "The wait time of callers that had to wait.");
        _createTime = Histogram("poolhouse.pool.create_time", "How long it took to create an item.");
        _useTime = Histogram("poolhouse.pool.use_time", "How long items were leased.");

        Histogram<double>? Histogram(string name, string description) =>
            Instruments.TryCreateHistogram(meter, name, description, _seconds);
    }

    private IEnumerable<Measurement<long>> MeasureLabels() =>
        from pools in Read(static pool => pool.GetLeases(int.MaxValue))
        from leases in pools.SelectMany(static leases => leases)
            .Where(static lease => lease.Label is not null)
            .GroupBy(static lease => TagValue.Of(lease.Label!), StringComparer.Ordinal)
        select new Measurement<long>(leases.Count(), Tag(PoolNameTag, pools.Key), Tag(Histograms.LabelTag, leases.Key));

    private IEnumerable<Measurement<long>> Measure(Func<PoolFigures, long?> read) =>
        from pools in PoolsByName()
        let values = pools.Select(read).OfType<long>().ToList()
        where values.Count > 0
        select new Measurement<long>(values.Sum(), Tag(PoolNameTag, pools.Key));

    private IEnumerable<Measurement<long>> Measure(string tag, Func<PoolFigures, Parts> read) =>
        from pools in PoolsByName()
        from part in pools.SelectMany(read).GroupBy(static part => part.Value, static part => part.Count, StringComparer.Ordinal)
        select new Measurement<long>(part.Sum(), Tag(PoolNameTag, pools.Key), Tag(tag, part.Key));

    private IEnumerable<IGrouping<string, PoolFigures>> PoolsByName() =>
        Read(static pool =>
        {
            var statistics = pool.GetStatistics();
            return statistics.Figures with { Condition = statistics.Condition };
        });

    // Pools of one name are added up: of two measurements with the same tags, one would hide the other. A pool of an application
    // that throws, against its contract, is left out: it must not hide the others.
    private IEnumerable<IGrouping<string, TFigures>> Read<TFigures>(Func<IPool, TFigures> read)
        where TFigures : class
    {
        var all = new List<(string Name, TFigures Figures)>();
        foreach (var pool in _pools.ToList())
        {
            UserCode.Notify(pool, (all, read), static (pool, it) => it.all.Add((TagValue.Of(pool.Name), it.read(pool))));
        }

        return all.GroupBy(static each => each.Name, static each => each.Figures, StringComparer.Ordinal);
    }

    private static KeyValuePair<string, object?> Tag(string name, string value) => new(name, value);
}
