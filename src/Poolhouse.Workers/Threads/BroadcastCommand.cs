using Poolhouse.Kernel;
using Poolhouse.Workers.Items;

namespace Poolhouse.Workers.Threads;

/// <summary>Runs a delegate with the state of one worker, if it has one.</summary>
internal sealed class BroadcastCommand<TState>(Action<TState> work, CancellationToken cancellationToken) : WorkerCommand
    where TState : notnull
{
    private readonly TaskCompletionSource<bool> _ended = new(TaskCreationOptions.RunContinuationsAsynchronously);

    /// <summary>Runs the delegate once on each worker that has a state.</summary>
    /// <returns>The number of workers it ran on.</returns>
    /// <exception cref="AggregateException">The exceptions thrown, once all runs have ended.</exception>
    public static async Task<int> RunOnAllAsync(WorkerSet workers, Action<TState> work, CancellationToken cancellationToken)
    {
        var ends = new List<Task<bool>>();
        foreach (var worker in workers.ToList())
        {
            var command = new BroadcastCommand<TState>(work, cancellationToken);
            if (worker.TrySend(command))
            {
                ends.Add(command._ended.Task);
            }
        }

        var all = Task.WhenAll(ends);
        UserCode.Observe(all);
        await ((Task)all).WaitAsync(cancellationToken).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        cancellationToken.ThrowIfCancellationRequested();
        var failures = ends.Where(static end => end.IsFaulted).SelectMany(static end => end.Exception!.InnerExceptions).ToList();
        if (failures.Count > 0)
        {
            throw new AggregateException(failures);
        }

        return (await all.ConfigureAwait(false)).Count(static ran => ran);
    }

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
                work(((StatefulWorker<TState>)worker).State);
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
