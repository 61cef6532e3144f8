using System.Runtime.CompilerServices;
using Poolhouse.Kernel;
using Poolhouse.Kernel.Time;
using Poolhouse.Workers.Queueing;

namespace Poolhouse.Workers.Threads;

/// <summary>
/// The workers of a <see cref="WorkerSet"/>, their counts and limits, and the stage of its shutdown. Guarded by the set's gate.
/// </summary>
// A struct inside the set, because its counts are read without the gate after every item and at every post; each of them is one
// volatile read.
// Invariants
//   Count = workers with a slot: at most Max, except until surplus workers have left after the pool was made smaller. A worker
//   that leaves keeps its slot until its state is destroyed (I2), unless it was abandoned
//   Active = those of them that are not leaving
//   the idle list holds the idle workers; no worker is idle unless the pool is open, nor while Active is above Max
//   a worker counts among the threads from its registration until its thread has ended or was abandoned
//   the counters of a worker count in _alive until its thread has ended, and in _past from then on
internal struct WorkerMembers(int max, int min)
{
    private readonly List<Worker> _active = [];

    // The last one is the one used most recently.
    private readonly IntrusiveList<Worker> _idle = new();

    // Includes workers that have left and whose threads have not ended.
    private readonly List<Worker> _alive = [];
    private readonly WorkerCounters _past = new();

    // Refers to the set while it lacks a thread. Otherwise its threads keep it alive while there is work (I29).
    private readonly StrongBox<WorkerSet?> _lacksThread = new();
    private volatile int _idleCount;
    private volatile int _count;
    private volatile int _activeCount;
    private volatile int _max = max;
    private volatile int _min = min;
    private volatile WorkerStage _stage;
    private int _threads;
    private int _abandoned;
    private int _peak;

    public readonly int Max => _max;

    public readonly WorkerStage Stage => _stage;

    /// <summary>The number of idle workers.</summary>
    public readonly int IdleCount => _idleCount;

    public readonly bool HasFreeSlot => _count < _max;

    public readonly bool IsBelowMinimum => _activeCount < _min;

    public readonly bool IsAboveMinimum => _activeCount > _min;

    /// <summary>The number of active workers beyond the limit.</summary>
    public readonly int Surplus => _activeCount - _max;

    public readonly int Abandoned => _abandoned;

    /// <summary>The workers that are not leaving.</summary>
    public readonly List<Worker> Active => _active;

    public readonly Worker? FirstIdle => _idle.First;

    public readonly Worker? LastIdle => _idle.Last;

    public readonly object LacksThread => _lacksThread;

    /// <summary>When to try again after a thread could not be started.</summary>
    public long StartAgainAt { get; private set; } = PoolClock.Never;

    public void SetLimits(int max, int min)
    {
        _max = max;
        _min = min;
    }

    public void EnterStage(WorkerStage stage) => _stage = stage;

    /// <summary>Registers a new worker, which occupies a slot.</summary>
    public Worker Add(WorkerSet set)
    {
        var number = 0;
        while (_alive.Exists(worker => worker.Number == number))
        {
            number++;
        }

        var added = set.Core.Factory.CreateWorker(set, number);

        // Operations that may fail come first.
        _active.EnsureCapacity(_active.Count + 1);
        _alive.EnsureCapacity(_alive.Count + 1);
        _active.Add(added);
        _alive.Add(added);
        added.HoldsCapacity = true;
        _activeCount++;
        _count++;
        _threads++;
        _peak = Math.Max(_peak, _count);
        return added;
    }

    public void Park(Worker worker)
    {
        _idle.AddLast(worker);
        _idleCount++;
    }

    public bool TryTakeIdle(Worker worker)
    {
        if (worker.List is null)
        {
            return false;
        }

        _idle.Remove(worker);
        _idleCount--;
        return true;
    }

    /// <summary>
    /// Takes idle workers, those first that have been idle for longest, and lets them leave if a reason is given.
    /// </summary>
    public List<Worker> TakeIdle(int atMost, WorkerDestroyReason? reason)
    {
        var taken = new List<Worker>();
        while (taken.Count < atMost && _idle.First is { } worker)
        {
            TryTakeIdle(worker);
            taken.Add(worker);
            if (reason is { } leaves)
            {
                Leave(worker, leaves);
            }
        }

        return taken;
    }

    public void Leave(Worker worker, WorkerDestroyReason reason)
    {
        worker.EndReason = reason;
        if (_active.Remove(worker))
        {
            _activeCount--;
        }
    }

    /// <summary>Lets a worker leave whose item was abandoned: its slot is free for another worker.</summary>
    public void Abandon(Worker worker)
    {
        _abandoned++;
        _threads--;
        Leave(worker, WorkerDestroyReason.Tainted);
        ReleaseSlot(worker);
    }

    /// <summary>Removes a worker whose thread could not be started.</summary>
    public void RemoveUnstarted(Worker worker, WorkerSet set, long startAgainAt)
    {
        _threads--;
        Leave(worker, WorkerDestroyReason.PoolDisposed);
        ReleaseSlot(worker);
        _alive.Remove(worker);
        StartAgainAt = startAgainAt;
        _lacksThread.Value = set;
        _past.CreateFailures++;
    }

    /// <summary>Removes a worker that has left and whose thread is about to end.</summary>
    public void RemoveEnded(Worker worker)
    {
        _past.Add(worker.Counters);
        _alive.Remove(worker);
        ReleaseSlot(worker);
        if (worker.IsReplaced)
        {
            _abandoned--;
        }
        else
        {
            _threads--;
        }
    }

    /// <summary>Allows threads to be started again, if it is time.</summary>
    public bool TryEndStartPause(long now)
    {
        if (StartAgainAt > now)
        {
            return false;
        }

        StartAgainAt = PoolClock.Never;
        _lacksThread.Value = null;
        return true;
    }

    /// <summary>The workers that have left and still occupy their slots.</summary>
    public readonly List<Worker> ToListOfLeaving()
    {
        var active = _active;
        return _alive.FindAll(worker => worker.HoldsCapacity && !active.Contains(worker));
    }

    /// <summary>Adds the counters of a caller that ran an item with a state of its own.</summary>
    public readonly void Add(WorkerCounters callers) => _past.Add(callers);

    public readonly WorkerSnapshot Count()
    {
        var counters = new WorkerCounters();
        counters.Add(_past);
        foreach (var worker in _alive)
        {
            counters.Add(worker.Counters);
        }

        return new WorkerSnapshot(
            counters,
            _count,
            _active.Count(static worker => worker.IsRunning),
            _active.Count(static worker => worker.HasState && !worker.IsRunning),
            _peak,
            _abandoned);
    }

    /// <summary>Closes a set that is draining or closed if its last thread has ended.</summary>
    /// <returns>Whether it was the last one.</returns>
    public bool TryFinish(LaneScheduler queue)
    {
        if (_stage == WorkerStage.Open || _threads > 0)
        {
            return false;
        }

        // An item may arrive at the last moment, from a caller that found the pool open: then it starts its own thread. If it is
        // dropped before, the thread that drops it checks again.
        if (_stage == WorkerStage.Draining && queue.Count > 0)
        {
            return false;
        }

        _stage = WorkerStage.Closed;
        return true;
    }

    private void ReleaseSlot(Worker worker)
    {
        if (worker.HoldsCapacity)
        {
            worker.HoldsCapacity = false;
            _count--;
        }
    }
}
