namespace Poolhouse.Workers.Threads;

/// <summary>Maintains the state of a worker between two items.</summary>
internal sealed class StateCommand : WorkerCommand
{
    private readonly TaskCompletionSource? _made;
    private readonly (long Time, long ClearedAt)? _end;

    private StateCommand(TaskCompletionSource? made, (long Time, long ClearedAt)? end = null) => (_made, _end) = (made, end);

    /// <summary>Destroys a state that is too old.</summary>
    public static StateCommand Upkeep { get; } = new(made: null);

    /// <summary>Lets a state end at a time, if its creation had begun when the pool was cleared.</summary>
    public static StateCommand EndAt(long time, long clearedAt) => new(made: null, (time, clearedAt));

    /// <summary>Creates the state ahead of demand.</summary>
    public static StateCommand Create(TaskCompletionSource made) => new(made);

    public override void Run(Worker worker)
    {
        if (_end is { } end)
        {
            worker.EndStateAt(end.Time, end.ClearedAt);
            return;
        }

        if (_made is null)
        {
            worker.KeepUpState();
            return;
        }

#pragma warning disable CA1031 // Reported to the waiting caller and to the observer.
        try
        {
            worker.CreateState();
            _made.TrySetResult();
        }
        catch (Exception failure)
        {
            Fail(_made, failure);
        }
#pragma warning restore CA1031
    }

    public override void Skip(Exception? failure)
    {
        if (failure is null)
        {
            _made?.TrySetResult();
        }
        else if (_made is not null)
        {
            Fail(_made, failure);
        }
    }

    private static void Fail(TaskCompletionSource made, Exception failure)
    {
        made.TrySetException(failure);

        // Read to mark it as observed, because the task need not be awaited: the observer was notified.
        _ = made.Task.Exception;
    }
}
