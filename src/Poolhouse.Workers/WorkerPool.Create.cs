using Poolhouse.Workers.Engine;
using Poolhouse.Workers.Threads;

namespace Poolhouse.Workers;

/// <summary>Creates worker pools without a policy class.</summary>
public static class WorkerPool
{
    /// <summary>
    /// Creates a pool of threads without state, for work that blocks or that must be kept off the thread pool.
    /// </summary>
    /// <param name="options">The settings. The pool copies them.</param>
    /// <returns>The pool.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="options"/> is null.</exception>
    /// <exception cref="ArgumentException">Settings are invalid; the message names each one.</exception>
    public static WorkerPool<NoState> Create(WorkerPoolOptions options) => new(new NoStatePolicy(), options);

    /// <summary>
    /// Creates a pool from a delegate. To also check or destroy states, pass a <see cref="WorkerPolicy{TState}"/> to the
    /// constructor of <see cref="WorkerPool{TState}"/>; <see cref="WorkerPolicy.Create{TState}"/> makes one from delegates.
    /// </summary>
    /// <typeparam name="TState">The type of the state.</typeparam>
    /// <param name="create">Creates the state of the calling thread; see <see cref="WorkerPolicy{TState}.Create"/>.</param>
    /// <param name="options">The settings. The pool copies them.</param>
    /// <returns>The pool.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="create"/> or <paramref name="options"/> is null.</exception>
    /// <exception cref="ArgumentException">Settings are invalid; the message names each one.</exception>
    public static WorkerPool<TState> Create<TState>(Func<TState> create, WorkerPoolOptions options)
        where TState : notnull =>
        new(WorkerPolicy.Create(create), options);
}
