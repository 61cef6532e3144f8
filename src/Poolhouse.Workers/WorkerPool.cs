using System.Diagnostics;
using Poolhouse.Kernel;
using Poolhouse.Kernel.Debugging;
using Poolhouse.Workers.Engine;
using Poolhouse.Workers.Items;
using Poolhouse.Workers.Threads;

namespace Poolhouse.Workers;

/// <summary>
/// A pool of dedicated threads, each with a state that is created, used and destroyed on it. Use it for COM objects, embedded
/// interpreters, native parsers, blocking calls, and work that must not share the thread pool with other work.
/// </summary>
/// <typeparam name="TState">The type of the state; <see cref="NoState"/> for none.</typeparam>
/// <remarks>
/// <para>
/// A work item is a delegate that receives the state of the worker that runs it. Items wait in lanes, first come, first served
/// within a lane; an idle worker takes the next item, and threads are started, up to <see cref="WorkerPoolOptions.MaxWorkers"/>,
/// when all of them are busy. Code that awaits an item continues elsewhere: the pool's threads run only the work that was queued.
/// </para>
/// <para>
/// An asynchronous item occupies its worker until its task has completed. Its continuations run on that worker, and nothing else
/// does.
/// </para>
/// <para>
/// Static delegates, with an argument instead of a closure, cause no allocation, because items are reused. Await each
/// <see cref="ValueTask"/> only once.
/// </para>
/// <para>
/// All members are thread safe. When the pool is disposed, queued items fail with <see cref="ObjectDisposedException"/>; running
/// items continue, and their threads end after them. A pool that is never disposed ends with its last thread, but threads
/// required by <see cref="WorkerPoolOptions.MinWorkers"/> never end.
/// </para>
/// <code>
/// await using var parsers = WorkerPool.Create(() => new NativeParser(), new WorkerPoolOptions { MaxWorkers = 4 });
/// var tree = await parsers.RunAsync(static (parser, text) => parser.Parse(text), text);
/// </code>
/// </remarks>
[DebuggerDisplay("{ToString(),nq}")]
[DebuggerTypeProxy(typeof(PoolDebugView))]
public sealed partial class WorkerPool<TState> : IPool, IAsyncDisposable, IDisposable
    where TState : notnull
{
#pragma warning disable CA2213 // It is used after disposal, until the last thread has ended, and then disposes itself.
    private readonly WorkerCore _core;
#pragma warning restore CA2213
    private readonly WorkItemFactory<TState> _items;

    /// <summary>
    /// Creates a pool. If <see cref="WorkerPoolOptions.MinWorkers"/> is set, the pool starts those threads in the background.
    /// </summary>
    /// <param name="policy">Defines how states are created, validated and destroyed.</param>
    /// <param name="options">The settings. The pool copies them.</param>
    /// <exception cref="ArgumentNullException"><paramref name="policy"/> or <paramref name="options"/> is null.</exception>
    /// <exception cref="ArgumentException">Settings are invalid; the message names each one.</exception>
    public WorkerPool(WorkerPolicy<TState> policy, WorkerPoolOptions options)
    {
        ArgumentNullException.ThrowIfNull(policy);
        ArgumentNullException.ThrowIfNull(options);
        var frozen = options.Freeze();
        Name = frozen.Name ?? PoolNames.For(typeof(TState));
        _core = new WorkerCore(this, Name, frozen, new StatefulWorkerFactory<TState>(policy));
        _items = new WorkItemFactory<TState>(_core);
        Scheduler = new WorkerTaskScheduler(_core);
        _core.Reporter.Add(this);
        _core.WarmUp.CreateStates(frozen.MinWorkers);
    }

    /// <inheritdoc/>
    public string Name { get; }

    /// <summary>For tests, which wait until the workers are idle.</summary>
    internal WorkerSet Workers => _core.Workers;

    /// <summary>Gets a scheduler that runs tasks on the pool's threads, in lane 0.</summary>
    /// <value>
    /// A scheduler for <see cref="TaskFactory"/>. After an await, such a task continues on any of the pool's threads;
    /// <see cref="CurrentState"/> is the state of the thread it is running on.
    /// </value>
    /// <remarks>
    /// Its tasks always wait for capacity and are never dropped. Once the pool is closed, they run on the thread pool, so that
    /// code that awaits them does not hang.
    /// </remarks>
    public TaskScheduler Scheduler { get; }

    /// <summary>
    /// Gets a synchronization context that runs callbacks on any of the pool's threads, in lane 0.
    /// </summary>
    /// <value>
    /// The context. It is the current context of the callbacks that it runs. The remarks on <see cref="Scheduler"/> apply to it
    /// as well.
    /// </value>
    public SynchronizationContext SynchronizationContext => _core.Context;

    /// <summary>Whether the caller is running on one of the pool's threads.</summary>
    public bool IsWorkerThread => _core.IsWorkerThread;

    /// <summary>
    /// The number of the calling worker: 0 to <see cref="WorkerPoolOptions.MaxWorkers"/> - 1, and temporarily above that after
    /// workers were abandoned.
    /// </summary>
    /// <value><c>null</c> on other threads.</value>
    public int? CurrentWorker => IsWorkerThread ? Worker.Current!.Number : null;

    /// <summary>
    /// The state of the calling worker; created if the worker has none. For code that runs through the scheduler or the
    /// synchronization context.
    /// </summary>
    /// <exception cref="InvalidOperationException">The caller is not running on one of the pool's threads.</exception>
    public TState CurrentState =>
        IsWorkerThread ? ((StatefulWorker<TState>)Worker.Current!).State : throw WorkErrors.NotOnWorker(Name);

    /// <summary>Runs work.</summary>
    /// <param name="work">The work.</param>
    /// <param name="options">The settings of this item.</param>
    /// <param name="cancellationToken">Cancels the wait for a worker. Work that has started is not interrupted.</param>
    /// <returns>A task that completes when the work is done, or fails with the exception it threw. Await it only once.</returns>
    /// <remarks>
    /// The task can also fail with <see cref="WorkTimeoutException"/> (the item waited or ran for too long),
    /// <see cref="PoolOverloadedException"/> (the queue is full), <see cref="OperationCanceledException"/>,
    /// <see cref="ObjectDisposedException"/> (the pool was disposed before the item started), or the exception that the policy
    /// threw while creating the state.
    /// </remarks>
    /// <exception cref="ArgumentNullException"><paramref name="work"/> is null.</exception>
    /// <exception cref="ArgumentException"><paramref name="options"/> are out of range.</exception>
    /// <exception cref="ObjectDisposedException">The pool is drained or disposed.</exception>
    public ValueTask RunAsync(Action<TState> work, WorkOptions options = default, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(work);
        return cancellationToken.IsCancellationRequested
            ? ValueTask.FromCanceled(cancellationToken)
            : _items.Function(DelegateAdapters<TState>.OfAction, work, work, options)
                .BeginWithoutResultAsync(_core, cancellationToken);
    }

    /// <summary>Runs work with an argument.</summary>
    /// <typeparam name="TArgument">The type of the argument.</typeparam>
    /// <param name="work">The work; a static delegate causes no allocation apart from the argument itself.</param>
    /// <param name="argument">The argument that is passed to the work.</param>
    /// <param name="options">The settings of this item.</param>
    /// <param name="cancellationToken">Cancels the wait for a worker. Work that has started is not interrupted.</param>
    /// <inheritdoc cref="RunAsync(Action{TState}, WorkOptions, CancellationToken)"/>
    public ValueTask RunAsync<TArgument>(
        Action<TState, TArgument> work, TArgument argument, WorkOptions options = default,
        CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(work);
        return cancellationToken.IsCancellationRequested
            ? ValueTask.FromCanceled(cancellationToken)
            : _items.Function(DelegateAdapters<TState>.With<TArgument>.OfAction, (work, argument), work, options)
                .BeginWithoutResultAsync(_core, cancellationToken);
    }

    /// <summary>Runs work that returns a result.</summary>
    /// <typeparam name="TResult">The type of the result.</typeparam>
    /// <returns>A task with the result. Await it only once.</returns>
    /// <inheritdoc cref="RunAsync(Action{TState}, WorkOptions, CancellationToken)"/>
    public ValueTask<TResult> RunAsync<TResult>(
        Func<TState, TResult> work, WorkOptions options = default, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(work);
        return cancellationToken.IsCancellationRequested
            ? ValueTask.FromCanceled<TResult>(cancellationToken)
            : _items.Function(DelegateAdapters<TState>.Returning<TResult>.OfFunction, work, work, options)
                .BeginAsync(_core, cancellationToken);
    }

    /// <summary>Runs work that takes an argument and returns a result.</summary>
    /// <typeparam name="TArgument">The type of the argument.</typeparam>
    /// <typeparam name="TResult">The type of the result.</typeparam>
    /// <param name="work">The work; a static delegate causes no allocation apart from the argument itself.</param>
    /// <param name="argument">The argument that is passed to the work.</param>
    /// <param name="options">The settings of this item.</param>
    /// <param name="cancellationToken">Cancels the wait for a worker. Work that has started is not interrupted.</param>
    /// <returns>A task with the result. Await it only once.</returns>
    /// <inheritdoc cref="RunAsync(Action{TState}, WorkOptions, CancellationToken)"/>
    public ValueTask<TResult> RunAsync<TArgument, TResult>(
        Func<TState, TArgument, TResult> work, TArgument argument, WorkOptions options = default,
        CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(work);
        return cancellationToken.IsCancellationRequested
            ? ValueTask.FromCanceled<TResult>(cancellationToken)
            : _items.Function(work, argument, work, options).BeginAsync(_core, cancellationToken);
    }

    /// <summary>
    /// Runs asynchronous work. It occupies its worker until its task has completed, and returns to that worker after each await.
    /// </summary>
    /// <param name="work">
    /// The work. It must not block on other asynchronous work whose continuations need the same thread.
    /// </param>
    /// <param name="options">The settings of this item.</param>
    /// <param name="cancellationToken">Cancels the wait for a worker. Work that has started is not interrupted.</param>
    /// <inheritdoc cref="RunAsync(Action{TState}, WorkOptions, CancellationToken)"/>
    public ValueTask RunAsync(
        Func<TState, Task> work, WorkOptions options = default, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(work);
        return cancellationToken.IsCancellationRequested
            ? ValueTask.FromCanceled(cancellationToken)
            : _items.AsyncFunction(DelegateAdapters<TState>.OfAsync, work, DelegateAdapters<TState>.NoResultOf, work, options)
                .BeginWithoutResultAsync(_core, cancellationToken);
    }

    /// <summary>Runs asynchronous work that returns a result.</summary>
    /// <typeparam name="TResult">The type of the result.</typeparam>
    /// <returns>A task with the result. Await it only once.</returns>
    /// <inheritdoc cref="RunAsync(Func{TState, Task}, WorkOptions, CancellationToken)"/>
    public ValueTask<TResult> RunAsync<TResult>(
        Func<TState, Task<TResult>> work, WorkOptions options = default, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(work);
        return cancellationToken.IsCancellationRequested
            ? ValueTask.FromCanceled<TResult>(cancellationToken)
            : _items.AsyncFunction(
                    DelegateAdapters<TState>.OfAsync, work, DelegateAdapters<TState>.Returning<TResult>.ResultOf, work, options)
                .BeginAsync(_core, cancellationToken);
    }

    /// <summary>Runs asynchronous work with an argument.</summary>
    /// <typeparam name="TArgument">The type of the argument.</typeparam>
    /// <param name="work">The work. The restriction of the other asynchronous overloads applies.</param>
    /// <param name="argument">The argument that is passed to the work.</param>
    /// <param name="options">The settings of this item.</param>
    /// <param name="cancellationToken">Cancels the wait for a worker. Work that has started is not interrupted.</param>
    /// <inheritdoc cref="RunAsync(Func{TState, Task}, WorkOptions, CancellationToken)"/>
    public ValueTask RunAsync<TArgument>(
        Func<TState, TArgument, Task> work, TArgument argument, WorkOptions options = default,
        CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(work);
        return cancellationToken.IsCancellationRequested
            ? ValueTask.FromCanceled(cancellationToken)
            : _items.AsyncFunction(work, argument, DelegateAdapters<TState>.NoResultOf, work, options)
                .BeginWithoutResultAsync(_core, cancellationToken);
    }

    /// <summary>Runs asynchronous work that takes an argument and returns a result.</summary>
    /// <typeparam name="TArgument">The type of the argument.</typeparam>
    /// <typeparam name="TResult">The type of the result.</typeparam>
    /// <param name="work">The work. The restriction of the other asynchronous overloads applies.</param>
    /// <param name="argument">The argument that is passed to the work.</param>
    /// <param name="options">The settings of this item.</param>
    /// <param name="cancellationToken">Cancels the wait for a worker. Work that has started is not interrupted.</param>
    /// <returns>A task with the result. Await it only once.</returns>
    /// <inheritdoc cref="RunAsync(Func{TState, Task}, WorkOptions, CancellationToken)"/>
    public ValueTask<TResult> RunAsync<TArgument, TResult>(
        Func<TState, TArgument, Task<TResult>> work,
        TArgument argument,
        WorkOptions options = default,
        CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(work);
        return cancellationToken.IsCancellationRequested
            ? ValueTask.FromCanceled<TResult>(cancellationToken)
            : _items.AsyncFunction(work, argument, DelegateAdapters<TState>.Returning<TResult>.ResultOf, work, options)
                .BeginAsync(_core, cancellationToken);
    }

    /// <summary>Runs work and blocks until it is done. Use it only where awaiting is not possible.</summary>
    /// <exception cref="InvalidOperationException">
    /// The caller is running on one of the pool's threads, so the pool would wait for itself.
    /// </exception>
    /// <remarks>
    /// Throws the exception of the work, and every exception with which the task of
    /// <see cref="RunAsync(Action{TState}, WorkOptions, CancellationToken)"/> can fail.
    /// </remarks>
    /// <inheritdoc cref="RunAsync(Action{TState}, WorkOptions, CancellationToken)"/>
    public void Run(Action<TState> work, WorkOptions options = default, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(work);
        _core.ThrowIfOnWorker();
        cancellationToken.ThrowIfCancellationRequested();
        _items.Function(DelegateAdapters<TState>.OfAction, work, work, options).RunBlocking(_core, cancellationToken);
    }

    /// <summary>
    /// Runs work that returns a result and blocks until it is done. Use it only where awaiting is not possible.
    /// </summary>
    /// <typeparam name="TResult">The type of the result.</typeparam>
    /// <returns>The result.</returns>
    /// <inheritdoc cref="Run(Action{TState}, WorkOptions, CancellationToken)"/>
    public TResult Run<TResult>(
        Func<TState, TResult> work, WorkOptions options = default, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(work);
        _core.ThrowIfOnWorker();
        cancellationToken.ThrowIfCancellationRequested();
        return _items.Function(DelegateAdapters<TState>.Returning<TResult>.OfFunction, work, work, options)
            .RunBlocking(_core, cancellationToken);
    }
}
