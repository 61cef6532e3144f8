using System.Diagnostics.Tracing;
using Poolhouse.Resources.Engine;

namespace Poolhouse.Metrics;

/// <summary>
/// The event source "Poolhouse", for tools that look into the process: the state of every pool at an interval, and the events in
/// the life of pools.
/// </summary>
/// <remarks>No payload has an item, a key, a connection string or the message of an exception.</remarks>
[EventSource(Name = "Poolhouse")]
internal sealed class PoolEventSource : EventSource, IPoolEventLog
{
    // Callers may be refused by the thousand. The counters of the pool have them all.
    private const int MostFailuresPerSnapshot = 100;

    /// <summary>Created with the first instruments, when a session may already be waiting for it.</summary>
    public static readonly PoolEventSource Log = new();

    private SnapshotWriter? _writer;
    private int _failures;

    private PoolEventSource()
    {
    }

    [NonEvent]
    public void Started(IPool pool) => UserCode.Notify(this, pool, static (log, pool) => log.Started(pool.Name, KindOf(pool)));

    [NonEvent]
    public void Closed(IPool pool) => UserCode.Notify(this, pool, static (log, pool) => log.Closed(pool.Name));

    [NonEvent]
    public void CreateFailed(string pool, Exception failure, TimeSpan retryAfter) =>
        CreateFailed(pool, NameOf(failure), Microseconds(retryAfter));

    [NonEvent]
    public void OutageBegan(string pool, Exception failure) => OutageBegan(pool, NameOf(failure));

    [Event(7, Keywords = Keywords.Life)]
    public void OutageEnded(string pool) => WriteEvent(7, pool);

    [NonEvent]
    public void WaitFailed(string pool, string phase, TimeSpan waited)
    {
        if (Interlocked.Increment(ref _failures) <= MostFailuresPerSnapshot)
        {
            WaitFailed(pool, phase, Microseconds(waited));
        }
    }

    [NonEvent]
    public void LeakSuspected(string pool, long itemNumber, TimeSpan leasedFor, string? label) =>
        LeakSuspected(pool, itemNumber, Microseconds(leasedFor), label ?? "");

    [Event(10, Keywords = Keywords.Life)]
    public void Reconfigured(string pool) => WriteEvent(10, pool);

    /// <summary>Writes the state of a pool.</summary>
    [NonEvent]
    public void Write(IPool pool, int id, PoolDetail? detail)
    {
        var statistics = pool.GetStatistics();
        var figures = statistics.Figures;
        var leases = pool.GetLeases(int.MaxValue);
        var options = figures.Settings as ResourcePoolOptions;
        Pool(
            id, pool.Name, KindOf(pool), statistics.Condition.ToString(), figures.LastFailure ?? "",
            SnapshotText.HoldersOf(leases), SnapshotText.OldestOf(leases),
            SnapshotText.Of(detail?.Waits), SnapshotText.Of(detail?.Uses),
            SnapshotText.Of(ServersOf(pool)),
            max: figures.Max ?? 0, minIdle: options?.MinIdle ?? 0, live: figures.States.Sum(static state => state.Count),
            idle: Count(figures.States, "idle"), leased: statistics.Leased, creating: Count(figures.States, "creating"),
            validating: Count(figures.States, "validating"), resetting: Count(figures.States, "resetting"),
            destroying: Count(figures.States, "destroying"), peak: figures.Peak, waiting: figures.Waiting ?? 0,
            rented: statistics.Rented, hits: Count(figures.Rents, "hit"), waits: Count(figures.Rents, "wait"),
            returned: statistics.Returned, created: figures.Created ?? 0, createFailures: figures.CreateFailures ?? 0,
            destroyed: figures.Destroyed.Sum(static reason => reason.Count), timeouts: Count(figures.FailedWaits, "timeout"),
            cancellations: Count(figures.FailedWaits, "cancelled"), shed: Count(figures.FailedWaits, "shed"),
            leaks: figures.Leaks ?? 0, doubleReturns: figures.DoubleReturns ?? 0, idleBytes: figures.IdleBytes ?? 0,
            oldestWait: Microseconds(figures.OldestWait), oldestLease: Microseconds(figures.OldestLease),
            waitTime: Microseconds(figures.WaitTime), createTime: Microseconds(figures.CreateTime),
            useTime: Microseconds(figures.UseTime), outage: Microseconds(figures.OutageDuration),
            retryAfter: Microseconds(figures.RetryAfter), rentTimeout: Microseconds(options?.RentTimeout),
            outageTimeout: Microseconds(options?.OutageTimeout), leakThreshold: Microseconds(options?.LeakThreshold),
            labels: options is { RecordsCallers: true } ? 1 : 0);
    }

