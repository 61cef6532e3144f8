using System.Diagnostics.Metrics;
using System.Runtime.CompilerServices;
using Poolhouse.Metrics;

namespace Poolhouse.Data.Metrics;

/// <summary>
/// The instruments of OpenTelemetry's conventions for database clients, on one meter. They read statistics on collection.
/// </summary>
// Names, units and attributes: OpenTelemetry semantic conventions, database metrics, section on connection pools; what these do
// not define is named poolhouse.db.
// Pools of one name are reported together: of two measurements with the same attributes, one would hide the other.
internal sealed class DbInstruments
{
    public const string MeterName = "Poolhouse.Data";
    public const string PoolNameTag = "db.client.connection.pool.name";

    private static readonly ConditionalWeakTable<Meter, DbInstruments> _ofMeters = [];

    // An exception on the thread of the first pool must not be kept for every later pool.
    private static readonly Lazy<Meter> _shared = new(() => new Meter(Options()), LazyThreadSafetyMode.PublicationOnly);

    // The conventions specify none for pools: these are the buckets of db.client.operation.duration.
    private static readonly double[] _seconds = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10];

    private readonly ConditionalWeakTable<DbPoolReporter, object?> _pools = [];
    private int _published;
    private Histogram<double>? _createTime;
    private Histogram<double>? _waitTime;
    private Histogram<double>? _useTime;

    private DbInstruments()
    {
    }

    public bool RecordsWaitTime => _waitTime is { Enabled: true };

    public bool RecordsUseTime => _useTime is { Enabled: true };

    /// <summary>The instruments of the meter that the options name.</summary>
    public static DbInstruments Of(Meter? meter, IMeterFactory? factory)
    {
        var chosen = meter ?? factory?.Create(Options()) ?? _shared.Value;
        var instruments = _ofMeters.GetValue(chosen, static _ => new DbInstruments());
        if (Interlocked.Exchange(ref instruments._published, 1) == 0)
        {
            instruments.Publish(chosen);
        }

        return instruments;
    }

    private static MeterOptions Options() => new(MeterName) { TelemetrySchemaUrl = TelemetrySchema.Url };

    public void Add(DbPoolReporter pool) => _pools.AddOrUpdate(pool, null);

    public void Remove(DbPoolReporter pool) => _pools.Remove(pool);

    public void RecordCreateTime(string pool, TimeSpan time) => _createTime?.TryRecord(time, PoolNameTag, pool);

    public void RecordWaitTime(string pool, TimeSpan time) => _waitTime?.TryRecord(time, PoolNameTag, pool);

    public void RecordUseTime(string pool, TimeSpan time, string? label) => _useTime?.TryRecord(time, PoolNameTag, pool, label);

    // Not in the constructor: two threads may both construct the instruments of a meter, and one of the two objects is used.
    private void Publish(Meter meter)
    {
        Instruments.TryCreate(() => meter.CreateObservableUpDownCounter(
            "db.client.connection.count",
            MeasureStates,
            "{connection}",
            "Open connections, by whether they are idle, or used: leased, being reset or being validated."));
        UpDownCounter(
            "db.client.connection.idle.max", "{connection}", "How many connections may be idle.", static (_, s) => s.MaxSize);
        UpDownCounter(
            "db.client.connection.idle.min", "{connection}", "How many connections are kept idle.",
            static (pool, _) => pool.MinIdle);
        UpDownCounter(
            "db.client.connection.max", "{connection}", "How many connections may be open.", static (_, s) => s.MaxSize);
        UpDownCounter(
            "db.client.connection.pending_requests", "{request}", "Callers that wait for a connection.",
            static (_, s) => s.Waiting);
        Instruments.TryCreate(() => meter.CreateObservableCounter(
            "db.client.connection.timeouts",
            () => Measure(static (_, s) => s.Timeouts),
            "{timeout}",
            "Callers that got no connection in time."));
        UpDownCounter(
            "poolhouse.db.connection.closing.count",
            "{connection}",
            "Connections whose close has begun and has not completed. While there are MaxSize of them, no connection is opened.",
            static (pool, _) => pool.Closing);
        _createTime = Histogram("db.client.connection.create_time", "How long it took to open a connection of the provider.");
        _waitTime =
            Histogram("db.client.connection.wait_time", "How long it took to get a connection from the pool, at once or not.");
        _useTime = Histogram("db.client.connection.use_time", "How long connections were leased.");

        void UpDownCounter(
            string name, string unit, string description, Func<DbPoolReporter, ResourcePoolStatistics, long> read) =>
            Instruments.TryCreate(() => meter.CreateObservableUpDownCounter(name, () => Measure(read), unit, description));

        Histogram<double>? Histogram(string name, string description) =>
            Instruments.TryCreateHistogram(meter, name, description, _seconds);
    }

    private static KeyValuePair<string, object?> Tag(string pool) => new(PoolNameTag, pool);

    private static KeyValuePair<string, object?> State(string state) => new("db.client.connection.state", state);

    private IEnumerable<Measurement<long>> Measure(Func<DbPoolReporter, ResourcePoolStatistics, long> read) =>
        from pools in PoolsByName()
        select new Measurement<long>(pools.Sum(pool => read(pool.Pool, pool.Statistics)), Tag(pools.Key));

    private IEnumerable<Measurement<long>> MeasureStates()
    {
        foreach (var pools in PoolsByName())
        {
            yield return new(pools.Sum(pool => pool.Statistics.Idle), Tag(pools.Key), State("idle"));
            yield return new(
                pools.Sum(pool => pool.Statistics.Leased + pool.Statistics.Resetting + pool.Statistics.Validating),
                Tag(pools.Key), State("used"));
        }
    }

    private IEnumerable<IGrouping<string, (DbPoolReporter Pool, ResourcePoolStatistics Statistics)>> PoolsByName() =>
        _pools
        .Select(entry => (Pool: entry.Key, Statistics: entry.Key.GetStatistics()!))
        .Where(pool => pool.Statistics is not null)
        .GroupBy(pool => TagValue.Of(pool.Pool.Name), StringComparer.Ordinal);
}
