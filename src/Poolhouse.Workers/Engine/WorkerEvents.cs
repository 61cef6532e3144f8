using Poolhouse.Kernel;

namespace Poolhouse.Workers.Engine;

/// <summary>Reports the events of a worker pool to its observer and its metrics.</summary>
// Never called under a lock. An observer that throws affects nothing; one that blocks delays only the thread that reports. The
// timer's thread therefore reports what it has found once its check is complete (Deferred).
internal sealed class WorkerEvents(WorkerCore core)
{
    // The reports collected by the check in progress on this thread; null if there is none.
    [ThreadStatic]
    private static List<Action<WorkerPoolObserver>>? _deferred;

    private long _stuck;

    public long Stuck => Interlocked.Read(ref _stuck);

    /// <summary>Whether there is an observer, which needs the descriptions of items.</summary>
    public bool AreObserved => core.Options.Observer is not null;

    /// <summary>Runs a check of the timer; what it reports is reported afterwards.</summary>
    public void RunDeferred(Action check)
    {
        var deferred = _deferred = AreObserved ? [] : null;
        try
        {
            check();
        }
        finally
        {
            _deferred = null;
        }

        deferred?.ForEach(Report);
    }

    public void ReportStateCreated(TimeSpan time)
    {
        var created = new StateCreatedArgs(core.ReportedAs, time);
        Report(observer => observer.OnStateCreated(created));
    }

    public void ReportStateCreateFailed(Exception failure)
    {
        var failed = new StateCreateFailedArgs(core.ReportedAs, failure);
        Report(observer => observer.OnStateCreateFailed(failed));
    }

    public void ReportStateDestroyed(WorkerDestroyReason reason, Exception? failure)
    {
        var destroyed = new StateDestroyedArgs(core.ReportedAs, reason, failure);
        Report(observer => observer.OnStateDestroyed(destroyed));
    }

    public void ReportStartFailed(Exception failure, TimeSpan retryAfter)
    {
        var failed = new WorkerStartFailedArgs(core.ReportedAs, failure, retryAfter);
        Report(observer => observer.OnStartFailed(failed));
    }

    public void ReportFailed(string label, Exception failure)
    {
        var failed = new WorkFailedArgs(core.ReportedAs, label, failure);
        Report(observer => observer.OnFailed(failed));
    }

    public void ReportStuck(WorkStuckArgs stuck)
    {
        Interlocked.Increment(ref _stuck);
        Report(observer => observer.OnStuck(stuck));
    }

    public void ReportAbandoned(WorkAbandonedArgs abandoned) => Report(observer => observer.OnAbandoned(abandoned));

    public void ReportDropped(WorkDroppedArgs dropped) => Report(observer => observer.OnDropped(dropped));

    private void Report(Action<WorkerPoolObserver> report)
    {
        if (core.Options.Observer is not { } observer)
        {
            return;
        }

        if (_deferred is { } deferred)
        {
            deferred.Add(report);
            return;
        }

        UserCode.Notify(observer, report, static (observer, report) => report(observer));
    }
}
