namespace Poolhouse.Workers.Engine;

/// <summary>The policy behind <see cref="WorkerPolicy.Create{TState}"/>.</summary>
internal sealed class DelegateWorkerPolicy<TState>(Func<TState> create, Func<TState, bool>? isBroken, Action<TState>? destroy)
    : WorkerPolicy<TState>
    where TState : notnull
{
    internal override bool ChecksStates => isBroken is not null;

    public override TState Create(CancellationToken cancellationToken) => create();

    public override bool IsBroken(TState state) => isBroken is not null && isBroken(state);

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
