namespace Poolhouse.Workers.Threads;

/// <summary>Maintains the state of a worker between two items.</summary>
internal sealed class StateCommand : WorkerCommand
{
    private readonly TaskCompletionSource? _made;

    private StateCommand(TaskCompletionSource? made) => _made = made;

    /// <summary>Destroys a state that is too old.</summary>
    public static StateCommand Upkeep { get; } = new(made: null);

    /// <summary>Creates the state ahead of demand.</summary>
    public static StateCommand Create(TaskCompletionSource made) => new(made);

    public override void Run(Worker worker)
    {
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
