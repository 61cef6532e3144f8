using Poolhouse.Workers.Items;
using Poolhouse.Workers.Threads;

namespace Poolhouse;

/// <content>What operators do with a worker pool: warm up, resize, clear, trim, drain, end.</content>
public sealed partial class WorkerPool<TState>
{
    /// <summary>
    /// Runs something once on each worker that has a state, between two items: to reload what states were made from.
    /// </summary>
    /// <param name="work">Gets each state on its thread. States made later are not its affair.</param>
    /// <param name="cancellationToken">Ends the wait; workers that have not begun leave it out.</param>
    /// <returns>
    /// How many workers it ran on. The task fails, once all have ended, with an <see cref="AggregateException"/> of what was
    /// thrown.
    /// </returns>
    /// <exception cref="ArgumentNullException"><paramref name="work"/> is null.</exception>
    /// <exception cref="InvalidOperationException">The caller is an asynchronous item of this pool: its worker would wait for it.</exception>
    /// <exception cref="ObjectDisposedException">The pool is drained or disposed.</exception>
    public async Task<int> BroadcastAsync(Action<TState> work, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(work);
        ThrowIfAwaitedByWorker(nameof(BroadcastAsync));
        _core.ThrowIfClosed();
        cancellationToken.ThrowIfCancellationRequested();
        var ends = new List<Task<bool>>();
        foreach (var worker in _core.Workers.ToList())
        {
            var command = new BroadcastCommand<TState>(work, cancellationToken);
            if (worker.TrySend(command))
            {
                ends.Add(command.Ended);
            }
        }

        var all = Task.WhenAll(ends);
        await ((Task)all).WaitAsync(cancellationToken).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        cancellationToken.ThrowIfCancellationRequested();
        var failures = ends.Where(static end => end.IsFaulted).SelectMany(static end => end.Exception!.InnerExceptions).ToList();
        if (failures.Count > 0)
        {
            throw new AggregateException(failures);
        }

        return (await all.ConfigureAwait(false)).Count(static ran => ran);
    }

