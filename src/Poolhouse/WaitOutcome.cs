namespace Poolhouse;

/// <summary>How a caller's wait ended.</summary>
public enum WaitOutcome
{
    /// <summary>The wait has not ended yet.</summary>
    None,

    /// <summary>The caller received an item.</summary>
    Served,

    /// <summary>The caller's timeout elapsed.</summary>
    TimedOut,

    /// <summary>The caller cancelled the wait.</summary>
    Cancelled,

    /// <summary>An item could not be created, and the pool is configured to fail fast.</summary>
    Failed,

    /// <summary>The caller was shed because the pool could not keep up.</summary>
    Shed,

    /// <summary>The pool was disposed.</summary>
    Closed,
}
