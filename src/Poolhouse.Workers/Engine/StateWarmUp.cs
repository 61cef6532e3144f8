using Poolhouse.Kernel;
using Poolhouse.Workers.Threads;

namespace Poolhouse.Workers.Engine;

/// <summary>Starts workers and creates their states ahead of demand.</summary>
// Locks: none. The worker set adds workers under its gate; each worker creates its state on its own thread.
internal sealed class StateWarmUp(WorkerSet workers)
{
    /// <summary>
    /// Ensures that the given number of workers have a state. Failures are reported to the caller that waits and to the observer.
    /// </summary>
    /// <returns>
    /// The states being created (false: the worker ended or was replaced before), and the departing workers that still occupy
    /// the slots of the missing ones.
    /// </returns>
    public (List<Task<bool>> Creating, List<Worker> Leaving) CreateStates(int count)
    {
        var creating = new List<Task<bool>>();
        var (all, added, leaving) = workers.AddWorker(count);
        var missing = count - all.Count(static worker => worker.HasState);
        foreach (var worker in all.Where(static worker => !worker.HasState).Take(missing))
        {
            var state = new TaskCompletionSource<bool>(TaskCreationOptions.RunContinuationsAsynchronously);
            creating.Add(worker.TrySend(StateCommand.Create(state)) ? state.Task : Task.FromResult(false));
        }

        foreach (var worker in added)
        {
            workers.TryStart(worker, asSearcher: false);
        }

        return (creating, leaving);
    }

    /// <summary>Completes when the given number of workers have a state.</summary>
    /// <exception cref="ObjectDisposedException">The pool was drained or closed meanwhile.</exception>
    public async Task RunAsync(int count, CancellationToken cancellationToken)
    {
        while (true)
        {
            var (creating, leaving) = CreateStates(count);
            var all = Task.WhenAll(creating);
            UserCode.Observe(all);
            var created = await all.WaitAsync(cancellationToken).ConfigureAwait(false);
            if (leaving.Count > 0)
            {
                // Their slots are released once their states are destroyed.
                await Task.WhenAny(leaving.Select(static worker => worker.WhenEnded)).WaitAsync(cancellationToken)
                    .ConfigureAwait(false);
            }
            else if (Array.TrueForAll(created, static hasState => hasState))
            {
                // A closed pool adds no workers, so some may be missing.
                workers.Core.ThrowIfClosed();
                return;
            }

            // Otherwise a worker has left: another one may take its place, unless the pool is closed.
        }
    }
}
