namespace Poolhouse.Workers;

/// <content>What is meant for this worker alone: continuations of asynchronous items, and errands.</content>
internal abstract partial class Worker
{
    /// <summary>Has something run on this thread: during an asynchronous item, else between two items.</summary>
    /// <returns>False if the thread has ended.</returns>
    public bool TryPost(SendOrPostCallback callback, object? state)
    {
        lock (_bell)
        {
            if (_hasEnded)
            {
                return false;
            }

            _continuations.Enqueue((callback, state));
            _continuationCount++;
            if (_holds)
            {
                Monitor.Pulse(_bell);
                return true;
            }
        }

        crew.Nudge(this);
        return true;
    }

    /// <summary>Sends the worker on an errand.</summary>
    /// <returns>False if the thread has ended.</returns>
    public bool TrySend(WorkerErrand errand)
    {
        lock (_bell)
        {
            if (_hasEnded)
            {
                return false;
            }

            _errands.Enqueue(errand);
            _errandCount++;
        }

        crew.Nudge(this);
        return true;
    }

    /// <summary>
    /// Keeps the worker for an asynchronous item: runs its continuations, and nothing else, until the task has ended.
    /// </summary>
    public void Hold(Task task)
    {
        task.ConfigureAwait(false).GetAwaiter().UnsafeOnCompleted(_ring ??= Ring);
        while (!task.IsCompleted)
        {
            if (!TryRunContinuation())
            {
                lock (_bell)
                {
                    _holds = true;
                    while (_continuationCount == 0 && !task.IsCompleted)
                    {
                        Monitor.Wait(_bell);
                    }

                    _holds = false;
                }
            }
        }
    }

    /// <summary>Runs what came by the worker's context. What it throws is the observer's.</summary>
    private bool TryRunContinuation()
    {
        (SendOrPostCallback Callback, object? State) next;
        lock (_bell)
        {
            if (!_continuations.TryDequeue(out next))
            {
                return false;
            }

            _continuationCount--;
        }

        var previous = SynchronizationContext.Current;
        SynchronizationContext.SetSynchronizationContext(Context);
        try
        {
            next.Callback(next.State);
        }
#pragma warning disable CA1031 // Nobody waits for it who could be told.
        catch (Exception failure)
        {
            Counters.Failed++;
            crew.Core.OnFailed(next.Callback.Method.Name, failure);
        }
#pragma warning restore CA1031
        finally
        {
            SynchronizationContext.SetSynchronizationContext(previous);
        }

        return true;
    }

    private void RunOwnWork()
    {
        while (HasOwnWork)
        {
            if (TryRunContinuation())
            {
                continue;
            }

            WorkerErrand? errand;
            lock (_bell)
            {
                if (!_errands.TryDequeue(out errand))
                {
                    return;
                }

                _errandCount--;
            }

            errand.Run(this);
        }
    }

    private void Ring()
    {
        lock (_bell)
        {
            Monitor.Pulse(_bell);
        }
    }
}
