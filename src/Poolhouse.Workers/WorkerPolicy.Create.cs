using Poolhouse.Workers.Engine;

namespace Poolhouse.Workers;

/// <summary>Creates policies of worker pools from delegates, without a class of their own.</summary>
public static class WorkerPolicy
{
    /// <summary>Creates a policy from delegates. For more control, derive from <see cref="WorkerPolicy{TState}"/>.</summary>
    /// <typeparam name="TState">The type of the state.</typeparam>
    /// <param name="create">Creates the state of the calling thread; see <see cref="WorkerPolicy{TState}.Create"/>.</param>
    /// <param name="isBroken">Whether a state is known to be unusable; null for never. See
    /// <see cref="WorkerPolicy{TState}.IsBroken"/>.</param>
    /// <param name="destroy">
    /// Destroys a state on its thread; if null, calls Dispose, or else DisposeAsync, if the state has them.
    /// </param>
    /// <returns>The policy. It may be used for any number of pools.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="create"/> is null.</exception>
    public static WorkerPolicy<TState> Create<TState>(
        Func<TState> create, Func<TState, bool>? isBroken = null, Action<TState>? destroy = null)
        where TState : notnull
    {
        ArgumentNullException.ThrowIfNull(create);
        return new DelegateWorkerPolicy<TState>(create, isBroken, destroy);
    }
}
