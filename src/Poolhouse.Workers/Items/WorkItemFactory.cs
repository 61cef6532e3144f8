using Poolhouse.Workers.Engine;

namespace Poolhouse.Workers.Items;

/// <summary>Prepares the items of a pool: takes a spare one of the right kind and gives it the work and its settings.</summary>
// A struct around the core, so that the pool that has it as a field reaches the core in one step, as it does itself.
internal readonly struct WorkItemFactory<TState>(WorkerCore core)
    where TState : notnull
{
    /// <summary>Prepares an item whose completion is not awaited.</summary>
    /// <exception cref="ObjectDisposedException">The pool is drained or disposed.</exception>
    public PostItem<TState, TArgument> Post<TArgument>(
        Action<TState, TArgument> work, TArgument argument, in WorkOptions options) =>
        Prepare(PostItem<TState, TArgument>.Rent(work, argument), work, options);

    /// <summary>Prepares an item of synchronous work.</summary>
    /// <param name="work">The work as the item runs it.</param>
    /// <param name="argument">The argument that is passed to the work.</param>
    /// <param name="origin">The delegate that the caller passed; the item has its name.</param>
    /// <param name="options">The settings of this item.</param>
    /// <exception cref="ObjectDisposedException">The pool is drained or disposed.</exception>
    public FunctionItem<TState, TArgument, TResult> Function<TArgument, TResult>(
        Func<TState, TArgument, TResult> work, TArgument argument, Delegate origin, in WorkOptions options) =>
        Prepare(FunctionItem<TState, TArgument, TResult>.Rent(work, argument), origin, options);

    /// <summary>Prepares an item of asynchronous work.</summary>
    /// <param name="work">Starts the work.</param>
    /// <param name="argument">The argument that is passed to the work.</param>
    /// <param name="resultOf">Gets the result from the task of the work, or throws the task's exception.</param>
    /// <param name="origin">The delegate that the caller passed; the item has its name.</param>
    /// <param name="options">The settings of this item.</param>
    /// <exception cref="ObjectDisposedException">The pool is drained or disposed.</exception>
    public AsyncItem<TState, TArgument, TResult> AsyncFunction<TArgument, TResult>(
        Func<TState, TArgument, Task> work, TArgument argument, Func<Task, TResult> resultOf, Delegate origin,
        in WorkOptions options) =>
        Prepare(AsyncItem<TState, TArgument, TResult>.Rent(work, argument, resultOf), origin, options);

    private TItem Prepare<TItem>(TItem item, Delegate origin, in WorkOptions options)
        where TItem : WorkItem
    {
        core.ThrowIfClosed();
        var context = core.Options.FlowExecutionContext ? ExecutionContext.Capture() : null;
        item.Prepare(origin, core.Lane(options), options, core.Limits(options), context);
        return item;
    }
}
