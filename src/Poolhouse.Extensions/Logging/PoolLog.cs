using System.Globalization;
using Microsoft.Extensions.Logging;
using Poolhouse.Extensions.Health;
using Poolhouse.Kernel;
using Poolhouse.Workers;

namespace Poolhouse.Extensions.Logging;

/// <summary>
/// Writes the log of one pool. Entries that may come in thousands are limited to one, and one summary for every ten seconds.
/// Never writes an item, a key or a connection string. A level that is off costs nothing.
/// </summary>
internal sealed class PoolLog : IDisposable
{
    private const int OldestLeases = 5;

    private readonly ILogger _logger;
    private readonly string _name;
    private readonly TimeProvider _time;
    private readonly Func<IPool, PoolFigures> _figuresOf;
    private readonly LogThrottle _outages;
    private readonly LogThrottle _workerFailures;
    private readonly LogThrottle _itemFailures;
    private readonly LogThrottle _timeouts;
    private readonly LogThrottle _sheds;
    private readonly LogThrottle _leaks;
    private readonly LogThrottle _workFailures;
    private readonly LogThrottle _workDrops;
    private readonly LogThrottle _stuckWork;
    private long _outageSince;
    private long _refused;
    private int _inOutage;

    public PoolLog(ILogger logger, string name, TimeProvider time, Func<IPool, PoolFigures> figuresOf)
    {
        _logger = logger;
        _name = name;
        _time = time;
        _figuresOf = figuresOf;
        _outages = new LogThrottle(time, count => PoolMessages.OutagesSummary(_logger, _name, count));
        _workerFailures = new LogThrottle(time, count => PoolMessages.WorkerFailuresSummary(_logger, _name, count));
        _itemFailures = new LogThrottle(time, count => PoolMessages.ItemFailuresSummary(_logger, _name, count));
        _timeouts = new LogThrottle(time, count => PoolMessages.WaitTimeoutsSummary(_logger, _name, count));
        _sheds = new LogThrottle(time, count => PoolMessages.ShedsSummary(_logger, _name, count));
        _leaks = new LogThrottle(time, count => PoolMessages.LeaksSummary(_logger, _name, count));
        _workFailures = new LogThrottle(time, count => PoolMessages.WorkFailuresSummary(_logger, _name, count));
        _workDrops = new LogThrottle(time, count => PoolMessages.WorkDropsSummary(_logger, _name, count));
        _stuckWork = new LogThrottle(time, count => PoolMessages.StuckWorkSummary(_logger, _name, count));
    }

    /// <summary>Names the limit of a pool and the settings that it comes from; null for MaxSize and the figures.</summary>
    public Func<IPool, string?> LimitOf { get; set; } = static _ => null;

    public void Started(IPool pool)
    {
        if (_logger.IsEnabled(LogLevel.Information))
        {
            var kind = PoolKindName(pool);
            PoolMessages.PoolStarted(_logger, _name, kind);
        }
    }

    public void Closed(IPool pool)
    {
        if (_logger.IsEnabled(LogLevel.Information))
        {
            var statistics = pool.GetStatistics();
            var (created, destroyed) = statistics switch
            {
                CachePoolStatistics cache => (cache.Created, cache.Destroyed),
                ResourcePoolStatistics resources => (resources.Created, resources.Destroyed),
                SharedResourcePoolStatistics shared => (shared.Items.Created, shared.Items.Destroyed),
                WorkerPoolStatistics workers => (workers.Created, workers.Destroyed),
                _ => (0, 0),
            };
            PoolMessages.PoolClosed(_logger, _name, statistics.Rented, created, destroyed);
        }
    }

    public void WarmedUp(int count, TimeSpan time) =>
        Write(() => PoolMessages.WarmedUp(_logger, _name, count, time.TotalSeconds));

    public void WarmUpIncomplete(int count, TimeSpan time, string reason, Exception? failure) =>
        Write(() => PoolMessages.WarmUpIncomplete(_logger, failure, _name, count, time.TotalSeconds, reason));

    public void WarmUpTooLarge(int count, int max) =>
        Write(() => PoolMessages.WarmUpTooLarge(_logger, _name, count, max));

    public void Drained(TimeSpan time) => Write(() => PoolMessages.Drained(_logger, _name, time.TotalSeconds));

