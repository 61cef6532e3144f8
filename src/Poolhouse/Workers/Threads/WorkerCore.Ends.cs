using Poolhouse.Workers.Items;
using Poolhouse.Workers.Queueing;

namespace Poolhouse.Workers.Threads;

/// <content>Handling of failed, cancelled and dropped items.</content>
internal sealed partial class WorkerCore
{
    /// <summary>Called when the caller of the item no longer awaits it.</summary>
    public void Cancel(WorkItem item, long version, WorkLaneQueue? lane)
    {
        if (lane is not null && lane.TryRemove(item, version))
        {
            Drop(item, WorkDropReason.Cancelled);
        }
    }

    /// <summary>
    /// Called when the caller of the item no longer waits for capacity. The calling code completes the wait.
    /// </summary>
    public bool TryCancelOutside(WorkItem item, long version, WorkLaneQueue? lane)
    {
        if (lane is null || !lane.TryRemove(item, version, onlyOutside: true))
        {
            return false;
        }

        item.EnqueueResult = null;
        Drop(item, WorkDropReason.Cancelled);
        return true;
    }

    /// <summary>Drops all queued items, because the pool is closed.</summary>
    public int DropQueued()
    {
        var dropped = 0;
        foreach (var lane in Workers.Queue.Lanes)
        {
            var all = lane.TakeAll();
            all.ForEach(entry => Drop(entry, lane, WorkDropReason.PoolClosed));
            dropped += all.Count;
        }

        return dropped;
    }

    /// <summary>Ends an item that a worker has taken too late. The worker owns the item.</summary>
    public void DropLate(WorkItem item, WorkReport report) => Drop(item, WorkDropReason.QueueTimeout, report);

    public void OnGivenUp(WorkItem item, in WorkAbandonedArgs abandoned)
    {
        Interlocked.Increment(ref _abandonments);
        var failure = abandoned.Phase == WorkPhase.Create
            ? WorkErrors.CreatedTooLong(this, abandoned.RanFor)
            : WorkErrors.RanTooLong(this, abandoned.RanFor);
        if (item.Strand is { } strand && item.Lane!.Advance(strand))
        {
            Workers.Notify();
        }

        item.GiveUp();
        item.Fail(failure);
        Workers.CheckAgain();
        var told = abandoned;
        Tell(observer => observer.OnAbandoned(told));
        Workers.OnReplaced();
    }

    public void OnStuck(WorkStuckArgs stuck)
    {
        Interlocked.Increment(ref _stuck);
        Tell(observer => observer.OnStuck(stuck));
    }

    public void OnFailed(string label, Exception failure)
    {
        if (Options.Observer is not null)
        {
            var failed = new WorkFailedArgs(Face, label, failure);
            Tell(observer => observer.OnFailed(failed));
        }
    }

    public void OnStartFailed(Exception failure, long again)
    {
        ScheduleAt(again);
        var failed = new WorkerStartFailedArgs(Face, failure, _startRetry);
        Tell(observer => observer.OnStartFailed(failed));
    }

    private void Drop(in WorkEntry entry, WorkLaneQueue lane, WorkDropReason reason)
    {
        if (entry.Item is { } item)
        {
            Drop(item, reason);
            return;
        }

        // A plain post: there is no observer, because otherwise the post would be an item.
        if (reason == WorkDropReason.QueueFull)
        {
            Interlocked.Increment(ref _shed);
        }

        if (lane.IsBounded && lane.AdmitAsRoomAllows())
        {
            Workers.Notify();
        }
    }

    /// <summary>Ends an item that never starts. The calling thread owns the item.</summary>
    private void Drop(WorkItem item, WorkDropReason reason, WorkReport? report = null)
    {
        var waited = Clock.Span(Math.Max(0, Clock.Coarse - item.PostedAt));
        var lane = item.Lane!;
        var advanced = item.Strand is { } strand && lane.Advance(strand);
        if ((lane.IsBounded && lane.AdmitAsRoomAllows()) || advanced)
        {
            Workers.Notify();
        }

        // The caller is notified before the observer, which may take long; afterwards the item belongs to its caller again.
        var dropped = Options.Observer is null ? default : new WorkDroppedArgs(Face, item.Describe(), reason, waited);
        Count(reason);
        var failure = item.IsAwaited ? Failure(item, reason, waited, report ?? new WorkReport(this)) : WorkErrors.Unheard;
        if (reason == WorkDropReason.QueueFull)
        {
            item.EnqueueResult?.TrySetResult();
        }
        else
        {
            item.EnqueueResult?.TrySetException(failure);
        }

        item.Fail(failure);
        OnDropped(dropped);
    }

    private void OnDropped(WorkDroppedArgs dropped)
    {
        if (Options.Observer is not null)
        {
            Tell(observer => observer.OnDropped(dropped));
        }
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

    private Exception Failure(WorkItem item, WorkDropReason reason, TimeSpan waited, WorkReport report) => reason switch
    {
        WorkDropReason.QueueFull => WorkErrors.Dropped(this, waited, report),
        WorkDropReason.QueueTimeout => WorkErrors.QueuedTooLong(this, waited, report),
        WorkDropReason.Cancelled => new OperationCanceledException(item.Token),
        _ => WorkErrors.NeverBegun(Name),
    };
}
