using Poolhouse.Kernel.Time;

namespace Poolhouse.Workers.Threads;

/// <content>How threads end: one by one, for lack of work or of room, and all of them with the pool.</content>
internal sealed partial class WorkerSet
{
    public void Resize(int maxWorkers)
    {
        List<Worker> surplus;
        using (_gate.Enter())
        {
            _max = maxWorkers;
            surplus = TakeIdle(_staying - maxWorkers, DestroyReason.Surplus);
        }

        Send(surplus, WorkerSignal.End);
        CheckAgain();
    }

    /// <summary>Ends the workers that rest.</summary>
    public int Trim()
    {
        List<Worker> idle;
        using (_gate.Enter())
        {
            idle = TakeIdle(int.MaxValue, DestroyReason.Trimmed);
        }

        var states = idle.Count(static worker => worker.HasState);
        Send(idle, WorkerSignal.End);
        CheckAgain();
        return states;
    }

    /// <summary>Ends what has rested for too long, and sends those whose state is too old to renew it.</summary>
    /// <returns>When to look again.</returns>
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
                var end = PoolClock.Add(worker.IdleSince, core.IdleTicks);
                if (_staying > min && end <= now)
                {
                    TryTakeIdle(worker);
                    Leave(worker, DestroyReason.Idle);
                    ended.Add(worker);
                }
                else
                {
                    next = _staying > min ? Math.Min(next, end) : next;
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

    /// <summary>Nothing new comes: what is there is done, then the threads end.</summary>
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
            idle = TakeIdle(int.MaxValue, DestroyReason.PoolDisposed, leave: false);
            last = IsLast();
        }

        Send(idle, WorkerSignal.Look);
        if (last)
        {
            Finish();
        }
    }

    /// <summary>Nothing begins any more. The caller drops what is queued.</summary>
    public void Close()
    {
        List<Worker> idle;
        bool last;
        using (_gate.Enter())
        {
            _stage = WorkerStage.Closed;
            idle = TakeIdle(int.MaxValue, DestroyReason.PoolDisposed);
            last = IsLast();
        }

        Send(idle, WorkerSignal.End);
        if (last)
        {
            Finish();
        }
    }

    /// <summary>The thread of a worker that has left is about to end, and its state is destroyed.</summary>
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

        // Those who brought work before saw no place, and so did the look that missed one of the least workers.
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

    // Under the gate, this and the next.
    private List<Worker> TakeIdle(int atMost, DestroyReason reason, bool leave = true)
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

        // An item may come in at the last moment, from a caller that found the pool open: then it starts a thread of its own.
        if (_stage == WorkerStage.Draining && queue.Count > 0)
        {
            return false;
        }

        _stage = WorkerStage.Closed;
        return true;
    }

    private void Finish()
    {
        // Closed before the queue is looked at: an item that comes in later is dropped by the caller that brought it.
        Interlocked.MemoryBarrier();
        core.Dispose();
        _ended.TrySetResult();
    }
}
