using Poolhouse.Workers.Items;
using Poolhouse.Workers.Queueing;
using Poolhouse.Workers.Threads;

namespace Poolhouse.Workers.Engine;

/// <summary>
/// Ends items that never start: cancelled, late and dropped ones; and those that were abandoned while they ran.
/// </summary>
// Invariants
//   the thread that has removed an item from its lane, or taken it from its worker, owns it and ends it, so each item ends once
//   whatever ends an item lets the next one of its key advance, and admits items that wait for capacity
// Order of writes: the caller is notified before the observer, which may take long; afterwards the item belongs to its caller
// again.
// Locks: none; the lanes have their own.
internal sealed class ItemDropper(WorkerCore core)
{
    private long _timeouts;
    private long _cancellations;
    private long _shed;
    private long _abandonments;

    public long Timeouts => Interlocked.Read(ref _timeouts);

    public long Cancellations => Interlocked.Read(ref _cancellations);

    public long Shed => Interlocked.Read(ref _shed);

    public long Abandonments => Interlocked.Read(ref _abandonments);

    /// <summary>How many queued items were dropped because the pool is closed.</summary>
    public long Queued
    {
        get
        {
            var dropped = 0L;
            foreach (var lane in core.Workers.Queue.Lanes)
            {
                dropped += lane.TakenByClosing;
            }

            return dropped;
        }
    }

    /// <summary>Called when the caller of the item has cancelled it, or was interrupted while it waited for it.</summary>
    public void Cancel(WorkItem item, long version, LaneQueue? lane)
    {
        if (lane is not null && lane.TryRemove(item, version))
        {
            Drop(item, WorkDropReason.Cancelled);
        }
    }

    /// <summary>Called when the caller of the item has cancelled its wait for capacity.</summary>
    public void CancelAdmission(WorkItem item, long version, LaneQueue? lane, CancellationToken token)
    {
        if (lane is not null && lane.TryRemove(item, version, onlyOverflow: true))
        {
            Drop(item, WorkDropReason.Cancelled, token: token);
        }
    }

    /// <summary>Drops all queued items, because the pool is closed.</summary>
    public void DropQueued()
    {
        foreach (var lane in core.Workers.Queue.Lanes)
        {
            lane.TakeAll().ForEach(item => Drop(item, WorkDropReason.PoolClosed));
        }
    }

    /// <summary>Ends an item that a worker has taken too late. The worker owns the item.</summary>
    public void DropLate(WorkItem item, ErrorFigures report) => Drop(item, WorkDropReason.QueueTimeout, report);

    public void OnAbandoned(WorkItem item, in WorkAbandonedArgs abandoned)
    {
        Interlocked.Increment(ref _abandonments);
        var failure = item is StateCreation ? WorkErrors.CreatedTooLongAhead(core, abandoned.RanFor)
            : abandoned.Phase == WorkPhase.Create ? WorkErrors.CreatedTooLong(core, abandoned.RanFor)
            : WorkErrors.RanTooLong(core, abandoned.RanFor);
        if (item.Strand is { } strand && item.Lane!.Advance(strand))
        {
            core.Workers.Notify();
        }

        item.MarkAbandoned();
        item.Fail(failure);
        core.Workers.CheckAgain();
        core.Events.ReportAbandoned(abandoned);
        core.Workers.Termination.FinishIfEnded();
    }

    /// <summary>Counts an item that was rejected; its caller still owns it.</summary>
    public void CountRejected() => Interlocked.Increment(ref _shed);

    /// <summary>Ends an item that never starts. The calling thread owns the item.</summary>
    /// <param name="item">The item.</param>
    /// <param name="reason">Why it never starts.</param>
    /// <param name="report">The counters for the error message; null to read them.</param>
    /// <param name="token">The token that cancelled the wait for capacity, if that is the reason.</param>
    public void Drop(WorkItem item, WorkDropReason reason, ErrorFigures? report = null, CancellationToken token = default)
    {
        var waited = core.Clock.Span(Math.Max(0, core.Clock.Coarse - item.PostedAt));
        var lane = item.Lane!;
        var advanced = item.Strand is { } strand && lane.Advance(strand);
        if ((lane.IsBounded && lane.AdmitAsRoomAllows()) || advanced)
        {
            core.Workers.Notify();
        }

        var dropped = core.Events.AreObserved ? new WorkDroppedArgs(core.ReportedAs, item.Describe(), reason, waited) : default;
        Count(reason);
        var failure = item.IsAwaited ? Failure(item, reason, waited, report ?? new ErrorFigures(core)) : WorkErrors.Unreported;
        if (reason == WorkDropReason.QueueFull)
        {
            item.Admission?.TrySetResult();
        }
        else if (reason == WorkDropReason.Cancelled)
        {
            item.Admission?.TrySetCanceled(token);
        }
        else
        {
            item.Admission?.TrySetException(failure);
        }

        item.Fail(failure);
        core.Workers.Termination.OnDropped();
        core.Events.ReportDropped(dropped);
    }

    private void Count(WorkDropReason reason)
    {
        switch (reason)
        {
            case WorkDropReason.QueueFull:
                Interlocked.Increment(ref _shed);
                break;
            case WorkDropReason.QueueTimeout:
                Interlocked.Increment(ref _timeouts);
                break;
            case WorkDropReason.Cancelled:
                Interlocked.Increment(ref _cancellations);
                break;
            default:
                break;
        }
    }

    private Exception Failure(WorkItem item, WorkDropReason reason, TimeSpan waited, ErrorFigures report) => reason switch
    {
        WorkDropReason.QueueFull => WorkErrors.Dropped(core, waited, report),
        WorkDropReason.QueueTimeout => WorkErrors.QueuedTooLong(core, waited, report),
        WorkDropReason.Cancelled => new OperationCanceledException(item.Token),
        _ => WorkErrors.NeverStarted(core.Name),
    };
}
