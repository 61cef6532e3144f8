using Poolhouse.Kernel;
using Poolhouse.Workers.Items;
using Poolhouse.Workers.Threads;

namespace Poolhouse;

/// <summary>
/// Threads of your own, each with a state that is made, used and destroyed on it: for COM objects, embedded interpreters, native
/// parsers, blocking calls, and work that must not share the thread pool with others.
/// </summary>
/// <typeparam name="TState">The type of the state; <see cref="NoState"/> for none.</typeparam>
/// <remarks>
/// <para>
/// An item of work is a delegate that gets the state of the worker that runs it. Items wait in lanes, first come, first served
/// within a lane; a worker that has nothing to do takes the next one, and threads are started, up to
/// <see cref="WorkerPoolOptions.MaxWorkers"/>, when all of them are busy. Whoever awaits an item goes on elsewhere: nobody's code
/// runs on the pool's threads but what was handed in.
/// </para>
/// <para>
/// An asynchronous item keeps its worker until its task has ended. Its continuations run on that worker, and nothing else does.
/// </para>
/// <para>
/// Static delegates, with an argument instead of a closure, cost no allocation: items are used again. Await each
/// <see cref="ValueTask"/> once.
/// </para>
/// <para>
/// Thread safe. Disposing the pool ends what is queued with <see cref="ObjectDisposedException"/>; what runs goes on, and its
/// thread ends after it. A pool that nobody disposes ends with its last thread; those of
/// <see cref="WorkerPoolOptions.MinWorkers"/> never do.
/// </para>
/// <code>
/// await using var parsers = WorkerPool.Create(() => new NativeParser(), new WorkerPoolOptions { MaxWorkers = 4 });
/// var tree = await parsers.RunAsync(static (parser, text) => parser.Parse(text), text);
/// </code>
/// </remarks>
public sealed partial class WorkerPool<TState> : IPool, IAsyncDisposable, IDisposable
    where TState : notnull
{
    private readonly WorkerPoolOptions _options;
#pragma warning disable CA2213 // It goes on after the pool is disposed, until the last thread has ended, and then ends itself.
    private readonly WorkerCore _core;
#pragma warning restore CA2213

    /// <summary>
    /// Makes a pool. If <see cref="WorkerPoolOptions.MinWorkers"/> is set, it starts its threads in the background.
    /// </summary>
    /// <param name="policy">How states are made, judged and destroyed.</param>
    /// <param name="options">The settings; copied.</param>
    /// <exception cref="ArgumentNullException"><paramref name="policy"/> or <paramref name="options"/> is null.</exception>
    /// <exception cref="ArgumentException">Settings are invalid; the message names each.</exception>
    public WorkerPool(WorkerPolicy<TState> policy, WorkerPoolOptions options)
    {
        ArgumentNullException.ThrowIfNull(policy);
        ArgumentNullException.ThrowIfNull(options);
        _options = options.Freeze();
        Name = _options.Name ?? PoolNames.For(typeof(TState));
        _core = new WorkerCore(this, Name, _options, new WorkerFactory<TState>(policy));
        Scheduler = new WorkerTaskScheduler(_core);
        _core.Reporter.Add(this);
        CreateStatesAhead(_options.MinWorkers);
    }

    /// <inheritdoc/>
    public string Name { get; }

    /// <summary>For tests, which wait until workers rest.</summary>
    internal WorkerSet Workers => _core.Workers;

    /// <summary>Runs tasks on the pool's threads, in lane 0.</summary>
    /// <value>
    /// A scheduler for <see cref="TaskFactory"/>. What such a task awaits comes back to the pool, to any of its threads;
    /// <see cref="CurrentState"/> is the state of the one at hand.
    /// </value>
    /// <remarks>
    /// Its tasks always wait for room and are never dropped; once the pool is closed they run on the thread pool, so that nobody
    /// who awaits one hangs.
    /// </remarks>
    public TaskScheduler Scheduler { get; }

    /// <summary>
    /// Runs callbacks on the pool's threads, in lane 0, any of them; for code that wants a context to come back to.
    /// </summary>
    /// <value>A context. What it runs has it as its current one. The same holds for it as for <see cref="Scheduler"/>.</value>
    public SynchronizationContext SynchronizationContext => _core.Context;

    /// <summary>Whether the caller is on one of the pool's threads.</summary>
    public bool IsWorkerThread => Worker.Current?.Workers == _core.Workers;

    /// <summary>
    /// The number of the worker that calls: 0 to <see cref="WorkerPoolOptions.MaxWorkers"/> - 1, and above for a while after
    /// workers were given up.
    /// </summary>
    /// <value><c>null</c> on other threads.</value>
    public int? CurrentWorker => IsWorkerThread ? Worker.Current!.Number : null;

    /// <summary>
    /// The state of the worker that calls, made if it has none: for code that came by the scheduler or the context.
    /// </summary>
    /// <exception cref="InvalidOperationException">The caller is not on one of the pool's threads.</exception>
    public TState CurrentState => IsWorkerThread ? ((Worker<TState>)Worker.Current!).State : throw WorkErrors.NotOnWorker(Name);

    /// <summary>Runs work.</summary>
    /// <param name="work">The work.</param>
    /// <param name="options">The settings of this item.</param>
    /// <param name="cancellationToken">Ends the wait for a worker. Work that has begun goes on.</param>
    /// <returns>A task that completes when it is done, with what it threw. Await it once.</returns>
    /// <remarks>
    /// The task also fails with <see cref="PoolTimeoutException"/> (waited or ran for too long),
    /// <see cref="PoolOverloadedException"/> (no room in the queue), <see cref="OperationCanceledException"/>,
    /// <see cref="ObjectDisposedException"/> (the pool was disposed before it began), or what the policy threw instead of a
    /// state.
    /// </remarks>
    /// <exception cref="ArgumentNullException"><paramref name="work"/> is null.</exception>
    /// <exception cref="ArgumentException"><paramref name="options"/> are out of range.</exception>
    /// <exception cref="ObjectDisposedException">The pool is drained or disposed.</exception>
    public ValueTask RunAsync(Action<TState> work, WorkOptions options = default, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(work);
        return cancellationToken.IsCancellationRequested
            ? ValueTask.FromCanceled(cancellationToken)
            : Prepared(Adapters.OfAction, work, work, options).BeginWithoutResultAsync(_core, cancellationToken);
    }

    /// <summary>Runs work with an argument.</summary>
    /// <typeparam name="TArgument">The type of the argument.</typeparam>
    /// <param name="work">The work; a static delegate costs no allocation beside the argument's own.</param>
    /// <param name="argument">Given to the work.</param>
    /// <param name="options">The settings of this item.</param>
    /// <param name="cancellationToken">Ends the wait for a worker. Work that has begun goes on.</param>
    /// <inheritdoc cref="RunAsync(Action{TState}, WorkOptions, CancellationToken)"/>
    public ValueTask RunAsync<TArgument>(
        Action<TState, TArgument> work, TArgument argument, WorkOptions options = default, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(work);
        return cancellationToken.IsCancellationRequested
            ? ValueTask.FromCanceled(cancellationToken)
            : Prepared(Adapters<TArgument>.OfAction, (work, argument), work, options).BeginWithoutResultAsync(_core, cancellationToken);
    }

    /// <summary>Runs work that has a result.</summary>
    /// <typeparam name="TResult">The type of the result.</typeparam>
    /// <returns>A task with the result. Await it once.</returns>
    /// <inheritdoc cref="RunAsync(Action{TState}, WorkOptions, CancellationToken)"/>
    public ValueTask<TResult> RunAsync<TResult>(
        Func<TState, TResult> work, WorkOptions options = default, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(work);
        return cancellationToken.IsCancellationRequested
            ? ValueTask.FromCanceled<TResult>(cancellationToken)
            : Prepared(ResultAdapters<TResult>.OfFunction, work, work, options).BeginAsync(_core, cancellationToken);
    }

    /// <summary>Runs work that has an argument and a result.</summary>
    /// <typeparam name="TArgument">The type of the argument.</typeparam>
    /// <typeparam name="TResult">The type of the result.</typeparam>
    /// <param name="work">The work; a static delegate costs no allocation beside the argument's own.</param>
    /// <param name="argument">Given to the work.</param>
    /// <param name="options">The settings of this item.</param>
    /// <param name="cancellationToken">Ends the wait for a worker. Work that has begun goes on.</param>
    /// <returns>A task with the result. Await it once.</returns>
    /// <inheritdoc cref="RunAsync(Action{TState}, WorkOptions, CancellationToken)"/>
    public ValueTask<TResult> RunAsync<TArgument, TResult>(
        Func<TState, TArgument, TResult> work, TArgument argument, WorkOptions options = default, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(work);
        return cancellationToken.IsCancellationRequested
            ? ValueTask.FromCanceled<TResult>(cancellationToken)
            : Prepared(work, argument, work, options).BeginAsync(_core, cancellationToken);
    }

    /// <summary>
    /// Runs asynchronous work, which keeps its worker until its task has ended and comes back to it after each await.
    /// </summary>
    /// <param name="work">
    /// The work. It must not block on something that awaits in turn: the continuations of that wait for the same thread.
    /// </param>
    /// <param name="options">The settings of this item.</param>
    /// <param name="cancellationToken">Ends the wait for a worker. Work that has begun goes on.</param>
    /// <inheritdoc cref="RunAsync(Action{TState}, WorkOptions, CancellationToken)"/>
    public ValueTask RunAsync(Func<TState, Task> work, WorkOptions options = default, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(work);
        return cancellationToken.IsCancellationRequested
            ? ValueTask.FromCanceled(cancellationToken)
            : Prepared(Adapters.OfAsync, work, Adapters.NoResultOf, work, options).BeginWithoutResultAsync(_core, cancellationToken);
    }

    /// <summary>Runs asynchronous work that has a result.</summary>
    /// <typeparam name="TResult">The type of the result.</typeparam>
    /// <returns>A task with the result. Await it once.</returns>
    /// <inheritdoc cref="RunAsync(Func{TState, Task}, WorkOptions, CancellationToken)"/>
    public ValueTask<TResult> RunAsync<TResult>(
        Func<TState, Task<TResult>> work, WorkOptions options = default, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(work);
        return cancellationToken.IsCancellationRequested
            ? ValueTask.FromCanceled<TResult>(cancellationToken)
            : Prepared(Adapters.OfAsync, work, ResultAdapters<TResult>.ResultOf, work, options).BeginAsync(_core, cancellationToken);
    }

    /// <summary>Runs asynchronous work with an argument.</summary>
    /// <typeparam name="TArgument">The type of the argument.</typeparam>
    /// <param name="work">The work, as for the others that are asynchronous.</param>
    /// <param name="argument">Given to the work.</param>
    /// <param name="options">The settings of this item.</param>
    /// <param name="cancellationToken">Ends the wait for a worker. Work that has begun goes on.</param>
    /// <inheritdoc cref="RunAsync(Func{TState, Task}, WorkOptions, CancellationToken)"/>
    public ValueTask RunAsync<TArgument>(
        Func<TState, TArgument, Task> work, TArgument argument, WorkOptions options = default, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(work);
        return cancellationToken.IsCancellationRequested
            ? ValueTask.FromCanceled(cancellationToken)
            : Prepared(work, argument, Adapters.NoResultOf, work, options).BeginWithoutResultAsync(_core, cancellationToken);
    }

    /// <summary>Runs asynchronous work that has an argument and a result.</summary>
    /// <typeparam name="TArgument">The type of the argument.</typeparam>
    /// <typeparam name="TResult">The type of the result.</typeparam>
    /// <param name="work">The work, as for the others that are asynchronous.</param>
    /// <param name="argument">Given to the work.</param>
    /// <param name="options">The settings of this item.</param>
    /// <param name="cancellationToken">Ends the wait for a worker. Work that has begun goes on.</param>
    /// <returns>A task with the result. Await it once.</returns>
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
            : Prepared(work, argument, ResultAdapters<TResult>.ResultOf, work, options).BeginAsync(_core, cancellationToken);
    }

    /// <summary>Runs work and blocks until it is done. Use it where there is no way to await.</summary>
    /// <exception cref="InvalidOperationException">The caller is on one of the pool's threads, which would wait for
    /// themselves.</exception>
    /// <remarks>
    /// Throws what the work threw, and what the task of <see cref="RunAsync(Action{TState}, WorkOptions, CancellationToken)"/>
    /// may fail with.
    /// </remarks>
    /// <inheritdoc cref="RunAsync(Action{TState}, WorkOptions, CancellationToken)"/>
    public void Run(Action<TState> work, WorkOptions options = default, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(work);
        ThrowIfOnWorker();
        cancellationToken.ThrowIfCancellationRequested();
        Prepared(Adapters.OfAction, work, work, options).Block(_core, cancellationToken);
    }

    /// <summary>Runs work that has a result and blocks until it is done. Use it where there is no way to await.</summary>
    /// <typeparam name="TResult">The type of the result.</typeparam>
    /// <returns>The result.</returns>
    /// <inheritdoc cref="Run(Action{TState}, WorkOptions, CancellationToken)"/>
    public TResult Run<TResult>(Func<TState, TResult> work, WorkOptions options = default, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(work);
        ThrowIfOnWorker();
        cancellationToken.ThrowIfCancellationRequested();
        return Prepared(ResultAdapters<TResult>.OfFunction, work, work, options).Block(_core, cancellationToken);
    }

    private FunctionItem<TState, TArgument, TResult> Prepared<TArgument, TResult>(
        Func<TState, TArgument, TResult> work, TArgument argument, Delegate origin, in WorkOptions options)
    {
        _core.ThrowIfClosed();
        var (lane, limits) = (_core.Lane(options), _core.Limits(options));
        var item = FunctionItem<TState, TArgument, TResult>.Rent(work, argument);
        item.Prepare(origin, lane, options, limits, Captured);
        return item;
    }

    private AsyncItem<TState, TArgument, TResult> Prepared<TArgument, TResult>(
        Func<TState, TArgument, Task> work, TArgument argument, Func<Task, TResult> resultOf, Delegate origin, in WorkOptions options)
    {
        _core.ThrowIfClosed();
        var (lane, limits) = (_core.Lane(options), _core.Limits(options));
        var item = AsyncItem<TState, TArgument, TResult>.Rent(work, argument, resultOf);
        item.Prepare(origin, lane, options, limits, Captured);
        return item;
    }

    private ExecutionContext? Captured => _options.FlowExecutionContext ? ExecutionContext.Capture() : null;

    private void ThrowIfOnWorker()
    {
        if (IsWorkerThread)
        {
            throw WorkErrors.BlocksOnOwnPool(Name);
        }
    }

    // One shape of item for all shapes of delegates.
    private static class Adapters
    {
        public static readonly Func<TState, Action<TState>, NoResult> OfAction = static (state, work) =>
        {
            work(state);
            return default;
        };

        public static readonly Func<TState, Func<TState, Task>, Task> OfAsync = static (state, work) => work(state);

        public static readonly Func<Task, NoResult> NoResultOf = static task =>
        {
#pragma warning disable VSTHRD002 // It has ended.
            task.GetAwaiter().GetResult();
#pragma warning restore VSTHRD002
            return default;
        };
    }

    private static class Adapters<TArgument>
    {
        public static readonly Func<TState, (Action<TState, TArgument> Work, TArgument Argument), NoResult> OfAction = static (state, call) =>
        {
            call.Work(state, call.Argument);
            return default;
        };
    }

    private static class ResultAdapters<TResult>
    {
        public static readonly Func<TState, Func<TState, TResult>, TResult> OfFunction = static (state, work) => work(state);

#pragma warning disable VSTHRD002 // It has ended.
        public static readonly Func<Task, TResult> ResultOf = static task => ((Task<TResult>)task).GetAwaiter().GetResult();
#pragma warning restore VSTHRD002
    }
}