    public void DrainIncomplete(IPool pool, TimeSpan time) => Write(() =>
    {
        var figures = _figuresOf(pool);
        var leases = pool.GetLeases(OldestLeases);
        PoolMessages.DrainIncomplete(
            _logger,
            _name,
            time.TotalSeconds,
            figures.Leased,
            figures.Creating,
            figures.OldestLease.TotalSeconds,
            figures.Leased == 0 ? "none" : leases.Count == 0 ? "not known" : string.Join("; ", leases));
    });

    public void Reconfigured(string changes) => Write(() => PoolMessages.Reconfigured(_logger, _name, changes));

    public void SizeAdvice(string advice) => Write(() => PoolMessages.SizeAdvice(_logger, _name, advice));

    public void ReloadRejected(string reason) => Write(() => PoolMessages.ReloadRejected(_logger, _name, reason));

    public void Created(IPool pool)
    {
        // A keyed pool is in an outage until every key has recovered.
        if (Volatile.Read(ref _inOutage) == 0 || _figuresOf(pool).InOutage || Interlocked.Exchange(ref _inOutage, 0) == 0)
        {
            return;
        }

        var outage = _time.GetElapsedTime(Volatile.Read(ref _outageSince));
        var refused = Interlocked.Read(ref _refused);
        PoolMessages.Recovered(_logger, _name, outage.TotalSeconds, refused);
    }

    public void CreateFailed(IPool pool, Exception failure, int failures, TimeSpan retryAfter, bool lacksRoom = false)
    {
        if (!_logger.IsEnabled(LogLevel.Warning))
        {
            return;
        }

        if (failures == 0)
        {
            // Another creation has succeeded since this one began: there is no outage.
            if (_logger.IsEnabled(LogLevel.Debug))
            {
                var late = failure.GetType();
                PoolMessages.CreateFailedLate(_logger, _name, late);
            }

            return;
        }

        // A lack of room is no outage: the callers that time out because of it are logged. Every outage ends with an entry, even
        // if the warning that it has begun is not written.
        if (!lacksRoom && TryBeginOutage() && _outages.TryPass())
        {
            var cause = PoolStates.Describe(failure);
            PoolMessages.OutageBegan(_logger, failure, _name, cause, retryAfter.TotalSeconds);
        }
        else if (_logger.IsEnabled(LogLevel.Debug))
        {
            var type = failure.GetType();
            PoolMessages.CreateFailedAgain(_logger, _name, failures, retryAfter.TotalSeconds, type);
        }

        // Two creations may end at the same moment, and be reported in the other order.
        Created(pool);
    }

    public void StateCreateFailed(Exception failure)
    {
        if (_logger.IsEnabled(LogLevel.Warning) && _workerFailures.TryPass())
        {
            PoolMessages.StateCreateFailed(_logger, failure, _name);
        }
    }

    public void WorkerStartFailed(Exception failure, TimeSpan retryAfter)
    {
        if (_logger.IsEnabled(LogLevel.Warning) && _workerFailures.TryPass())
        {
            PoolMessages.WorkerStartFailed(_logger, failure, _name, retryAfter.TotalSeconds);
        }
    }

    public void Destroyed(DestroyReason reason, Exception? failure)
    {
        var failed = reason is DestroyReason.Broken or DestroyReason.ValidationFailed or DestroyReason.ResetFailed
            or DestroyReason.KeepAliveFailed;
        if (failed && _logger.IsEnabled(LogLevel.Warning) && _itemFailures.TryPass())
        {
            PoolMessages.ItemFailed(_logger, failure, _name, reason);
        }
        else
        {
            PoolMessages.ItemDestroyed(_logger, _name, reason);
        }
    }

    public void WaitTimedOut(IPool pool, TimeSpan waited)
    {
        if (_logger.IsEnabled(LogLevel.Warning) && !IsRefusedInOutage(waited) && _timeouts.TryPass())
        {
            PoolMessages.WaitTimedOut(_logger, _name, waited.TotalSeconds, Counts(pool), Advise(pool));
        }
    }

    public void Shed(IPool pool, TimeSpan waited)
    {
        if (_logger.IsEnabled(LogLevel.Warning) && !IsRefusedInOutage(waited) && _sheds.TryPass())
        {
            PoolMessages.Shed(_logger, _name, waited.TotalSeconds, Counts(pool), Advise(pool));
        }
    }

