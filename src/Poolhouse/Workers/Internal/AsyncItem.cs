using Poolhouse.Objects;

namespace Poolhouse.Workers;

/// <summary>Asynchronous work, which keeps its worker until its task has ended.</summary>
internal sealed class AsyncItem<TState, TResult> : RunItem<TState, TResult>
    where TState : notnull
{
    private static readonly TieredObjectPool<AsyncItem<TState, TResult>> _spares =
        new(static () => new AsyncItem<TState, TResult>(), options: SpareItems.Options());

    private Func<TState, Task>? _work;
    private Func<Task, TResult>? _resultOf;

    /// <param name="work">Begins the work.</param>
    /// <param name="resultOf">Takes the result out of the task of the work, or throws its failure.</param>
    public static AsyncItem<TState, TResult> Rent(Func<TState, Task> work, Func<Task, TResult> resultOf)
    {
        var item = _spares.Get();
        item._work = work;
        item._resultOf = resultOf;
        return item;
    }

    public override void Run(TState state, Worker? worker)
    {
        SynchronizationContext.SetSynchronizationContext(worker!.Context);
        try
        {
            var task = _work!(state) ?? throw new InvalidOperationException("The asynchronous work returned null instead of a task.");
            if (!task.IsCompleted)
            {
                worker.Hold(task);
            }

            Result = _resultOf!(task);
        }
        finally
        {
            SynchronizationContext.SetSynchronizationContext(null);
        }
    }

    protected override void ClearWork()
    {
        _work = null;
        _resultOf = null;
    }

    protected override void PutBack() => _spares.Return(this);
}
