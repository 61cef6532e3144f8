namespace Poolhouse.Http;

/// <summary>Why a bulkhead rejected a request.</summary>
public enum BulkheadRejection
{
    /// <summary>Rejected at once: <see cref="BulkheadOptions.MaxWaiters"/> requests were already waiting.</summary>
    QueueFull,

    /// <summary>The request waited for <see cref="BulkheadOptions.RentTimeout"/>.</summary>
    RentTimeout,

    /// <summary>The request was shed by <see cref="BulkheadOptions.Overload"/>, so that others are served in time.</summary>
    Overload,
}
