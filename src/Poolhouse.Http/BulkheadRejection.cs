namespace Poolhouse.Http;

/// <summary>Why a bulkhead did not let a request through.</summary>
public enum BulkheadRejection
{
    /// <summary>At once: <see cref="BulkheadOptions.MaxWaiters"/> wait already.</summary>
    QueueFull,

    /// <summary>It waited for <see cref="BulkheadOptions.WaitTimeout"/>.</summary>
    WaitTimeout,

    /// <summary>It was shed by <see cref="BulkheadOptions.Overload"/>, so that others are served in time.</summary>
    Overload,
}
