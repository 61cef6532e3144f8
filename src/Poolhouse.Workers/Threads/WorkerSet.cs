using Poolhouse.Kernel.Threading;
using Poolhouse.Kernel.Time;
using Poolhouse.Workers.Engine;
using Poolhouse.Workers.Queueing;

namespace Poolhouse.Workers.Threads;

/// <summary>The threads of a pool: how many there are, which of them are idle, and which one is woken for new work.</summary>
// At most one worker searches: it spins, was just woken, or was just started. A thread that queues work wakes no worker while one
// searches, and a searcher that finds work wakes the next if there is more. So a burst costs one wake-up for its first item, and
// threads are started one after the other, as long as there is work for them. (The scheme of Go's scheduler and of Tokio's.)
// Parts: WorkerMembers holds the workers and their counts, WorkerTermination ends them, one by one and all of them with the pool.
// Invariants
//   in an open pool at least the minimum number of workers stay, with these exceptions: until the end of the check that abandoned
//   one; until the end of the Trim that ended one, and of the threads that it ended; until the first check that is at least a
//   second after one could not be started
//   a thread that takes another worker out of the idle list signals it
//   _searching is 0 or 1 except for brief moments, in which no worker is missed
// Order of writes
//   work is made runnable, full fence, then _searching is read: if it is above 0, that worker has yet to check the queue
//   a worker that stops searching without work decrements _searching, full fence, then checks the queue; one that found work then
//   starts the next searcher if there is more, even if it had started to become idle
//   a worker that makes an entry runnable itself, the next item of a key, wakes no worker if it checks the queue next; if
//   anything else comes before that, it checks whether a worker must be woken
//   a thread that releases the slot of a worker checks the queue after a full fence: threads that queued work before found no
//   slot
// Locks: a gate around the members; no other lock is taken under it, and no user code runs under it.
internal sealed class WorkerSet
{
    private readonly Gate _gate = new();
    private readonly WorkerCore _core;
    private readonly LaneScheduler _queue;
    private WorkerMembers _members;
    private int _searching;

    public WorkerSet(WorkerCore core, LaneScheduler queue, int max, int min)
    {
        _core = core;
        _queue = queue;
        _members = new WorkerMembers(max, min);
        Termination = new WorkerTermination(this, _gate);
    }

    /// <summary>Keeps the pool reachable while only the timer can start the missing thread.</summary>
    public object LacksThread => _members.LacksThread;

    public WorkerCore Core => _core;

    public LaneScheduler Queue => _queue;

    /// <summary>Ends workers, one by one and all of them.</summary>
    public WorkerTermination Termination { get; }

    public bool IsOpen => _members.Stage == WorkerStage.Open;

    public bool IsDraining => _members.Stage == WorkerStage.Draining;

    public bool IsClosed => _members.Stage == WorkerStage.Closed;

    public int Max => _members.Max;

    /// <summary>The number of idle workers.</summary>
    public int Parked => _members.IdleCount;

    /// <summary>For <see cref="WorkerTermination"/>: the members, under the gate.</summary>
    public ref WorkerMembers MembersLocked => ref _members;

    /// <summary>Called when an entry has become runnable.</summary>
    public void Notify()
    {
        // Between queuing the work and checking for a searcher; the searcher has one between stopping its search and its last
        // check of the queue.
        Interlocked.MemoryBarrier();
        NotifyAfterFence();
    }

    /// <summary>The same, for a thread that has executed a full fence since it queued the work.</summary>
    public void NotifyAfterFence()
    {
        if (Volatile.Read(ref _searching) == 0)
        {
            WakeOrStart();
        }
    }

    /// <summary>Called when the searcher has found work: if there is more, the next worker searches.</summary>
    public void StopSearching()
    {
        if (Interlocked.Decrement(ref _searching) == 0 && _queue.HasRunnable)
        {
            WakeOrStart();
        }
    }

    /// <summary>Called when the searcher has found nothing; it checks again after this.</summary>
    public void StopSearchingIdle() => Interlocked.Decrement(ref _searching);

    /// <summary>
    /// Checks for runnable entries of which no worker was notified: a worker on which others relied has left, or is busy with
    /// other work.
    /// </summary>
    public void CheckAgain()
    {
        // Between leaving and the check: a thread that queued work before saw the worker that left; one that queues work later
        // does not.
        Interlocked.MemoryBarrier();
        if (_queue.HasRunnable)
        {
            NotifyAfterFence();
        }
    }

    public bool TryStartSearching() => Interlocked.CompareExchange(ref _searching, 1, 0) == 0;

    /// <summary>Called when the worker has nothing to do.</summary>
    /// <returns>False if it has left the worker set.</returns>
    public bool TryPark(Worker worker)
    {
        worker.IdleSince = _core.Clock.Coarse;

        // Called before, so that no worker is seen idle for which no timer is set; and after, because the timer may fire in
        // between.
        ScheduleFor(worker);
        using (_gate.Enter())
        {
            // Also while draining: if there is work by now, the thread that queues it, or this worker after it has left, starts
            // another.
            if (!IsOpen)
            {
                _members.Leave(worker, WorkerDestroyReason.PoolDisposed);
                return false;
            }

            if (_members.Surplus > 0)
            {
                _members.Leave(worker, WorkerDestroyReason.Surplus);
                return false;
            }

            _members.Park(worker);
        }

        ScheduleFor(worker);
        return true;
    }

    /// <summary>Ends the idle state of a worker before any other thread does.</summary>
    public bool TryUnpark(Worker worker)
    {
        using (_gate.Enter())
        {
            return _members.TryTakeIdle(worker);
        }
    }

