using Poolhouse.Workers.Items;

namespace Poolhouse.Workers.Threads;

/// <summary>Runs a delegate with the state of one worker, if it has one.</summary>
internal sealed class BroadcastCommand<TState>(Action<TState> work, CancellationToken cancellationToken) : WorkerCommand
    where TState : notnull
{
    private readonly TaskCompletionSource<bool> _ended = new(TaskCreationOptions.RunContinuationsAsynchronously);

    /// <summary>Completes with whether the worker had a state.</summary>
    public Task<bool> Ended => _ended.Task;

    public override void Run(Worker worker)
    {
        if (cancellationToken.IsCancellationRequested)
        {
            _ended.TrySetCanceled(cancellationToken);
            return;
        }

#pragma warning disable CA1031 // The exception belongs to the caller.
        try
        {
            var hasState = worker.HasState;
            if (hasState)
            {
                work(((Worker<TState>)worker).State);
            }

            _ended.TrySetResult(hasState);
        }
        catch (Exception failure)
        {
            _ended.TrySetException(failure);
            worker.Note(WorkItem.NameOf(work), failure);
        }
#pragma warning restore CA1031
    }

    public override void Skip(Exception? failure) => _ended.TrySetResult(false);
}
