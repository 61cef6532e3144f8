using Poolhouse.Resources.Engine.PolicyCalls;

namespace Poolhouse.Resources.Engine;

/// <summary>Closes a pool, and signals when it is empty and when no operation is in progress.</summary>
// A drained pool is closed when it is empty, even if the caller that drained it has stopped waiting. A closed one may become
// quiescent several times: each lease that ends later starts a destruction.
internal sealed class ResourceShutdown<T>(ResourceRuntime<T> runtime, WorkScheduler scheduler)
    where T : notnull
{
    private readonly TaskCompletionSource _empty = new(scheduler.Completion);
    private TaskCompletionSource _quiescent = new(scheduler.Completion);
    private int _closed;

    /// <summary>Whether the pool serves no caller any more, not even those that were waiting.</summary>
    public bool IsClosed => Volatile.Read(ref _closed) != 0;

    /// <summary>Completes when a closed pool has no operations in progress any more; leases may still be active.</summary>
    public Task WhenQuiescentAsync()
    {
        var quiescent = Volatile.Read(ref _quiescent);
        if (!quiescent.Task.IsCompleted)
        {
            return quiescent.Task;
        }

        // No operation was in progress. Leases may have ended since, and their items may be in destruction.
        var next = new TaskCompletionSource(scheduler.Completion);
        quiescent = Interlocked.CompareExchange(ref _quiescent, next, quiescent) == quiescent
            ? next
            : Volatile.Read(ref _quiescent);
        if (runtime.Core.Operators.GetClosingState().Quiescent)
        {
            quiescent.TrySetResult();
        }

        return quiescent.Task;
    }

    /// <summary>Completes when a drained pool is empty.</summary>
    public Task WhenEmptyAsync() => _empty.Task;

    public void Close(bool drain)
    {
        if (!drain)
        {
            Volatile.Write(ref _closed, 1);
            runtime.Registration?.End();
        }

        runtime.Core.Operators.Close(drain, runtime.Clock.Now);
        runtime.WarmUps.Fail(RentErrors.Closed(runtime.Events.Pool.Name));
        if (!drain)
        {
            foreach (var call in runtime.Deadlines.ToList().Where(call => call.EndsWithPool))
            {
                call.Cancel();
            }
        }
    }

    /// <summary>Called when a drained or closed pool has changed.</summary>
    public void OnChanged()
    {
        // Read before the state: a later request for this task reads the state itself.
        var waiting = Volatile.Read(ref _quiescent);
        var (empty, quiescent) = runtime.Core.Operators.GetClosingState();
        if (quiescent)
        {
            waiting.TrySetResult();
        }

        if (empty)
        {
            _empty.TrySetResult();
            if (quiescent)
            {
                runtime.Dispose();
            }
            else
            {
                Close(drain: false);
            }
        }
    }
}
