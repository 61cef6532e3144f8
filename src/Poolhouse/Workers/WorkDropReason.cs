namespace Poolhouse;

/// <summary>Why an item of work never began.</summary>
public enum WorkDropReason
{
    /// <summary>The queue was full, and <see cref="WorkerPoolOptions.QueueFull"/> chose this item.</summary>
    QueueFull,

    /// <summary>It had waited for as long as it may.</summary>
    QueueTimeout,

    /// <summary>Its caller cancelled it.</summary>
    Cancelled,

    /// <summary>The pool was disposed, or shut down with too little time.</summary>
    PoolClosed,
}
