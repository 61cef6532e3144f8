using Poolhouse.Workers.Threads;

namespace Poolhouse.Workers.Items;

/// <summary>Asynchronous work. It occupies its worker until its task has completed.</summary>
internal sealed class AsyncItem<TState, TArgument, TResult> : RunItem<TState, TResult>
    where TState : notnull
{
    private static readonly TieredObjectPool<AsyncItem<TState, TArgument, TResult>> _spares =
        new(static () => new AsyncItem<TState, TArgument, TResult>(), options: WorkItemCache.Options());

    private Func<TState, TArgument, Task>? _work;
    private TArgument? _argument;
    private Func<Task, TResult>? _resultOf;

    /// <param name="work">Starts the work.</param>
    /// <param name="argument">The argument that is passed to the work.</param>
    /// <param name="resultOf">Gets the result from the task of the work, or throws the task's exception.</param>
    public static AsyncItem<TState, TArgument, TResult> Rent(
        Func<TState, TArgument, Task> work, TArgument argument, Func<Task, TResult> resultOf)
    {
        var item = _spares.Get();
        item._work = work;
        item._argument = argument;
        item._resultOf = resultOf;
        return item;
    }

    public override void Run(TState state, Worker? worker)
    {
        SynchronizationContext.SetSynchronizationContext(worker!.Context);
        worker.IsAsynchronous = true;
        try
        {
            var task = _work!(state, _argument!)
                ?? throw new InvalidOperationException("The asynchronous work returned null instead of a task.");
            if (!task.IsCompleted)
            {
                worker.Hold(task);
            }

            Result = _resultOf!(task);
        }
        finally
        {
            worker.IsAsynchronous = false;
            SynchronizationContext.SetSynchronizationContext(null);
        }
    }

    protected override void ClearWork()
    {
        _work = null;
        _argument = default;
        _resultOf = null;
    }

    protected override void PutBack() => _spares.Return(this);
}
