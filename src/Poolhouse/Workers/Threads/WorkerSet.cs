using System.Runtime.CompilerServices;
using Poolhouse.Kernel;
using Poolhouse.Kernel.Threading;
using Poolhouse.Kernel.Time;
using Poolhouse.Workers.Queueing;

namespace Poolhouse.Workers.Threads;

/// <summary>The threads of a pool: how many there are, which of them rest, and who is woken for new work.</summary>
// At most one worker searches: it spins, was just woken, or was just started. Whoever brings work wakes nobody while one
// searches, and one that finds work wakes the next if there is more. So a burst costs one wake-up for its first item, and threads
// are started one after the other, as long as there is work for them. (The scheme of Go's scheduler and of Tokio's.)
// Invariants
//   _count = workers with a place: at most Max, except while the pool is being made smaller. One that leaves keeps its place until its
//   state is destroyed (I2), except one that was given up
//   _staying = those of them that do not leave
//   in an open pool _staying is at least min, but for the time until the end of the look that gave one up, the end of the Trim that
//   ended one and of the threads that it ended, or the first look a second after one could not be started
//   the idle list holds those that rest; whoever else takes a worker out of it signals it
//   nobody rests unless the pool is open, nor while _staying is above Max
//   _searching is 0 or 1 but for moments, in which nobody is missed
// Order of writes
//   work is made runnable, full fence, then _searching is read: if it is above 0, that one is still to look at the queue
//   a worker that stops searching without work lowers _searching, full fence, then looks at the queue; one that found work then
//   brings the next searcher if there is more, also when it had begun to rest
//   a worker that makes something runnable itself, the next item of a key, wakes nobody if it looks at the queue next; if
//   anything else comes before that, it looks whether somebody is to be woken
//   whoever frees the place of a worker looks at the queue after a full fence: those who brought work before saw no place
// Locks: a gate around the lists and counts; nothing else is called under it.
internal sealed partial class WorkerSet(WorkerCore core, WorkQueue queue, int max, int min)
{
    private readonly Gate _gate = new();
    private readonly List<Worker> _workers = [];

    // The last is the one that was used last.
    private readonly IntrusiveList<Worker> _idle = new();

    // With those that have left and whose threads have not ended: what they did still counts.
    private readonly List<Worker> _threadsAlive = [];
    private readonly TaskCompletionSource _ended = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly WorkerCounters _past = new();
    private volatile int _idleCount;
    private volatile int _count;
    private volatile int _staying;
    private volatile int _max = max;
    private volatile WorkerStage _stage;
    private int _threads;
    private int _abandoned;
    private int _peak;
    private int _searching;

    // When to try again, after a thread could not be started.
    private long _startAgainAt = PoolClock.Never;

    // This worker set, until then. Otherwise its threads keep it alive while there is work (I29).
    private readonly StrongBox<WorkerSet?> _lacksThread = new();

    /// <summary>Leads to the pool while only the clock will start the thread that is missing.</summary>
    public object LacksThread => _lacksThread;

    public WorkerCore Core => core;

    public WorkQueue Queue => queue;

    public bool IsOpen => _stage == WorkerStage.Open;

    public bool IsClosed => _stage == WorkerStage.Closed;

    public int Max => _max;

    /// <summary>How many workers rest.</summary>
    public int Parked => _idleCount;

    /// <summary>Completes when a closed or drained pool has no threads left, but for those that were given up.</summary>
    public Task WhenEnded => _ended.Task;

    /// <summary>Something is runnable.</summary>
    public void Notify()
    {
        // Between the work and the look for a searcher; the searcher has one between its end as such and its last look at the queue.
        Interlocked.MemoryBarrier();
        NotifyAfterFence();
    }

    /// <summary>The same, for whoever has just left a gate, which is a full fence.</summary>
    public void NotifyAfterFence()
    {
        if (Volatile.Read(ref _searching) == 0)
        {
            WakeOrStart();
        }
    }

    /// <summary>The searcher has found work: if there is more, the next one is to search.</summary>
    public void StopSearching()
    {
        if (Interlocked.Decrement(ref _searching) == 0 && queue.HasRunnable)
        {
            WakeOrStart();
        }
    }

    /// <summary>The searcher has found nothing, and looks once more after this.</summary>
    public void StopSearchingIdle() => Interlocked.Decrement(ref _searching);

    /// <summary>
    /// Something may be runnable of which nobody was told: a worker on which others relied has left, or has something else to do.
    /// </summary>
    public void CheckAgain()
    {
        // Between the leaving and the look: whoever brought work before saw the one that left, whoever comes after does not.
        Interlocked.MemoryBarrier();
        if (queue.HasRunnable)
        {
            NotifyAfterFence();
        }
    }