    /// <summary>Marks the end of a picture of all pools.</summary>
    [NonEvent]
    public void WriteEnd(int pools, TimeSpan interval)
    {
        Interlocked.Exchange(ref _failures, 0);
        Snapshots(pools, Microseconds(interval), typeof(PoolEventSource).Assembly.GetName().Version?.ToString(3) ?? "");
    }

    protected override void OnEventCommand(EventCommandEventArgs command)
    {
        IPoolEventLog.Current = IsEnabled(EventLevel.Informational, Keywords.Life) ? this : null;
        if (IsEnabled(EventLevel.Informational, Keywords.Snapshot))
        {
            _writer ??= new SnapshotWriter(this);
            _writer.Apply(command.Arguments);
        }
        else
        {
            _writer?.Stop();
            _writer = null;
        }
    }

    [Event(1, Keywords = Keywords.Snapshot)]
    private void Pool(
        int id, string name, string kind, string condition, string failure, string holders, string oldestLeases,
        string waitHistogram, string useHistogram, string servers,
        long max, long minIdle, long live, long idle, long leased, long creating, long validating, long resetting,
        long destroying, long peak, long waiting, long rented, long hits, long waits, long returned, long created,
        long createFailures, long destroyed, long timeouts, long cancellations, long shed, long leaks, long doubleReturns,
        long idleBytes, long oldestWait, long oldestLease, long waitTime, long createTime, long useTime, long outage,
        long retryAfter, long rentTimeout, long outageTimeout, long leakThreshold, int labels) =>
        WriteEvent(
            1, id, name, kind, condition, failure, holders, oldestLeases, waitHistogram, useHistogram, servers, max, minIdle,
            live, idle, leased, creating, validating, resetting, destroying, peak, waiting, rented, hits, waits, returned,
            created, createFailures, destroyed, timeouts, cancellations, shed, leaks, doubleReturns, idleBytes, oldestWait,
            oldestLease, waitTime, createTime, useTime, outage, retryAfter, rentTimeout, outageTimeout, leakThreshold, labels);

    [Event(2, Keywords = Keywords.Snapshot)]
    private void Snapshots(int pools, long interval, string version) => WriteEvent(2, pools, interval, version);

    [Event(3, Keywords = Keywords.Life)]
    private void Started(string pool, string kind) => WriteEvent(3, pool, kind);

    [Event(4, Keywords = Keywords.Life)]
    private void Closed(string pool) => WriteEvent(4, pool);

    [Event(5, Keywords = Keywords.Life)]
    private void CreateFailed(string pool, string failure, long retryAfter) => WriteEvent(5, pool, failure, retryAfter);

    [Event(6, Keywords = Keywords.Life)]
    private void OutageBegan(string pool, string failure) => WriteEvent(6, pool, failure);

    [Event(8, Keywords = Keywords.Life)]
    private void WaitFailed(string pool, string phase, long waited) => WriteEvent(8, pool, phase, waited);

    [Event(9, Keywords = Keywords.Life)]
    private void LeakSuspected(string pool, long itemNumber, long leasedFor, string label) =>
        WriteEvent(9, pool, itemNumber, leasedFor, label);

    // A policy that throws must not hide its pool.
    private static IReadOnlyList<ServerStatistics<string>> ServersOf(IPool pool)
    {
        IReadOnlyList<ServerStatistics<string>> servers = [];
        UserCode.Notify(pool, 0, (owner, _) => servers = owner.GetServers());
        return servers;
    }

    private static string KindOf(IPool pool) => pool.GetType().Name.Split('`')[0];

    private static string NameOf(Exception failure) => failure.GetType().ToString();

    private static long Count(IEnumerable<(string Name, long Count)> parts, string name) =>
        parts.FirstOrDefault(part => string.Equals(part.Name, name, StringComparison.Ordinal)).Count;

    // An infinite time is negative, and so is one that the pool does not have.
    private static long Microseconds(TimeSpan? time) => time is { Ticks: >= 0 } known ? (long)known.TotalMicroseconds : -1;

    /// <summary>What a session can ask for.</summary>
    public static class Keywords
    {
        /// <summary>The state of every pool, at the interval of the session.</summary>
        public const EventKeywords Snapshot = (EventKeywords)1;

        /// <summary>The events in the life of a pool.</summary>
        public const EventKeywords Life = (EventKeywords)2;
    }
}
