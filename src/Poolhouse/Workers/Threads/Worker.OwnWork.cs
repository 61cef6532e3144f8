using Poolhouse.Workers.Items;

namespace Poolhouse.Workers.Threads;

/// <content>What is meant for this worker alone: continuations of asynchronous items, and commands.</content>
internal abstract partial class Worker
{
    // For the worker's thread alone: what something beside its items has thrown since the state was judged last.
    private Exception? _noted;

    /// <summary>Whether anybody has asked for the state since it was set to false. For the worker's thread alone.</summary>
    public bool UsesState { get; set; }

    /// <summary>Whether it runs an asynchronous item. For the worker's thread alone.</summary>
    public bool IsAsynchronous { get; set; }

    /// <summary>Has something run on this thread: during an asynchronous item, else between two items.</summary>
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
    /// Something that is no item of work threw on this thread. It counts as one that did: the observer is told, and the state is judged by it.
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
            _errandCount++;
        }

        workerSet.Wake(this);
        return true;
    }

    /// <summary>
    /// Keeps the worker for an asynchronous item: runs its continuations, and nothing else, until the task has ended.
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

    /// <summary>Runs what came by the worker's context. What it throws is the observer's.</summary>
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
#pragma warning disable CA1031 // Nobody waits for it who could be told.
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
    /// Runs what is there now. What comes meanwhile waits until the queue had its turn: a forgotten loop of yields shares the worker.
    /// </summary>
    private void RunOwnWork()
    {
        RunContinuations();
        for (var left = _errandCount; left > 0; left--)
        {
            WorkerCommand? command;
            using (_monitor.Enter())
            {
                if (!_commands.TryDequeue(out command))
                {
                    break;
                }

                _errandCount--;
            }

            command.Run(this);
            ObserveNotedFailures();
        }

        _lastWork = LastWork.Item;
    }

    /// <summary>Destroys a state that does not survive what was noted since it was judged last. Between two items.</summary>
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
