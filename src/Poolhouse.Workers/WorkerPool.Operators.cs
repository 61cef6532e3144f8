using Poolhouse.Kernel;
using Poolhouse.Workers.Engine;
using Poolhouse.Workers.Threads;

namespace Poolhouse.Workers;

/// <content>Operations on the pool itself: warm up, resize, clear, trim, drain, shut down, dispose.</content>
public sealed partial class WorkerPool<TState>
{
    /// <summary>
    /// Runs a delegate once on each worker that has a state, between two items: for example, to reload what the states were
    /// created from.
    /// </summary>
    /// <param name="work">Called with each state on its thread. States created later are not included.</param>
    /// <param name="cancellationToken">Cancels the wait; workers that have not started the delegate skip it.</param>
    /// <returns>
    /// The number of workers it ran on. Once all runs have ended, the task fails with an <see cref="AggregateException"/> of the
    /// exceptions thrown, if any.
    /// </returns>
    /// <remarks>
    /// A worker whose current item is abandoned meanwhile (<see cref="WorkerPoolOptions.RunTimeout"/>) is skipped if another one
    /// replaces it; its state is destroyed.
    /// </remarks>
    /// <exception cref="ArgumentNullException"><paramref name="work"/> is null.</exception>
    /// <exception cref="InvalidOperationException">
    /// The caller is an asynchronous item of this pool, so its worker would wait for itself.
    /// </exception>
    /// <exception cref="ObjectDisposedException">The pool is drained or disposed.</exception>
    public async Task<int> BroadcastAsync(Action<TState> work, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(work);
        _core.ThrowIfAwaitedByWorker(nameof(BroadcastAsync));
        _core.ThrowIfClosed();
        cancellationToken.ThrowIfCancellationRequested();
        return await BroadcastCommand<TState>.RunOnAllAsync(_core.Workers, work, cancellationToken).ConfigureAwait(false);
    }

