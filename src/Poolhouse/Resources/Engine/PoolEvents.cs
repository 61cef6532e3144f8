using Poolhouse.Resources.Engine.Items;

namespace Poolhouse.Resources.Engine;

/// <summary>
/// Reports the events of a pool to its metrics and its observer, and counts those that happen outside the core.
/// </summary>
// Never called under a lock. An observer that throws affects nothing; one that blocks delays only the thread that reports.
internal sealed class PoolEvents<T>(ResourceRuntime<T> runtime, IPool pool, PoolReporter reporter, bool isObserved = true)
    where T : notnull
{
    private long _abandoned;
    private long _doubleReturns;
    private long _destroyFailures;
    private int _inOutage;

    /// <summary>The pool as seen by metrics and observers.</summary>
    public IPool Pool => pool;

    public long DoubleReturns => Interlocked.Read(ref _doubleReturns);

    public long DestroyFailures => Interlocked.Read(ref _destroyFailures);

    /// <summary>The calls of hooks that were abandoned at their deadline.</summary>
    public long Abandoned => Interlocked.Read(ref _abandoned);

    /// <summary>Whether waits are recorded or observed.</summary>
    public bool ReportsWaits =>
        reporter.RecordsWaits || PoolDetail.IsOn || (isObserved && runtime.Settings.Options.Observer is not null);

    /// <summary>The recorder of durations. Returns check themselves whether it records any.</summary>
    public PoolReporter Reporter => reporter;

    public void ReportCreated(long number, TimeSpan duration)
    {
        if (Volatile.Read(ref _inOutage) != 0 && Interlocked.Exchange(ref _inOutage, 0) != 0)
        {
            IPoolEventLog.Current?.OutageEnded(pool.Name);
        }

        UserCode.Notify(
            reporter, (pool, duration), static (reporter, created) => reporter.RecordCreateTime(created.pool, created.duration));
        Observe(new ItemCreatedArgs(pool, number, duration), static (observer, created) => observer.OnCreated(created));
    }

    public void ReportCreateFailed(ItemCreateFailedArgs failed)
    {
        // One that began before the last success, or that only lacked room, begins no outage.
        if (failed is { LacksRoom: false, Failures: > 0 } && Interlocked.Exchange(ref _inOutage, 1) == 0)
        {
            IPoolEventLog.Current?.OutageBegan(pool.Name, failed.Failure);
        }

        IPoolEventLog.Current?.CreateFailed(pool.Name, failed.Failure, failed.RetryAfter);
        Observe(failed, static (observer, failed) => observer.OnCreateFailed(failed));
    }

    public void ReportDestroyed(long number, DestroyReason reason, Exception? failure) =>
        Observe(
            new ItemDestroyedArgs(pool, number, reason, failure),
            static (observer, destroyed) => observer.OnDestroyed(destroyed));

    public void ReportWait(WaitOutcome outcome, TimeSpan time, bool synchronous)
    {
        if (PoolDetail.Of(pool) is { } detail)
        {
            PoolDetail.Count(detail.Waits, time);
        }

        if (reporter.RecordsWaits)
        {
            UserCode.Notify(
                reporter, (pool, outcome, time, synchronous),
                static (reporter, wait) => reporter.RecordWait(wait.pool, wait.outcome, wait.time, wait.synchronous));
        }

        Observe(new WaitEndedArgs(pool, outcome, time), static (observer, ended) => observer.OnWaitEnded(ended));
    }

    public void ReportLeak(long number, TimeSpan leasedFor, LeaseTrace? trace)
    {
        IPoolEventLog.Current?.LeakSuspected(pool.Name, number, leasedFor, trace?.Label);
        Observe(
            new LeakSuspectedArgs(pool, number, leasedFor, trace?.Label, trace?.Site),
            static (observer, suspected) => observer.OnLeakSuspected(suspected));
    }

    /// <summary>
    /// Reports a use that has ended to the view in detail and to the metrics, and ends its trace. The hot path calls it only if
    /// there is one of these.
    /// </summary>
    /// <param name="slot">The slot of the use.</param>
    /// <param name="ticks">Its time in ticks of the pool's clock.</param>
    public void ReportUse(TracedSlot<T> slot, long ticks)
    {
        // Most uses begin and end within one tick of the coarse clock. The conversion would take longer than the count.
        var time = ticks == 0 ? TimeSpan.Zero : runtime.Clock.Span(ticks);
        if (PoolDetail.Of(pool) is { } detail)
        {
            PoolDetail.Count(detail.Uses, time);
        }

        if (reporter.RecordsUseTime)
        {
            UserCode.Notify(
                reporter, (pool, time, slot.Trace?.Label),
                static (reporter, use) => reporter.RecordUseTime(use.pool, use.time, use.Label));
        }

        slot.Trace?.EndLease();
        slot.Trace = null;
    }

    public void CountDoubleReturn() => Interlocked.Increment(ref _doubleReturns);

    public void CountDestroyFailure() => Interlocked.Increment(ref _destroyFailures);

    public void CountAbandoned() => Interlocked.Increment(ref _abandoned);

    private void Observe<TArgs>(TArgs args, Action<ResourcePoolObserver, TArgs> notify)
    {
        if (isObserved && runtime.Settings.Options.Observer is { } observer)
        {
            UserCode.Notify(observer, args, notify);
        }
    }
}
