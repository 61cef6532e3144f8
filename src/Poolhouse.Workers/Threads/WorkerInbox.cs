namespace Poolhouse.Workers.Threads;

/// <summary>The work that is bound to one worker: continuations of its asynchronous items, and commands.</summary>
// A struct inside its worker, because the worker checks for such work after every item.
// Invariants
//   continuations belong to the asynchronous item that runs on the worker, or ran there; commands run between items only
//   whatever was accepted is run by the worker's thread, or returned by Close when that thread ends, or by CloseForCommands when
//   the worker is replaced; it is never lost
// Order of writes: the work is queued and counted before the worker is woken, and the worker becomes idle before it checks the
//   counts a last time (I5).
// Locks: the worker's monitor. No user code runs under it.
internal struct WorkerInbox(WorkerMonitor monitor)
{
    private readonly WorkerMonitor _monitor = monitor;
    private readonly Queue<(SendOrPostCallback Callback, object? State)> _continuations = new();
    private readonly Queue<WorkerCommand> _commands = new();
    private volatile int _continuationCount;
    private volatile int _commandCount;
    private bool _waitsForContinuation;
    private bool _hasEnded;
    private bool _refusesCommands;

    public readonly bool HasWork => _continuationCount + _commandCount > 0;

    public readonly int Continuations => _continuationCount;

    public readonly int Commands => _commandCount;

    /// <summary>
    /// Queues a callback to run on the worker's thread: during an asynchronous item, or else between two items.
    /// </summary>
    /// <returns>False if the thread has ended.</returns>
    public bool TryPost(Worker worker, SendOrPostCallback callback, object? state)
    {
        using (_monitor.Enter())
        {
            if (_hasEnded)
            {
                return false;
            }

            _continuations.Enqueue((callback, state));
            _continuationCount++;
            if (_waitsForContinuation)
            {
                _monitor.Pulse();
                return true;
            }
        }

        worker.Workers.Wake(worker);
        return true;
    }

    /// <summary>Queues a command.</summary>
    /// <returns>False if the thread has ended, or the worker was replaced.</returns>
    public bool TrySend(Worker worker, WorkerCommand command)
    {
        using (_monitor.Enter())
        {
            if (_refusesCommands)
            {
                return false;
            }

            _commands.Enqueue(command);
            _commandCount++;
        }

        worker.Workers.Wake(worker);
        return true;
    }

    public bool TryTakeContinuation(out (SendOrPostCallback Callback, object? State) continuation)
    {
        using (_monitor.Enter())
        {
            if (!_continuations.TryDequeue(out continuation))
            {
                return false;
            }

            _continuationCount--;
            return true;
        }
    }

    public WorkerCommand? TryTakeCommand()
    {
        using (_monitor.Enter())
        {
            if (!_commands.TryDequeue(out var command))
            {
                return null;
            }

            _commandCount--;
            return command;
        }
    }

    /// <summary>Blocks until there is a continuation or the task has completed, whose completion pulses the monitor.</summary>
    public void WaitForContinuation(Task task)
    {
        using (_monitor.Enter())
        {
            _waitsForContinuation = true;
            while (_continuationCount == 0 && !task.IsCompleted)
            {
                _monitor.Wait();
            }

            _waitsForContinuation = false;
        }
    }

    /// <summary>Accepts no more commands.</summary>
    /// <returns>The commands that have not run.</returns>
    public List<WorkerCommand> CloseForCommands()
    {
        using (_monitor.Enter())
        {
            return CloseForCommandsLocked();
        }
    }

    /// <summary>Accepts no more work.</summary>
    /// <returns>The work that has not run.</returns>
    public (List<WorkerCommand> Commands, List<(SendOrPostCallback Callback, object? State)> Continuations) Close()
    {
        using (_monitor.Enter())
        {
            _hasEnded = true;
            var continuations = new List<(SendOrPostCallback Callback, object? State)>(_continuations);
            _continuations.Clear();
            _continuationCount = 0;
            return (CloseForCommandsLocked(), continuations);
        }
    }

    private List<WorkerCommand> CloseForCommandsLocked()
    {
        _refusesCommands = true;
        var commands = new List<WorkerCommand>(_commands);
        _commands.Clear();
        _commandCount = 0;
        return commands;
    }
}
