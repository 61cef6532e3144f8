using System.Diagnostics;
using Poolhouse.Metrics;

namespace Poolhouse.Data.Metrics;

/// <summary>
/// Reports a connection pool by the conventions for database clients, in addition to the instruments of every pool. Thread safe.
/// </summary>
// A blocked caller's wait ends on its own thread, where the core reports it; an awaiting caller's ends on any thread, so that its
// activity is created where the caller continues (DbRentTranslator), under the caller's own activity. Nothing is measured while
// there is no listener.
internal sealed class DbPoolReporter : PoolReporter
{
    /// <summary>The start of a rent that is not measured.</summary>
    public const long Unmeasured = long.MinValue;

    public const string SourceName = "Poolhouse.Data";
    public const string ActivityName = "db.client.connection.wait";
    public const string OutcomeTag = "poolhouse.pool.wait.outcome";

    private static readonly ActivitySource _activities =
        new(new ActivitySourceOptions(SourceName) { TelemetrySchemaUrl = TelemetrySchema.Url });

    private readonly PoolReporter _inner;
    private readonly DbInstruments? _instruments;
    private readonly TimeProvider _time;
    private IPool? _pool;

    private DbPoolReporter(DbPoolOptions options, bool isPooled)
    {
        var pool = options.Pool;
        Name = options.MetricName ?? pool.Name ?? PoolNames.For(typeof(System.Data.Common.DbConnection));
        MinIdle = pool.MinIdle;
        _time = pool.TimeProvider;
        _inner = pool.Reporter ?? PoolReporter.Of(pool.Meter, pool.MeterFactory);
        _instruments = isPooled ? DbInstruments.Of(pool.Meter, pool.MeterFactory) : null;
    }

    /// <summary>The name of the pool in the metrics of database clients.</summary>
    public string Name { get; }

    /// <summary>Set by the pool when it is reconfigured.</summary>
    public int MinIdle { get; set; }

    /// <summary>Set by the pool: counts the connections whose close has begun and has not completed.</summary>
    public Func<int> CountClosing { private get; set; } = static () => 0;

    public int Closing => CountClosing();

    public override bool RecordsWaits => _inner.RecordsWaits || Traces;

    public override bool RecordsUseTime => _inner.RecordsUseTime || _instruments is { RecordsUseTime: true };

    private bool Traces => _instruments is not null && _activities.HasListeners();

    /// <summary>Creates a reporter for the pool that will be created with these options, which are frozen.</summary>
    /// <param name="options">The settings, with a name.</param>
    /// <param name="isPooled">False for connections that are opened and closed for each use: they are not reported as a
    /// pool.</param>
    public static DbPoolReporter For(DbPoolOptions options, bool isPooled = true)
    {
        var reporter = new DbPoolReporter(options, isPooled);
        options.Pool.Reporter = reporter;
        return reporter;
    }

    public override void Add(IPool pool)
    {
        _pool = pool;
        _inner.Add(pool);
        _instruments?.Add(this);
    }

    public override void Remove(IPool pool)
    {
        _instruments?.Remove(this);
        _inner.Remove(pool);
    }

    public override void RecordWait(IPool pool, WaitOutcome outcome, TimeSpan time, bool synchronous)
    {
        _inner.RecordWait(pool, outcome, time, synchronous);
        if (synchronous && Traces)
        {
            Trace(outcome, time);
        }
    }

    public override void RecordCreateTime(IPool pool, TimeSpan time)
    {
        _inner.RecordCreateTime(pool, time);
        _instruments?.RecordCreateTime(Name, time);
    }

    public override void RecordUseTime(IPool pool, TimeSpan time, string? label)
    {
        _inner.RecordUseTime(pool, time, label);
        _instruments?.RecordUseTime(Name, time, label);
    }

    public ResourcePoolStatistics? GetStatistics() => _pool?.GetStatistics() as ResourcePoolStatistics;

    /// <summary>
    /// Returns the start of a rent, to be passed on when the rent ends; <see cref="Unmeasured"/> without a listener.
    /// </summary>
    public long Begin() => _instruments is { RecordsWaitTime: true } || Traces ? _time.GetTimestamp() : Unmeasured;

    /// <summary>Records a rent that was served.</summary>
    public void Got(long began)
    {
        if (began != Unmeasured)
        {
            _instruments?.RecordWaitTime(Name, _time.GetElapsedTime(began));
        }
    }

    /// <summary>Records the end of an awaited rent that was queued; called under the caller's activity.</summary>
    public void Awaited(long began, WaitOutcome outcome)
    {
        if (began != Unmeasured && Traces)
        {
            Trace(outcome, _time.GetElapsedTime(began));
        }
    }

    private void Trace(WaitOutcome outcome, TimeSpan time)
    {
        var caller = Activity.Current;
#pragma warning disable CA1031 // An exception of a listener is ignored: otherwise the caller would lose its connection.
        try
        {
            WriteActivity(outcome, time);
        }
        catch (Exception)
        {
            // There is no caller to notify. Operations in progress may not have ended.
            Activity.Current = caller;
        }
#pragma warning restore CA1031
    }

    private void WriteActivity(WaitOutcome outcome, TimeSpan time)
    {
        var end = _time.GetUtcNow();
        using var activity = _activities.StartActivity(
            ActivityName,
            ActivityKind.Internal,
            parentContext: default,
            [new(DbInstruments.PoolNameTag, TagValue.Of(Name)), new(OutcomeTag, NameOf(outcome))],
            startTime: end - time);
        if (activity is not null)
        {
            activity.SetEndTime(end.UtcDateTime);
            if (outcome is not (WaitOutcome.Served or WaitOutcome.Cancelled))
            {
                activity.SetTag("error.type", NameOf(outcome));
                activity.SetStatus(ActivityStatusCode.Error);
            }
        }
    }

    private static string NameOf(WaitOutcome outcome) => outcome switch
    {
        WaitOutcome.Served => "served",
        WaitOutcome.TimedOut => "timeout",
        WaitOutcome.Cancelled => "cancelled",
        WaitOutcome.Shed => "shed",
        WaitOutcome.Closed => "closed",
        _ => "failed",
    };
}
