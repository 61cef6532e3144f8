using Poolhouse.Workers.Threads;

namespace Poolhouse.Workers.Items;

/// <summary>Work whose completion is not awaited.</summary>
internal sealed class PostItem<TState, TArgument> : StatefulItem<TState>
    where TState : notnull
{
    private static readonly TieredObjectPool<PostItem<TState, TArgument>> _spares =
        new(static () => new PostItem<TState, TArgument>(), options: WorkItemCache.Options());

    private Action<TState, TArgument>? _work;
    private TArgument? _argument;
    private bool _isAbandoned;

    public override bool CanRunAnywhere => true;

    public override bool IsAwaited => Admission is not null;

    public static PostItem<TState, TArgument> Rent(Action<TState, TArgument> work, TArgument argument)
    {
        var item = _spares.Get();
        item._work = work;
        item._argument = argument;
        return item;
    }

    public override void Run(TState state, Worker? worker) => _work!(state, _argument!);

    public override void Finish() => Recycle();

    public override void MarkAbandoned() => _isAbandoned = true;

    public override bool Fail(Exception failure)
    {
        Recycle();
        return false;
    }

    public void Recycle()
    {
        // The worker still holds the item, and may not have started it yet, because creating its state can take long.
        if (_isAbandoned)
        {
            return;
        }

        _work = null;
        _argument = default;
        Clear();
        if (!HasDeadEntry)
        {
            _spares.Return(this);
        }
    }
}