    /// <summary>A caller was refused because of an outage: counted, and summed up when the outage ends.</summary>
    public void Refused(TimeSpan waited)
    {
        Interlocked.Increment(ref _refused);
        if (_logger.IsEnabled(LogLevel.Debug))
        {
            PoolMessages.Refused(_logger, _name, waited.TotalSeconds);
        }
    }

    public void LeakSuspected(in LeakSuspectedArgs suspected)
    {
        if (_logger.IsEnabled(LogLevel.Warning) && _leaks.TryPass())
        {
            PoolMessages.LeakSuspected(
                _logger,
                _name,
                suspected.ItemNumber,
                suspected.LeasedFor.TotalSeconds,
                suspected.Label ?? "none",
                suspected.RentedAt?.ToString() ?? "unknown, because TrackLeases is off");
        }
    }

    public void WorkFailed(string label, Exception failure)
    {
        if (_logger.IsEnabled(LogLevel.Error) && _workFailures.TryPass())
        {
            PoolMessages.WorkFailed(_logger, failure, _name, label);
        }
    }

    public void WorkDropped(string label, WorkDropReason reason, TimeSpan waited)
    {
        // Cancelling is the caller's own decision, and closing the pool the app's.
        if (reason is WorkDropReason.QueueFull or WorkDropReason.QueueTimeout
            && _logger.IsEnabled(LogLevel.Warning) && _workDrops.TryPass())
        {
            PoolMessages.WorkDropped(_logger, _name, label, reason, waited.TotalSeconds);
        }
    }

    public void WorkStuck(string label, TimeSpan ranFor, bool abandoned)
    {
        if (_logger.IsEnabled(LogLevel.Warning) && _stuckWork.TryPass())
        {
            PoolMessages.WorkStuck(_logger, _name, label, ranFor.TotalSeconds, abandoned ? "was abandoned" : "is running");
        }
    }

    public void Dispose()
    {
        _outages.Dispose();
        _workerFailures.Dispose();
        _itemFailures.Dispose();
        _timeouts.Dispose();
        _sheds.Dispose();
        _leaks.Dispose();
        _workFailures.Dispose();
        _workDrops.Dispose();
        _stuckWork.Dispose();
    }

    // A logger may throw, and must fail neither the start and stop of the host nor a reload. What is thrown in observers, the
    // pools swallow.
    private static void Write(Action write) => UserCode.Notify(write, 0, static (write, _) => write());

    private bool TryBeginOutage()
    {
        if (Volatile.Read(ref _inOutage) != 0)
        {
            return false;
        }

        // Written first: the recovery that ends this outage reads it.
        Volatile.Write(ref _outageSince, _time.GetTimestamp());
        Interlocked.Exchange(ref _refused, 0);
        return Interlocked.Exchange(ref _inOutage, 1) == 0;
    }

    /// <summary>The limit of the pool and the settings that it comes from.</summary>
    public string DescribeLimit(IPool pool, PoolFigures figures) => LimitOf(pool) ?? (figures.MaxLeased == 0
        ? "no total limit"
        : string.Create(CultureInfo.InvariantCulture, $"MaxSize {figures.MaxLeased}"));

    // One line about the outage, when it began, is enough for all of its callers.
    private bool IsRefusedInOutage(TimeSpan waited)
    {
        if (Volatile.Read(ref _inOutage) == 0)
        {
            return false;
        }

        Refused(waited);
        return true;
    }

    private string Advise(IPool pool)
    {
        var figures = _figuresOf(pool);
        return PoolStates.Advise(figures, DescribeLimit(pool, figures));
    }

    private string Counts(IPool pool)
    {
        var figures = _figuresOf(pool);
        var counts = string.Create(
            CultureInfo.InvariantCulture,
            $"{DescribeLimit(pool, figures)}: {figures.Leased} leased, {figures.Idle} idle, {figures.Creating} creating; " +
            $"{figures.Waiting} waiting");
        return figures.Leased == 0
            ? counts
            : string.Create(
                CultureInfo.InvariantCulture, $"{counts}; oldest lease {figures.OldestLease.TotalSeconds:0.###} s");
    }

    private static string PoolKindName(IPool pool)
    {
        var name = pool.GetType().Name;
        var tick = name.IndexOf('`', StringComparison.Ordinal);
        return tick < 0 ? name : name[..tick];
    }
}