    /// <summary>Starts threads and creates their states ahead of demand.</summary>
    /// <param name="count">The target number of workers with a state; 0 to <see cref="WorkerPoolOptions.MaxWorkers"/>.</param>
    /// <param name="cancellationToken">Cancels the wait; threads and states already in creation are still completed.</param>
    /// <returns>
    /// A task that completes when the workers have their states. It fails with the policy's exception if a state cannot be
    /// created.
    /// </returns>
    /// <exception cref="ArgumentOutOfRangeException">The count is out of range.</exception>
    /// <exception cref="ObjectDisposedException">The pool is drained or disposed.</exception>
    public async Task WarmUpAsync(int count, CancellationToken cancellationToken = default)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(count);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(count, _core.Workers.Max);
        _core.ThrowIfClosed();
        await _core.WarmUp.RunAsync(count, cancellationToken).ConfigureAwait(false);
    }

    /// <summary>
    /// Changes <see cref="WorkerPoolOptions.MaxWorkers"/>. If the pool becomes smaller, surplus idle threads end immediately and
    /// busy ones after their items.
    /// </summary>
    /// <param name="maxWorkers"><see cref="WorkerPoolOptions.MinWorkers"/> (at least 1) to 10,000.</param>
    /// <exception cref="ArgumentException">The number is out of range.</exception>
    /// <exception cref="ObjectDisposedException">The pool is drained or disposed.</exception>
    public void Resize(int maxWorkers)
    {
        _core.ThrowIfClosed();
        _core.Reconfigure(current =>
        {
            ArgumentOutOfRangeException.ThrowIfLessThan(maxWorkers, Math.Max(1, current.MinWorkers));
            ArgumentOutOfRangeException.ThrowIfGreaterThan(maxWorkers, WorkerPoolOptions.LargestMaxWorkers);
            return current.With(options => options.MaxWorkers = maxWorkers).FreezeChange(current);
        });
    }

    /// <summary>
    /// Applies new options, either all or none. Items that are queued keep their limits, and states the limits with which they
    /// were created.
    /// </summary>
    /// <param name="options">
    /// All settings. These must be unchanged: <see cref="WorkerPoolOptions.Name"/>, <see cref="WorkerPoolOptions.TimeProvider"/>,
    /// the meter, <see cref="WorkerPoolOptions.Lanes"/>, <see cref="WorkerPoolOptions.QueueCapacity"/>,
    /// <see cref="WorkerPoolOptions.FlowExecutionContext"/>, and the settings of the threads themselves: name, priority, stack
    /// size, apartment, and whether they are background threads.
    /// </param>
    /// <exception cref="ArgumentNullException"><paramref name="options"/> is null.</exception>
    /// <exception cref="ArgumentException">
    /// Settings are invalid or cannot be changed; the message names each of them. Nothing was changed.
    /// </exception>
    /// <exception cref="ObjectDisposedException">The pool is drained or disposed.</exception>
    public void Reconfigure(WorkerPoolOptions options)
    {
        ArgumentNullException.ThrowIfNull(options);
        _core.ThrowIfClosed();

        // A list of its own, because that of the caller may be the caller's code, which must not run under the lock.
        var own = options.Lanes is null ? options : options.Copy();
        _core.Reconfigure(own.FreezeChange);
    }

    /// <summary>
    /// Replaces every state: the states of idle workers are destroyed immediately, all others before the next items of their
    /// workers.
    /// </summary>
    /// <param name="spread">
    /// The time over which the states are replaced, each at a random moment, so that they are not all created again at once; zero
    /// (now) to 1 day.
    /// </param>
    /// <exception cref="ArgumentOutOfRangeException">The time is out of range.</exception>
    public void Clear(TimeSpan spread = default)
    {
        Spread.ThrowIfOutOfRange(spread);
        _core.Clear(spread);
    }

    /// <summary>Ends all idle threads; those required by <see cref="WorkerPoolOptions.MinWorkers"/> are started again.</summary>
    /// <returns>The number of states that are destroyed.</returns>
    public int Trim()
    {
        var states = _core.Workers.Termination.Trim();
        _core.Timer.ReplaceMissing();
        return states;
    }

    /// <summary>
    /// Shuts the pool down gracefully: new items are rejected, all queued items are run, and then the threads end.
    /// </summary>
    /// <param name="cancellationToken">Cancels this wait, not the draining; call <see cref="Dispose"/> to speed it up.</param>
    /// <returns>
    /// A task that completes when the last thread has ended. Abandoned threads that were replaced are not waited for, those that
    /// keep their slots (<see cref="WorkerPoolOptions.MaxAbandonedWorkers"/>) are.
    /// </returns>
    /// <exception cref="InvalidOperationException">
    /// The caller is an asynchronous item of this pool, so its worker would wait for itself.
    /// </exception>
    public Task DrainAsync(CancellationToken cancellationToken = default)
    {
        _core.ThrowIfAwaitedByWorker(nameof(DrainAsync));
        _core.Workers.Termination.Drain();
        return _core.Workers.Termination.WhenEnded.WaitAsync(cancellationToken);
    }

    /// <summary>Shuts the pool down gracefully, and closes it immediately when the timeout expires.</summary>
    /// <param name="timeout">
    /// How long the items that were queued may take; zero or more, or <see cref="Timeout.InfiniteTimeSpan"/>.
    /// </param>
    /// <returns>
    /// The items that were not completed in time. Items that are still running continue, and their threads end after them.
    /// </returns>
    /// <exception cref="ArgumentOutOfRangeException">The timeout is out of range.</exception>
    /// <exception cref="InvalidOperationException">
    /// The caller is an asynchronous item of this pool, so its worker would wait for itself.
    /// </exception>
    public async Task<WorkerShutdown> ShutDownAsync(TimeSpan timeout)
    {
        if (timeout != Timeout.InfiniteTimeSpan)
        {
            ArgumentOutOfRangeException.ThrowIfLessThan(timeout, TimeSpan.Zero);
            ArgumentOutOfRangeException.ThrowIfGreaterThan(timeout, TimeSpan.FromMilliseconds(uint.MaxValue - 1));
        }

        _core.ThrowIfAwaitedByWorker(nameof(ShutDownAsync));
        return await TimedShutdown.RunAsync(_core, timeout).ConfigureAwait(false);
    }

    /// <summary>Reads the pool's counters.</summary>
    /// <returns>An immutable snapshot; operations in progress may not be included.</returns>
    public WorkerPoolStatistics GetStatistics() => _core.GetStatistics();

    PoolStatistics IPool.GetStatistics() => GetStatistics();

    /// <summary>Describes the pool in one line, for debuggers and logs.</summary>
    /// <returns>Its name and current numbers. The format may change.</returns>
    public override string ToString() => GetStatistics().Summarize(Name);

    /// <summary>Closes the pool: queued items fail with <see cref="ObjectDisposedException"/>, running items continue.</summary>
    /// <remarks>
    /// Threads end, and destroy their states, as soon as they have nothing to run. Further calls have no effect.
    /// </remarks>
    public void Dispose() => _core.Close();

    /// <summary>
    /// Closes the pool like <see cref="Dispose"/>, and waits until the threads have ended, for at most
    /// <see cref="WorkerPoolOptions.StopTimeout"/>.
    /// </summary>
    /// <returns>A task that completes when the threads have ended or the timeout has expired.</returns>
    /// <remarks>
    /// If an asynchronous item of this pool calls it on its worker's thread, it does not wait, because the worker would wait for
    /// itself.
    /// </remarks>
    public async ValueTask DisposeAsync()
    {
        Dispose();
        if (_core.IsAwaitedByWorker)
        {
            return;
        }

        await _core.Workers.Termination.WhenEnded.WaitAsync(_core.Options.StopTimeout, _core.Options.TimeProvider)
            .ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
    }
}