    /// <summary>Called when there is work bound to this worker.</summary>
    public void Wake(Worker worker)
    {
        // Between queuing the worker's own work and checking whether it is idle; the worker becomes idle before it checks its own
        // work.
        Interlocked.MemoryBarrier();
        if (TryUnpark(worker))
        {
            worker.Signal(WorkerSignal.Check);
        }
    }

    /// <summary>Called between two items: the worker leaves if the pool has become smaller, or closed.</summary>
    public bool TryLeaveAsSurplus(Worker worker)
    {
        if (_members.Surplus <= 0 && !IsClosed)
        {
            return false;
        }

        using (_gate.Enter())
        {
            if (_members.Surplus <= 0 && !IsClosed)
            {
                return false;
            }

            _members.Leave(worker, IsClosed ? WorkerDestroyReason.PoolDisposed : WorkerDestroyReason.Surplus);
            return true;
        }
    }

    /// <summary>Called when the worker's item was abandoned: releases its slot for another worker.</summary>
    /// <returns>False if there are too many abandoned workers already; then the worker keeps its slot.</returns>
    public bool TryReplace(Worker worker)
    {
        using (_gate.Enter())
        {
            if (_members.Abandoned >= _core.Settings.MaxAbandoned)
            {
                return false;
            }

            _members.Abandon(worker);
        }

        return true;
    }

    /// <summary>Ensures that the given number of workers exist.</summary>
    /// <returns>
    /// The workers that exist now; new ones are not started yet. If there are fewer than requested, workers that are leaving
    /// still hold the slots.
    /// </returns>
    public (List<Worker> All, List<Worker> New, List<Worker> Leaving) AddWorker(int count)
    {
        using (_gate.Enter())
        {
            var all = new List<Worker>(_members.Active);
            var added = new List<Worker>();
            while (_members.Active.Count < count && _members.HasFreeSlot && IsOpen)
            {
                var worker = _members.Add(this);
                added.Add(worker);
                all.Add(worker);
            }

            return (all, added, _members.Active.Count < count && IsOpen ? _members.ToListOfLeaving() : []);
        }
    }

    /// <summary>Adds a worker if fewer than the minimum exist, unless threads could not be started a moment ago.</summary>
    /// <returns>A worker to start, or null.</returns>
    public Worker? AddMissing()
    {
        using (_gate.Enter())
        {
            return _members.IsBelowMinimum && _members.HasFreeSlot && IsOpen && _members.StartAgainAt == PoolClock.Never
                ? _members.Add(this)
                : null;
        }
    }

    public bool TryStart(Worker worker, bool asSearcher)
    {
#pragma warning disable CA1031 // The system has no thread left, or no memory for one; this may change later.
        try
        {
            worker.Start(asSearcher);
            return true;
        }
        catch (Exception failure)
        {
            var again = PoolClock.Add(_core.Clock.Now, _core.Clock.Ticks(WorkerCore.StartRetry));
            bool last;
            using (_gate.Enter())
            {
                _members.RemoveUnstarted(worker, this, again);
                last = _members.TryFinish(_queue);
            }

            worker.Cancel(failure);
            worker.OnEnded();
            if (asSearcher && Interlocked.Decrement(ref _searching) == 0 && Parked > 0)
            {
                // Others may have relied on this worker, and another one has become idle meanwhile.
                CheckAgain();
            }

            _core.Timer.ScheduleAt(again);
            _core.Events.ReportStartFailed(failure, WorkerCore.StartRetry);
            if (last)
            {
                Termination.Finish();
            }

            return false;
        }
#pragma warning restore CA1031
    }

    /// <summary>Adds the counters of a caller that ran an item with a state of its own.</summary>
    public void Add(WorkerCounters callers)
    {
        using (_gate.Enter())
        {
            _members.Add(callers);
        }
    }

    public List<Worker> ToList()
    {
        using (_gate.Enter())
        {
            return [.. _members.Active];
        }
    }

    public WorkerSnapshot Count()
    {
        using (_gate.Enter())
        {
            return _members.Count();
        }
    }

    private void ScheduleFor(Worker worker) =>
        _core.Timer.ScheduleAt(Math.Min(PoolClock.Add(worker.IdleSince, _core.Settings.IdleTicks), worker.StateEnd));

    private void WakeOrStart()
    {
        while ((Parked > 0 || (_members.HasFreeSlot && !IsClosed)) && TryStartSearching())
        {
            Worker? worker;
            bool isNew;
            try
            {
                worker = TakeIdleOrAdd(out isNew);
            }
            catch (Exception)
            {
                // There is no memory for another worker: others must not rely on this one indefinitely.
                Interlocked.Decrement(ref _searching);
                throw;
            }

            if (worker is not null)
            {
                if (isNew)
                {
                    TryStart(worker, asSearcher: true);
                }
                else
                {
                    worker.Signal(WorkerSignal.Search);
                }

                return;
            }

            // Others may have relied on this worker to wake another one.
            Interlocked.Decrement(ref _searching);
            if (!_queue.HasRunnable)
            {
                return;
            }
        }
    }

    private Worker? TakeIdleOrAdd(out bool isNew)
    {
        using (_gate.Enter())
        {
            isNew = false;
            var worker = _members.LastIdle;
            if (worker is not null)
            {
                _members.TryTakeIdle(worker);
            }
            else if (_members.HasFreeSlot && !IsClosed)
            {
                worker = _members.Add(this);
                isNew = true;
            }

            return worker;
        }
    }
}
