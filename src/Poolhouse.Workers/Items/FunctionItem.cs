using Poolhouse.Workers.Threads;

namespace Poolhouse.Workers.Items;

/// <summary>Synchronous work that returns a result.</summary>
internal sealed class FunctionItem<TState, TArgument, TResult> : RunItem<TState, TResult>
    where TState : notnull
{
    private static readonly TieredObjectPool<FunctionItem<TState, TArgument, TResult>> _spares =
        new(static () => new FunctionItem<TState, TArgument, TResult>(), options: WorkItemCache.Options());

    private Func<TState, TArgument, TResult>? _work;
    private TArgument? _argument;

    public override bool CanRunAnywhere => true;

    public static FunctionItem<TState, TArgument, TResult> Rent(Func<TState, TArgument, TResult> work, TArgument argument)
    {
        var item = _spares.Get();
        item._work = work;
        item._argument = argument;
        return item;
    }

    public override void Run(TState state, Worker? worker) => Result = _work!(state, _argument!);

    protected override void ClearWork()
    {
        _work = null;
        _argument = default;
    }

    protected override void PutBack() => _spares.Return(this);
}
