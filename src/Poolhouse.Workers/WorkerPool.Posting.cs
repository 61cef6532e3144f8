using Poolhouse.Workers.Engine;

namespace Poolhouse.Workers;

/// <content>Posting: queuing work without waiting for its completion.</content>
public sealed partial class WorkerPool<TState>
{
    /// <summary>Queues work if the queue has capacity, without waiting for its completion.</summary>
    /// <typeparam name="TArgument">The type of the argument.</typeparam>
    /// <param name="work">
    /// The work; a static delegate causes no allocation. Exceptions it throws are counted and reported to the observer.
    /// </param>
    /// <param name="argument">The argument that is passed to the work.</param>
    /// <param name="options">The settings of this item.</param>
    /// <returns>False if the queue of the lane is full, regardless of <see cref="WorkerPoolOptions.QueueFull"/>.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="work"/> is null.</exception>
    /// <exception cref="ArgumentException"><paramref name="options"/> are out of range.</exception>
    /// <exception cref="ObjectDisposedException">The pool is drained or disposed.</exception>
    public bool TryPost<TArgument>(Action<TState, TArgument> work, TArgument argument, WorkOptions options = default)
    {
        ArgumentNullException.ThrowIfNull(work);
        var item = _items.Post(work, argument, options);
        if (_core.TryEnqueue(item))
        {
            return true;
        }

        item.Recycle();
        return false;
    }

    /// <summary>
    /// Queues work without waiting for its completion. If the queue is full, <see cref="WorkerPoolOptions.QueueFull"/> applies.
    /// </summary>
    /// <typeparam name="TArgument">The type of the argument.</typeparam>
    /// <param name="work">
    /// The work; a static delegate causes no allocation. Exceptions it throws are counted and reported to the observer.
    /// </param>
    /// <param name="argument">The argument that is passed to the work.</param>
    /// <param name="options">The settings of this item.</param>
    /// <param name="cancellationToken">Cancels the wait for capacity. An item that is in the queue is run.</param>
    /// <returns>A task that completes when the item is in the queue, was dropped, or was run by the caller.</returns>
    /// <remarks>
    /// The task fails with <see cref="PoolOverloadedException"/> when the queue is full and the pool rejects items. While it
    /// waits for capacity, it can fail like the other methods.
    /// </remarks>
    /// <exception cref="ArgumentNullException"><paramref name="work"/> is null.</exception>
    /// <exception cref="ArgumentException"><paramref name="options"/> are out of range.</exception>
    /// <exception cref="ObjectDisposedException">The pool is drained or disposed.</exception>
    public ValueTask PostAsync<TArgument>(
        Action<TState, TArgument> work, TArgument argument, WorkOptions options = default,
        CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(work);
        if (cancellationToken.IsCancellationRequested)
        {
            return ValueTask.FromCanceled(cancellationToken);
        }

        var item = _items.Post(work, argument, options);
        return _core.TryEnqueue(item) ? default : PostAdmission.QueueAsync(_core, item, cancellationToken);
    }
}
