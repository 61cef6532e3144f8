namespace Poolhouse.Workers;

/// <summary>Specifies why a work item never started.</summary>
public enum WorkDropReason
{
    /// <summary>The queue was full, and <see cref="WorkerPoolOptions.QueueFull"/> selected this item.</summary>
    QueueFull,

    /// <summary>The item waited longer than its queue timeout.</summary>
    QueueTimeout,

    /// <summary>The caller cancelled the item.</summary>
    Cancelled,

    /// <summary>The pool was disposed, or the shutdown timeout expired.</summary>
    PoolClosed,
}
