
namespace Poolhouse.Workers.Threads;

/// <summary>A policy made of delegates.</summary>
internal sealed class DelegateWorkerPolicy<TState>(Func<TState> create, Action<TState>? destroy) : WorkerPolicy<TState>
    where TState : notnull
{
    public override TState Create(CancellationToken cancellationToken) => create();

    public override void Destroy(TState state, WorkerDestroyReason reason)
    {
        if (destroy is null)
        {
            base.Destroy(state, reason);
        }
        else
        {
            destroy(state);
        }
    }
}
