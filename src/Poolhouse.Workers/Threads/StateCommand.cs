namespace Poolhouse.Workers.Threads;

/// <summary>Maintains the state of a worker between two items.</summary>
internal sealed class StateCommand : WorkerCommand
{
    private readonly TaskCompletionSource<bool>? _created;
    private readonly (long Time, long ClearedAt)? _end;

    private StateCommand(TaskCompletionSource<bool>? created, (long Time, long ClearedAt)? end = null) =>
        (_created, _end) = (created, end);

    /// <summary>Destroys a state that has expired or was cleared.</summary>
    public static StateCommand DestroyExpired { get; } = new(created: null);

    /// <summary>Lets a state end at a time, if its creation had begun when the pool was cleared.</summary>
    public static StateCommand EndAt(long time, long clearedAt) => new(created: null, (time, clearedAt));

    /// <summary>Creates the state ahead of demand.</summary>
    /// <param name="created">Completed with whether the worker has a state; false if the command was skipped.</param>
    public static StateCommand Create(TaskCompletionSource<bool> created) => new(created);

    public override void Run(Worker worker)
    {
        if (_end is { } end)
        {
            worker.EndStateAt(end.Time, end.ClearedAt);
            return;
        }

        if (_created is null)
        {
            worker.DestroyExpiredState();
            return;
        }

#pragma warning disable CA1031 // Reported to the waiting caller and to the observer.
        try
        {
            worker.CreateStateAhead(this);
            _created.TrySetResult(true);
        }
        catch (Exception failure)
        {
            Fail(_created, failure);
        }
#pragma warning restore CA1031
    }

    public override void Skip(Exception? failure)
    {
        if (failure is null)
        {
            _created?.TrySetResult(false);
        }
        else if (_created is not null)
        {
            Fail(_created, failure);
        }
    }

    private static void Fail(TaskCompletionSource<bool> created, Exception failure)
    {
        created.TrySetException(failure);

        // Read to mark it as observed, because the task need not be awaited: the observer was notified.
        _ = created.Task.Exception;
    }
}
