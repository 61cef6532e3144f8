namespace Poolhouse.Workers;

/// <summary>Why a worker pool destroyed a worker's state.</summary>
public enum WorkerDestroyReason
{
    /// <summary>The worker was idle for <see cref="WorkerPoolOptions.IdleTimeout"/>.</summary>
    Idle,

    /// <summary>The state reached <see cref="WorkerPoolOptions.MaxStateLifetime"/>.</summary>
    Lifetime,

    /// <summary>The state was created before a call to <see cref="WorkerPool{TState}.Clear"/>.</summary>
    Cleared,

    /// <summary><see cref="WorkerPool{TState}.Trim"/> was called while the worker was idle.</summary>
    Trimmed,

    /// <summary>The number of workers was reduced.</summary>
    Surplus,

    /// <summary><see cref="WorkerPolicy{TState}.IsBroken"/> returned true or threw.</summary>
    Broken,

    /// <summary>
    /// An item threw and <see cref="WorkerPolicy{TState}.Survives"/> did not return true, or the worker was abandoned while it
    /// ran an item.
    /// </summary>
    Tainted,

    /// <summary>The state had processed <see cref="WorkerPoolOptions.MaxItemsPerState"/> items.</summary>
    MaxItems,

    /// <summary>The pool was drained or disposed.</summary>
    PoolDisposed,
}
