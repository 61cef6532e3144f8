using System.Runtime.CompilerServices;
using Poolhouse.Kernel;
using Poolhouse.Kernel.Threading;
using Poolhouse.Kernel.Time;
using Poolhouse.Workers.Queueing;

namespace Poolhouse.Workers.Threads;

/// <summary>The threads of a pool: how many there are, which of them are idle, and which one is woken for new work.</summary>
// At most one worker searches: it spins, was just woken, or was just started. A thread that queues work wakes no worker while one
// searches, and a searcher that finds work wakes the next if there is more. So a burst costs one wake-up for its first item, and
// threads are started one after the other, as long as there is work for them. (The scheme of Go's scheduler and of Tokio's.)
// Invariants
//   _count = workers with a slot: at most Max, except while the pool is being made smaller. A worker that leaves keeps its slot until
//   its state is destroyed (I2), unless it was abandoned
//   _staying = those of them that do not leave
//   in an open pool _staying is at least min, except until the end of the check that abandoned one, until the end of the Trim that
//   ended one and of the threads that it ended, and until the first check a second after one could not be started
//   the idle list holds the idle workers; any other thread that takes a worker out of it signals the worker
//   no worker is idle unless the pool is open, nor while _staying is above Max
//   _searching is 0 or 1 except for brief moments, in which no worker is missed
// Order of writes
//   work is made runnable, full fence, then _searching is read: if it is above 0, that worker has yet to check the queue
//   a worker that stops searching without work decrements _searching, full fence, then checks the queue; one that found work then
//   starts the next searcher if there is more, even if it had started to become idle
//   a worker that makes an entry runnable itself, the next item of a key, wakes no worker if it checks the queue next; if
//   anything else comes before that, it checks whether a worker must be woken
//   a thread that releases the slot of a worker checks the queue after a full fence: threads that queued work before found no slot
// Locks: a gate around the lists and counts; nothing else is called under it.
internal sealed partial class WorkerSet(WorkerCore core, WorkQueue queue, int max, int min)
{
    private readonly Gate _gate = new();
    private readonly List<Worker> _workers = [];

    // The last one is the one used most recently.
    private readonly IntrusiveList<Worker> _idle = new();

    // Includes workers that have left and whose threads have not ended: their counters still count.
    private readonly List<Worker> _threadsAlive = [];
    private readonly TaskCompletionSource _ended = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly WorkerCounters _past = new();
    private volatile int _idleCount;
    private volatile int _count;
    private volatile int _staying;
    private volatile int _max = max;
    private volatile int _min = min;
    private volatile WorkerStage _stage;
    private int _threads;
    private int _abandoned;
    private int _peak;
    private int _searching;

    // When to try again after a thread could not be started.
    private long _startAgainAt = PoolClock.Never;

    // Refers to this worker set until that time. Otherwise its threads keep it alive while there is work (I29).
    private readonly StrongBox<WorkerSet?> _lacksThread = new();

    /// <summary>Keeps the pool reachable while only the timer can start the missing thread.</summary>
    public object LacksThread => _lacksThread;

    public WorkerCore Core => core;

    public WorkQueue Queue => queue;

    public bool IsOpen => _stage == WorkerStage.Open;

    public bool IsClosed => _stage == WorkerStage.Closed;

    public int Max => _max;

    /// <summary>The number of idle workers.</summary>
    public int Parked => _idleCount;

    /// <summary>Completes when a closed or drained pool has no threads left except abandoned ones.</summary>
    public Task WhenEnded => _ended.Task;

    /// <summary>Called when an entry has become runnable.</summary>
    public void Notify()
    {
        // Between queuing the work and checking for a searcher; the searcher has one between stopping its search and its last
        // check of the queue.
        Interlocked.MemoryBarrier();
        NotifyAfterFence();
    }

