using Poolhouse.Kernel.Threading;
using Poolhouse.Kernel.Time;

namespace Poolhouse.Workers.Threads;

/// <summary>
/// Ends the workers of a <see cref="WorkerSet"/>: individually, because they are idle or surplus, and all of them with the pool.
/// </summary>
// Invariants
//   a worker that leaves was taken out of the idle list under the gate, in the same section, and is signalled outside of it,
//   exactly once
//   the end of the pool is completed by the thread that closed the set when no thread was left, by the last thread, by the one
//   that replaced the last worker or failed to start it, or by the one that dropped the last queued item of a draining pool
//   without threads
// Order of writes
//   the set is closed before the queued items are dropped: an item that arrives later is dropped by the caller that queued it
//   after a slot was released, the queue is checked behind a full fence (WorkerSet)
//   the set is draining, full fence, then the queued items are counted; a thread that drops an item removes it, full fence, then
//   reads the stage: one of the two finds the pool without threads and items, and completes its end
// Locks: the set's gate. Workers are signalled, and the core is called, outside of it.
internal sealed class WorkerTermination(WorkerSet set, Gate gate)
{
    private readonly TaskCompletionSource _ended = new(TaskCreationOptions.RunContinuationsAsynchronously);

    /// <summary>Completes when a closed or drained pool has no threads left except replaced ones.</summary>
    public Task WhenEnded => _ended.Task;

    /// <summary>Changes the limits of the number of workers.</summary>
    /// <returns>The idle workers that are surplus now, for <see cref="EndSurplus"/>.</returns>
    public List<Worker> SetLimits(int maxWorkers, int minWorkers)
    {
        using (gate.Enter())
        {
            ref var members = ref set.MembersLocked;
            members.SetLimits(maxWorkers, minWorkers);
            return members.TakeIdle(members.Surplus, WorkerDestroyReason.Surplus);
        }
    }

    /// <summary>Ends the surplus workers, and starts others if the limit was raised.</summary>
    public void EndSurplus(List<Worker> surplus)
    {
        Send(surplus, WorkerSignal.End);
        set.CheckAgain();
    }

    /// <summary>Ends the idle workers.</summary>
    public int Trim()
    {
        List<Worker> idle;
        using (gate.Enter())
        {
            idle = set.MembersLocked.TakeIdle(int.MaxValue, WorkerDestroyReason.Trimmed);
        }

        var states = idle.Count(static worker => worker.HasState);
        Send(idle, WorkerSignal.End);
        set.CheckAgain();
        return states;
    }

    /// <summary>Ends workers that have been idle for too long, and wakes those whose state has expired, to destroy it.</summary>
    /// <returns>The time of the next check.</returns>
    public long Check(long now)
    {
        var ended = new List<Worker>();
        var old = new List<Worker>();
        var next = PoolClock.Never;
        bool retry;
        using (gate.Enter())
        {
            ref var members = ref set.MembersLocked;
            for (var worker = members.FirstIdle; worker is not null;)
            {
                var following = worker.Next;
                var end = PoolClock.Add(worker.IdleSince, set.Core.Settings.IdleTicks);
                if (members.IsAboveMinimum && end <= now)
                {
                    members.TryTakeIdle(worker);
                    members.Leave(worker, WorkerDestroyReason.Idle);
                    ended.Add(worker);
                }
                else
                {
                    next = members.IsAboveMinimum ? Math.Min(next, end) : next;
                    if (worker.StateEnd <= now)
                    {
                        old.Add(worker);
                    }
                    else
                    {
                        next = Math.Min(next, worker.StateEnd);
                    }
                }

                worker = following;
            }

            retry = members.TryEndStartPause(now);
            next = Math.Min(next, members.StartAgainAt);
        }

        Send(ended, WorkerSignal.End);
        old.ForEach(static worker => worker.TrySend(StateCommand.DestroyExpired));
        if (retry || ended.Count > 0)
        {
            set.CheckAgain();
        }

        return next;
    }

    /// <summary>Rejects new items; the queued ones are run, and then the threads end.</summary>
    public void Drain()
    {
        List<Worker> idle;
        bool last;
        using (gate.Enter())
        {
            ref var members = ref set.MembersLocked;
            if (members.Stage != WorkerStage.Open)
            {
                return;
            }

            members.EnterStage(WorkerStage.Draining);

            // Between writing the stage and counting the queued items; a thread that drops one also has a fence between the two.
            Interlocked.MemoryBarrier();
            idle = members.TakeIdle(int.MaxValue, reason: null);
            last = members.TryFinish(set.Queue);
        }

        Send(idle, WorkerSignal.Check);
        if (last)
        {
            Finish();
        }
    }

    /// <summary>Prevents all further items from starting. The caller drops the queued ones.</summary>
    public void Close()
    {
        List<Worker> idle;
        bool last;
        using (gate.Enter())
        {
            ref var members = ref set.MembersLocked;
            members.EnterStage(WorkerStage.Closed);
            idle = members.TakeIdle(int.MaxValue, WorkerDestroyReason.PoolDisposed);
            last = members.TryFinish(set.Queue);
        }

        Send(idle, WorkerSignal.End);
        if (last)
        {
            Finish();
        }
    }

    /// <summary>Called when the thread of a worker that has left is about to end, and its state is destroyed.</summary>
    public void OnEnded(Worker worker)
    {
        bool last;
        using (gate.Enter())
        {
            set.MembersLocked.RemoveEnded(worker);
            last = set.MembersLocked.TryFinish(set.Queue);
        }

        worker.OnEnded();
        if (last)
        {
            Finish();
            return;
        }

        if (worker.IsReplaced)
        {
            // Another abandoned worker, which kept its slot, may be replaced now.
            set.Core.Timer.ScheduleAt(set.Core.Clock.Now);
        }

        // Threads that queued work before this found no free slot, and neither did the check for missing workers.
        set.CheckAgain();
        set.Core.Timer.ReplaceMissing();
    }

    /// <summary>
    /// Called after a queued item was dropped: if it was the last one of a draining pool that has no thread, for example because
    /// none could be started, no other thread completes the end of the pool.
    /// </summary>
    public void OnDropped()
    {
        // Between removing the item and reading the stage.
        Interlocked.MemoryBarrier();

        // Not in a closed pool: Finish drops items itself and would call this again.
        if (set.IsDraining)
        {
            FinishIfEnded();
        }
    }

    /// <summary>
    /// Completes the end of the pool if it has no threads and, while it is draining, no items left. Called when no other thread
    /// does it: after the last worker was replaced or the last item dropped.
    /// </summary>
    public void FinishIfEnded()
    {
        bool last;
        using (gate.Enter())
        {
            last = set.MembersLocked.TryFinish(set.Queue);
        }

        if (last)
        {
            Finish();
        }
    }

    /// <summary>Completes the end of the pool.</summary>
    public void Finish()
    {
        // The set is closed before the queue is checked: an item that arrives later is dropped by the caller that queued it.
        Interlocked.MemoryBarrier();
        set.Core.Dispose();
        _ended.TrySetResult();
    }

    private static void Send(List<Worker> workers, WorkerSignal signal)
    {
        foreach (var worker in workers)
        {
            worker.Signal(signal);
        }
    }
}
