namespace Poolhouse.Workers.Threads;

/// <summary>Looks after the state of a worker between two items.</summary>
internal sealed class StateCommand : WorkerCommand
{
    private readonly TaskCompletionSource? _made;

    private StateCommand(TaskCompletionSource? made) => _made = made;

    /// <summary>Destroys a state that is too old.</summary>
    public static StateCommand Upkeep { get; } = new(made: null);

    /// <summary>Makes the state ahead of demand.</summary>
    public static StateCommand Create(TaskCompletionSource made) => new(made);

    public override void Run(Worker worker)
    {
        if (_made is null)
        {
            worker.KeepUpState();
            return;
        }

#pragma warning disable CA1031 // Told to whoever waits for it, and to the observer.
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

        // Looked at, because nobody need wait for it: the observer was told.
        _ = made.Task.Exception;
    }
}