    /// <summary>The same, for a thread that has just left a gate, which is a full fence.</summary>
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
        if (Interlocked.Decrement(ref _searching) == 0 && queue.HasRunnable)
        {
            WakeOrStart();
        }
    }

    /// <summary>Called when the searcher has found nothing; it checks once more after this.</summary>
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
        if (queue.HasRunnable)
        {
            NotifyAfterFence();
        }
    }

    public bool TryStartSearching() => Interlocked.CompareExchange(ref _searching, 1, 0) == 0;

    /// <summary>Called when the worker has nothing to do.</summary>
    /// <returns>False if it has left the worker set.</returns>
    public bool TryPark(Worker worker)
    {
        worker.IdleSince = core.Clock.Coarse;

        // Called before, so that no worker is seen idle for which no timer is set; and after, because the timer may fire in
        // between.
        ScheduleFor(worker);
        using (_gate.Enter())
        {
            // Also while draining: if there is work by now, the thread that queues it, or this worker after it has left, starts
            // another.
            if (!IsOpen)
            {
                Leave(worker, WorkerDestroyReason.PoolDisposed);
                return false;
            }

            if (_staying > _max)
            {
                Leave(worker, WorkerDestroyReason.Surplus);
                return false;
            }

            _idle.AddLast(worker);
            _idleCount++;
        }

        ScheduleFor(worker);
        return true;
    }

    /// <summary>Ends the idle state of a worker before any other thread does.</summary>
    public bool TryUnpark(Worker worker)
    {
        using (_gate.Enter())
        {
            return TryTakeIdle(worker);
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
            worker.Signal(WorkerSignal.Look);
        }
    }

    /// <summary>Called between two items: the worker leaves if the pool has become smaller, or closed.</summary>
    public bool TryLeaveAsSurplus(Worker worker)
    {
        if (_staying <= _max && !IsClosed)
        {
            return false;
        }

        using (_gate.Enter())
        {
            if (_staying <= _max && !IsClosed)
            {
                return false;
            }

            Leave(worker, IsClosed ? WorkerDestroyReason.PoolDisposed : WorkerDestroyReason.Surplus);
            return true;
        }
    }

    /// <summary>Called when the worker's item was abandoned: releases its slot for another worker.</summary>
    /// <returns>False if there are too many abandoned workers already; then the worker keeps its slot.</returns>
    public bool TryReplace(Worker worker)
    {
        using (_gate.Enter())
        {
            if (_abandoned >= core.Settings.MaxAbandoned)
            {
                return false;
            }

            _abandoned++;
            _threads--;
            Leave(worker, WorkerDestroyReason.Tainted);
            ReleaseCapacity(worker);
        }

        return true;
    }

    /// <summary>
    /// Called after a worker was replaced: if it was the last one, no other thread completes the end of the pool.
    /// </summary>
    public void OnReplaced()
    {
        bool last;
        using (_gate.Enter())
        {
            last = IsLast();
        }

        if (last)
        {
            Finish();
        }
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
            var all = new List<Worker>(_workers);
            var added = new List<Worker>();
            while (_staying < count && _count < _max && IsOpen)
            {
                var worker = AddWorker();
                added.Add(worker);
                all.Add(worker);
            }

            var leaving = _staying < count && IsOpen ? _threadsAlive.FindAll(worker => worker.HoldsCapacity && !_workers.Contains(worker)) : [];
            return (all, added, leaving);
        }
    }

    /// <summary>Adds a worker if fewer than the minimum exist, unless threads could not be started a moment ago.</summary>
    /// <returns>A worker to start, or null.</returns>
    public Worker? AddMissing()
    {
        using (_gate.Enter())
        {
            return _staying < _min && _count < _max && IsOpen && _startAgainAt == PoolClock.Never ? AddWorker() : null;
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
            var again = PoolClock.Add(core.Clock.Now, core.StartRetryTicks);
            bool last;
            using (_gate.Enter())
            {
                _threads--;
                Leave(worker, WorkerDestroyReason.PoolDisposed);
                ReleaseCapacity(worker);
                _threadsAlive.Remove(worker);
                _startAgainAt = again;
                _lacksThread.Value = this;
                _past.CreateFailures++;
                last = IsLast();
            }

            worker.Cancel(failure);
            worker.OnEnded();
            if (asSearcher && Interlocked.Decrement(ref _searching) == 0 && _idleCount > 0)
            {
                // Others may have relied on this worker, and another one has become idle meanwhile.
                CheckAgain();
            }

            core.OnStartFailed(failure, again);
            if (last)
            {
                Finish();
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
            _past.Add(callers);
        }
    }

    public List<Worker> ToList()
    {
        using (_gate.Enter())
        {
            return [.. _workers];
        }
    }

    public WorkerSnapshot Count()
    {
        using (_gate.Enter())
        {
            var counters = new WorkerCounters();
            counters.Add(_past);
            foreach (var worker in _threadsAlive)
            {
                counters.Add(worker.Counters);
            }

            return new WorkerSnapshot(
                counters,
                _count,
                _workers.Count(static worker => worker.IsRunning),
                _workers.Count(static worker => worker.HasState && !worker.IsRunning),
                _peak,
                _abandoned);
        }
    }

    private void ScheduleFor(Worker worker) =>
        core.ScheduleAt(Math.Min(PoolClock.Add(worker.IdleSince, core.Settings.IdleTicks), worker.StateEnd));

    private void WakeOrStart()
    {
        while ((_idleCount > 0 || (_count < _max && !IsClosed)) && TryStartSearching())
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
            if (!queue.HasRunnable)
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
            var worker = _idle.Last;
            if (worker is not null)
            {
                TryTakeIdle(worker);
            }
            else if (_count < _max && !IsClosed)
            {
                worker = AddWorker();
                isNew = true;
            }

            return worker;
        }
    }

    // All following members require the gate.
    private Worker AddWorker()
    {
        var number = 0;
        while (_threadsAlive.Exists(worker => worker.Number == number))
        {
            number++;
        }

        var added = core.Factory.CreateWorker(this, number);

        // Operations that may fail come first.
        _workers.EnsureCapacity(_workers.Count + 1);
        _threadsAlive.EnsureCapacity(_threadsAlive.Count + 1);
        _workers.Add(added);
        _threadsAlive.Add(added);
        added.HoldsCapacity = true;
        _staying++;
        _count++;
        _threads++;
        _peak = Math.Max(_peak, _count);
        return added;
    }

    private void Leave(Worker worker, WorkerDestroyReason reason)
    {
        worker.EndReason = reason;
        if (_workers.Remove(worker))
        {
            _staying--;
        }
    }

    private void ReleaseCapacity(Worker worker)
    {
        if (worker.HoldsCapacity)
        {
            worker.HoldsCapacity = false;
            _count--;
        }
    }

    private bool TryTakeIdle(Worker worker)
    {
        if (worker.List is null)
        {
            return false;
        }

        _idle.Remove(worker);
        _idleCount--;
        return true;
    }
}