    /// <summary>Starts threads and makes their states ahead of demand.</summary>
    /// <param name="count">How many shall be there; 0 to <see cref="WorkerPoolOptions.MaxWorkers"/>.</param>
    /// <param name="cancellationToken">Ends the wait; what was begun goes on.</param>
    /// <returns>
    /// A task that completes when they are there. It fails with the policy's exception when a state cannot be made.
    /// </returns>
    /// <exception cref="ArgumentOutOfRangeException">The count is out of range.</exception>
    /// <exception cref="ObjectDisposedException">The pool is drained or disposed.</exception>
    public async Task WarmUpAsync(int count, CancellationToken cancellationToken = default)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(count);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(count, _core.Workers.Max);
        _core.ThrowIfClosed();
        while (true)
        {
            var (made, leaving) = CreateStatesAhead(count);
            await Task.WhenAll(made).WaitAsync(cancellationToken).ConfigureAwait(false);
            if (leaving.Count == 0)
            {
                return;
            }

            // Their places are free once their states are destroyed.
            await Task.WhenAny(leaving.Select(static worker => worker.WhenEnded)).WaitAsync(cancellationToken).ConfigureAwait(false);
        }
    }

    /// <summary>
    /// Changes <see cref="WorkerPoolOptions.MaxWorkers"/>. In a smaller pool idle threads end at once, busy ones after their
    /// items.
    /// </summary>
    /// <param name="maxWorkers"><see cref="WorkerPoolOptions.MinWorkers"/> (at least 1) to 10,000.</param>
    /// <exception cref="ArgumentException">The number is out of range.</exception>
    /// <exception cref="ObjectDisposedException">The pool is drained or disposed.</exception>
    public void Resize(int maxWorkers)
    {
        _core.ThrowIfClosed();
        ArgumentOutOfRangeException.ThrowIfLessThan(maxWorkers, Math.Max(1, _options.MinWorkers));
        ArgumentOutOfRangeException.ThrowIfGreaterThan(maxWorkers, WorkerPoolOptions.LargestMaxWorkers);
        _core.Workers.Resize(maxWorkers);
    }

    /// <summary>
    /// Replaces every state: those of idle workers are destroyed now, the others before their workers' next items.
    /// </summary>
    public void Clear() => _core.Clear();

    /// <summary>
    /// Ends the threads that have nothing to do; those of <see cref="WorkerPoolOptions.MinWorkers"/> are started anew.
    /// </summary>
    /// <returns>How many states go.</returns>
    public int Trim()
    {
        var states = _core.Workers.Trim();
        _core.ReplaceMissing();
        return states;
    }

    /// <summary>
    /// Ends the pool gently: nothing new is taken, everything that was handed in is done, then the threads end.
    /// </summary>
    /// <param name="cancellationToken">Ends this wait, not the draining; <see cref="Dispose"/> hurries it.</param>
    /// <returns>A task that completes when the last thread has ended, but for those that were given up.</returns>
    /// <exception cref="InvalidOperationException">The caller is an asynchronous item of this pool: its worker would wait for it.</exception>
    public Task DrainAsync(CancellationToken cancellationToken = default)
    {
        ThrowIfAwaitedByWorker(nameof(DrainAsync));
        _core.Workers.Drain();
        return _core.Workers.WhenEnded.WaitAsync(cancellationToken);
    }

    /// <summary>Ends the pool gently for a time, and then at once.</summary>
    /// <param name="timeout">How long everything that was handed in may take; zero or more, or
    /// <see cref="Timeout.InfiniteTimeSpan"/>.</param>
    /// <returns>What was not done by then. Items that still run go on, and their threads end after them.</returns>
    /// <exception cref="ArgumentOutOfRangeException">The time is out of range.</exception>
    /// <exception cref="InvalidOperationException">The caller is an asynchronous item of this pool: its worker would wait for it.</exception>
    public async Task<WorkerShutdown> ShutDownAsync(TimeSpan timeout)
    {
        if (timeout != Timeout.InfiniteTimeSpan)
        {
            ArgumentOutOfRangeException.ThrowIfLessThan(timeout, TimeSpan.Zero);
            ArgumentOutOfRangeException.ThrowIfGreaterThan(timeout, TimeSpan.FromMilliseconds(uint.MaxValue - 1));
        }

        ThrowIfAwaitedByWorker(nameof(ShutDownAsync));

        // For plain posts, whose beginning nobody notes: they run at least since now.
        _core.Workers.ToList().ForEach(worker => worker.Report(_core.Clock.Now));
        _core.Workers.Drain();
        try
        {
            await _core.Workers.WhenEnded.WaitAsync(timeout, _options.TimeProvider).ConfigureAwait(false);
            return new WorkerShutdown(0, []);
        }
        catch (TimeoutException)
        {
            var workers = _core.Workers.ToList();
            var dropped = _core.Close();
            var now = _core.Clock.Now;
            return new WorkerShutdown(dropped, [.. workers.Select(worker => worker.Report(now)).OfType<WorkAbandoned>()]);
        }
    }

    /// <summary>Reads the pool's counters.</summary>
    /// <returns>An immutable snapshot, off by the operations under way.</returns>
    public WorkerPoolStatistics GetStatistics() => _core.GetStatistics();

    PoolStatistics IPool.GetStatistics() => GetStatistics();

    /// <summary>Closes the pool: what is queued ends with <see cref="ObjectDisposedException"/>, what runs goes on.</summary>
    /// <remarks>Threads end, and destroy their states, as soon as they have nothing to run. Harmless when repeated.</remarks>
    public void Dispose() => _core.Close();

    /// <summary>
    /// The same as <see cref="Dispose"/>, and waits until the threads have ended, at most
    /// <see cref="WorkerPoolOptions.StopTimeout"/>.
    /// </summary>
    /// <returns>A task that completes then.</returns>
    public async ValueTask DisposeAsync()
    {
        Dispose();
        await _core.Workers.WhenEnded.WaitAsync(_options.StopTimeout, _options.TimeProvider)
            .ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
    }

    /// <summary>
    /// Sees to it that so many workers have a state; what fails is the affair of whoever waits, and of the observer.
    /// </summary>
    /// <returns>The states that are being made, and the workers that leave and have the places of those that are missing still.</returns>
    private (List<Task> Made, List<Worker> Leaving) CreateStatesAhead(int count)
    {
        var made = new List<Task>();
        var (all, hired, leaving) = _core.Workers.AddWorker(count);
        var missing = count - all.Count(static worker => worker.HasState);
        foreach (var worker in all.Where(static worker => !worker.HasState).Take(missing))
        {
            var state = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
            if (worker.TrySend(StateCommand.Create(state)))
            {
                made.Add(state.Task);
            }
        }

        foreach (var worker in hired)
        {
            _core.Workers.TryStart(worker, asSearcher: false);
        }

        return (made, leaving);
    }

    /// <summary>An asynchronous item keeps its worker until its task has ended: what waits for the worker must not be waited for in it.</summary>
    private void ThrowIfAwaitedByWorker(string method)
    {
        if (IsWorkerThread && Worker.Current!.IsAsynchronous)
        {
            throw WorkErrors.AwaitsOwnWorker(Name, method);
        }
    }
}
