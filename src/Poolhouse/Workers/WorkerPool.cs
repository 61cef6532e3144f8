using Poolhouse.Workers.Threads;

namespace Poolhouse;

/// <summary>Makes worker pools from delegates: the short form.</summary>
public static class WorkerPool
{
    /// <summary>
    /// Makes a pool of threads that have no state: for work that blocks, or that is to be kept away from the thread pool.
    /// </summary>
    /// <param name="options">The settings; copied.</param>
    /// <returns>The pool.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="options"/> is null.</exception>
    /// <exception cref="ArgumentException">Settings are invalid; the message names each.</exception>
    public static WorkerPool<NoState> Create(WorkerPoolOptions options) => new(new NoStatePolicy(), options);

    /// <summary>Makes a pool from delegates. For anything more, derive from <see cref="WorkerPolicy{TState}"/>.</summary>
    /// <typeparam name="TState">The type of the state.</typeparam>
    /// <param name="create">Makes the state of the thread that calls; see <see cref="WorkerPolicy{TState}.Create"/>.</param>
    /// <param name="options">The settings; copied.</param>
    /// <param name="destroy">Destroys a state on its thread; null: Dispose, else DisposeAsync, if the state has them.</param>
    /// <returns>The pool.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="create"/> or <paramref name="options"/> is null.</exception>
    /// <exception cref="ArgumentException">Settings are invalid; the message names each.</exception>
    public static WorkerPool<TState> Create<TState>(Func<TState> create, WorkerPoolOptions options, Action<TState>? destroy = null)
        where TState : notnull
    {
        ArgumentNullException.ThrowIfNull(create);
        return new WorkerPool<TState>(new DelegateWorkerPolicy<TState>(create, destroy), options);
    }
}