    public bool TryStartSearching() => Interlocked.CompareExchange(ref _searching, 1, 0) == 0;

    /// <summary>The worker has nothing to do.</summary>
    /// <returns>False if it has left the worker set.</returns>
    public bool TryPark(Worker worker)
    {
        worker.IdleSince = core.Clock.Coarse;

        // Before, so that nobody sees one at rest for which no timer is set; and after, because the timer may go off in between.
        ScheduleFor(worker);
        using (_gate.Enter())
        {
            // Draining too: if there is something to run by now, whoever brings it, or this one when it has left, starts another.
            if (!IsOpen)
            {
                Leave(worker, DestroyReason.PoolDisposed);
                return false;
            }

            if (_staying > _max)
            {
                Leave(worker, DestroyReason.Surplus);
                return false;
            }

            _idle.AddLast(worker);
            _idleCount++;
        }

        ScheduleFor(worker);
        return true;
    }

    /// <summary>Ends the rest of a worker before anybody else does.</summary>
    public bool TryUnpark(Worker worker)
    {
        using (_gate.Enter())
        {
            return TryTakeIdle(worker);
        }
    }

    /// <summary>There is something for this worker alone.</summary>
    public void Wake(Worker worker)
    {
        // Between the worker's own work and the look whether it rests; it rests before it looks at its own work.
        Interlocked.MemoryBarrier();
        if (TryUnpark(worker))
        {
            worker.Signal(WorkerSignal.Look);
        }
    }

    /// <summary>Between two items: leaves if the pool has become smaller, or closed.</summary>
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

            Leave(worker, IsClosed ? DestroyReason.PoolDisposed : DestroyReason.Surplus);
            return true;
        }
    }

    /// <summary>The worker's item was given up: its place is free for another one.</summary>
    /// <returns>False if there are too many such workers already; then it keeps its place.</returns>
    public bool TryReplace(Worker worker)
    {
        using (_gate.Enter())
        {
            if (_abandoned >= core.MaxAbandoned)
            {
                return false;
            }

            _abandoned++;
            _threads--;
            Leave(worker, DestroyReason.Tainted);
            ReleaseCapacity(worker);
        }

        return true;
    }

    /// <summary>A worker was replaced: if it was the last one, nobody else tells that the pool has ended.</summary>
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

    /// <summary>Sees to it that so many workers are there.</summary>
    /// <returns>
    /// Those that are there now; new ones are not started yet. If there are fewer than asked for, those that leave have the places still.
    /// </returns>
    public (List<Worker> All, List<Worker> New, List<Worker> Leaving) AddWorker(int count)
    {
        using (_gate.Enter())
        {
            var all = new List<Worker>(_workers);
            var hired = new List<Worker>();
            while (_staying < count && _count < _max && IsOpen)
            {
                var worker = AddWorker();
                hired.Add(worker);
                all.Add(worker);
            }

            var leaving = _staying < count && IsOpen ? _threadsAlive.FindAll(worker => worker.HoldsCapacity && !_workers.Contains(worker)) : [];
            return (all, hired, leaving);
        }
    }

    /// <summary>Hires one of the least workers that is missing, unless threads could not be started a moment ago.</summary>
    /// <returns>A worker to start, or null.</returns>
    public Worker? AddMissing()
    {
        using (_gate.Enter())
        {
            return _staying < min && _count < _max && IsOpen && _startAgainAt == PoolClock.Never ? AddWorker() : null;
        }
    }

    public bool TryStart(Worker worker, bool asSearcher)
    {
#pragma warning disable CA1031 // The system has no thread left, or no memory for one: there may be some later.
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
                Leave(worker, DestroyReason.PoolDisposed);
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
                // Others may have relied on this one, and somebody has come to rest meanwhile.
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

    /// <summary>Adds what a caller did with a state of its own.</summary>
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
        core.ScheduleAt(Math.Min(PoolClock.Add(worker.IdleSince, core.IdleTicks), worker.StateEnd));

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
                // There is no memory for another one: others must not rely on this one for ever.
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

            // Others may have relied on this one to wake somebody.
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

    // Under the gate, all of these.
    private Worker AddWorker()
    {
        var number = 0;
        while (_threadsAlive.Exists(worker => worker.Number == number))
        {
            number++;
        }

        var hired = core.Factory.CreateWorker(this, number);

        // Whatever may fail comes first.
        _workers.EnsureCapacity(_workers.Count + 1);
        _threadsAlive.EnsureCapacity(_threadsAlive.Count + 1);
        _workers.Add(hired);
        _threadsAlive.Add(hired);
        hired.HoldsCapacity = true;
        _staying++;
        _count++;
        _threads++;
        _peak = Math.Max(_peak, _count);
        return hired;
    }

    private void Leave(Worker worker, DestroyReason reason)
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
