using Poolhouse.Workers;

namespace Poolhouse.Contracts.Workers;

/// <summary>Workers without a state.</summary>
public sealed class PlainWorkerPool : WorkerPoolContract<NoState>
{
    protected override WorkerPool<NoState> Create(WorkerPoolOptions options) => WorkerPool.Create(options);

    protected override object? KeyOf(int item) => null;
}

/// <summary>Each worker has a state, which is replaced after a few items.</summary>
public sealed class StatefulWorkerPool : WorkerPoolContract<object>
{
    protected override WorkerPool<object> Create(WorkerPoolOptions options)
    {
        options.MaxItemsPerState = 7;
        return WorkerPool.Create(static () => new object(), options);
    }

    protected override object? KeyOf(int item) => null;
}

/// <summary>Items have keys, some of which are shared by many.</summary>
public sealed class KeyedWorkerPool : WorkerPoolContract<object>
{
    protected override WorkerPool<object> Create(WorkerPoolOptions options) =>
        WorkerPool.Create(static () => new object(), options);

    protected override object? KeyOf(int item) => item % 3 == 0 ? null : "key " + (item % 7);
}
