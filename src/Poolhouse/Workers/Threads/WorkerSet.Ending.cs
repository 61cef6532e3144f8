using Poolhouse.Kernel.Time;

namespace Poolhouse.Workers.Threads;

/// <content>The ending of threads: individually, because they are idle or surplus, and all of them with the pool.</content>
internal sealed partial class WorkerSet
{
    public void Resize(int maxWorkers, int minWorkers)
    {
        List<Worker> surplus;
        using (_gate.Enter())
        {
            _max = maxWorkers;
            _min = minWorkers;
            surplus = TakeIdle(_staying - maxWorkers, WorkerDestroyReason.Surplus);
        }

        Send(surplus, WorkerSignal.End);
        CheckAgain();
    }

    /// <summary>Ends the idle workers.</summary>
    public int Trim()
    {
        List<Worker> idle;
        using (_gate.Enter())
        {
            idle = TakeIdle(int.MaxValue, WorkerDestroyReason.Trimmed);
        }

        var states = idle.Count(static worker => worker.HasState);
        Send(idle, WorkerSignal.End);
        CheckAgain();
        return states;
    }

    /// <summary>Ends workers that have been idle for too long, and wakes those whose state is too old to renew it.</summary>
    /// <returns>The time of the next check.</returns>
    public long Check(long now)
    {
        var ended = new List<Worker>();
        var old = new List<Worker>();
        var next = PoolClock.Never;
        bool retry;
        using (_gate.Enter())
        {
            for (var worker = _idle.First; worker is not null;)
            {
                var following = worker.Next;
                var end = PoolClock.Add(worker.IdleSince, core.Settings.IdleTicks);
                if (_staying > _min && end <= now)
                {
                    TryTakeIdle(worker);
                    Leave(worker, WorkerDestroyReason.Idle);
                    ended.Add(worker);
                }
                else
                {
                    next = _staying > _min ? Math.Min(next, end) : next;
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

            retry = _startAgainAt <= now;
            if (retry)
            {
                _startAgainAt = PoolClock.Never;
                _lacksThread.Value = null;
            }

            next = Math.Min(next, _startAgainAt);
        }

        Send(ended, WorkerSignal.End);
        old.ForEach(static worker => worker.TrySend(StateCommand.Upkeep));
        if (retry || ended.Count > 0)
        {
            CheckAgain();
        }

        return next;
    }

    /// <summary>Rejects new items; the queued ones are run, and then the threads end.</summary>
    public void Drain()
    {
        List<Worker> idle;
        bool last;
        using (_gate.Enter())
        {
            if (_stage != WorkerStage.Open)
            {
                return;
            }

            _stage = WorkerStage.Draining;
            idle = TakeIdle(int.MaxValue, WorkerDestroyReason.PoolDisposed, leave: false);
            last = IsLast();
        }

        Send(idle, WorkerSignal.Look);
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
        using (_gate.Enter())
        {
            _stage = WorkerStage.Closed;
            idle = TakeIdle(int.MaxValue, WorkerDestroyReason.PoolDisposed);
            last = IsLast();
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
        using (_gate.Enter())
        {
            _past.Add(worker.Counters);
            _threadsAlive.Remove(worker);
            ReleaseCapacity(worker);
            if (worker.IsReplaced)
            {
                _abandoned--;
            }
            else
            {
                _threads--;
            }

            last = IsLast();
        }

        worker.OnEnded();
        if (last)
        {
            Finish();
            return;
        }

        // Threads that queued work before this found no free slot, and neither did the check for missing workers.
        CheckAgain();
        core.ReplaceMissing();
    }

    private static void Send(List<Worker> workers, WorkerSignal signal)
    {
        foreach (var worker in workers)
        {
            worker.Signal(signal);
        }
    }

    // This method and the next require the gate.
    private List<Worker> TakeIdle(int atMost, WorkerDestroyReason reason, bool leave = true)
    {
        var taken = new List<Worker>();
        while (taken.Count < atMost && _idle.First is { } worker)
        {
            TryTakeIdle(worker);
            taken.Add(worker);
            if (leave)
            {
                Leave(worker, reason);
            }
        }

        return taken;
    }

    private bool IsLast()
    {
        if (_stage == WorkerStage.Open || _threads > 0)
        {
            return false;
        }

        // An item may arrive at the last moment, from a caller that found the pool open: then it starts its own thread.
        if (_stage == WorkerStage.Draining && queue.Count > 0)
        {
            return false;
        }

        _stage = WorkerStage.Closed;
        return true;
    }

    private void Finish()
    {
        // The set is closed before the queue is checked: an item that arrives later is dropped by the caller that queued it.
        Interlocked.MemoryBarrier();
        core.Dispose();
        _ended.TrySetResult();
    }
}
