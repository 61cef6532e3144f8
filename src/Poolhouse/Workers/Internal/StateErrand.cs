namespace Poolhouse.Workers;

/// <summary>Looks after the state of a worker between two items.</summary>
internal sealed class StateErrand : WorkerErrand
{
    private readonly TaskCompletionSource? _made;

    private StateErrand(TaskCompletionSource? made) => _made = made;

    /// <summary>Destroys a state that is too old.</summary>
    public static StateErrand Upkeep { get; } = new(made: null);

    /// <summary>Makes the state ahead of demand.</summary>
    public static StateErrand Make(TaskCompletionSource made) => new(made);

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
            worker.MakeState();
            _made.TrySetResult();
        }
        catch (Exception failure)
        {
            _made.TrySetException(failure);
        }
#pragma warning restore CA1031
    }

    public override void Skip() => _made?.TrySetResult();
}
