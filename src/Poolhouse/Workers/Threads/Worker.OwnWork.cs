using Poolhouse.Workers.Items;

namespace Poolhouse.Workers.Threads;

/// <content>Work that is bound to this worker: continuations of asynchronous items, and commands.</content>
internal abstract partial class Worker
{
    // Used by the worker's thread only: the exception thrown by code other than its items since the state was last validated.
    private Exception? _noted;

    /// <summary>Whether the state was accessed since this was set to false. Used by the worker's thread only.</summary>
    public bool UsesState { get; set; }

    /// <summary>Whether the worker runs an asynchronous item. Used by the worker's thread only.</summary>
    public bool IsAsynchronous { get; set; }

    /// <summary>Queues a callback to run on this thread: during an asynchronous item, or else between two items.</summary>
    /// <returns>False if the thread has ended.</returns>
    public bool TryPost(SendOrPostCallback callback, object? state)
    {
        using (_monitor.Enter())
        {
            if (_hasEnded)
            {
                return false;
            }

            _continuations.Enqueue((callback, state));
            _continuationCount++;
            if (_holds)
            {
                _monitor.Pulse();
                return true;
            }
        }

        workerSet.Wake(this);
        return true;
    }

    /// <summary>
    /// Records an exception thrown on this thread by code other than a work item. It is treated like that of an item: the
    /// observer is notified, and the state is validated.
    /// </summary>
    public void Note(string label, Exception failure)
    {
        Counters.Failed++;
        _noted ??= failure;
        workerSet.Core.OnFailed(label, failure);
    }

    /// <summary>Sends the worker a command.</summary>
    /// <returns>False if the thread has ended.</returns>
    public bool TrySend(WorkerCommand command)
    {
        using (_monitor.Enter())
        {
            if (_hasEnded)
            {
                return false;
            }

            _commands.Enqueue(command);
            _commandCount++;
        }

        workerSet.Wake(this);
        return true;
    }

    /// <summary>
    /// Keeps the worker for an asynchronous item: runs its continuations, and nothing else, until the task has completed.
    /// </summary>
    public void Hold(Task task)
    {
        task.ConfigureAwait(false).GetAwaiter().UnsafeOnCompleted(_ring ??= Pulse);
        while (!task.IsCompleted)
        {
            if (!TryRunContinuation())
            {
                using (_monitor.Enter())
                {
                    _holds = true;
                    while (_continuationCount == 0 && !task.IsCompleted)
                    {
                        _monitor.Wait();
                    }

                    _holds = false;
                }
            }
        }
    }

    /// <summary>
    /// Runs a callback that was queued through the worker's context. Its exceptions are reported to the observer.
    /// </summary>
    private bool TryRunContinuation()
    {
        (SendOrPostCallback Callback, object? State) next;
        using (_monitor.Enter())
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
#pragma warning disable CA1031 // The callback is not awaited, so there is no caller to report it to.
        catch (Exception failure)
        {
            Note(WorkItem.NameOf(next.Callback), failure);
        }
#pragma warning restore CA1031
        finally
        {
            SynchronizationContext.SetSynchronizationContext(previous);
        }

        return true;
    }

    /// <summary>
    /// Runs the callbacks that are queued now. Later ones wait until the queue has had its turn, so that an endless loop of
    /// yields does not monopolize the worker.
    /// </summary>
    private void RunOwnWork()
    {
        RunContinuations();
        for (var left = _commandCount; left > 0; left--)
        {
            WorkerCommand? command;
            using (_monitor.Enter())
            {
                if (!_commands.TryDequeue(out command))
                {
                    break;
                }

                _commandCount--;
            }

            command.Run(this);
            ObserveNotedFailures();
        }

        _lastWork = LastWork.Item;
    }

    /// <summary>
    /// Destroys a state that does not survive the exceptions recorded since it was last validated. Called between two items.
    /// </summary>
    protected abstract void ObserveNotedFailures();

    protected Exception? TakeNoted()
    {
        var noted = _noted;
        _noted = null;
        return noted;
    }

    private void RunContinuations()
    {
        for (var left = _continuationCount; left > 0 && TryRunContinuation(); left--)
        {
        }

        ObserveNotedFailures();
    }

    private void Pulse()
    {
        using (_monitor.Enter())
        {
            _monitor.Pulse();
        }
    }
}
