namespace Poolhouse;

/// <summary>How a caller's wait ended.</summary>
public enum WaitOutcome
{
    /// <summary>Not yet.</summary>
    None,

    /// <summary>The caller got an item.</summary>
    Given,

    /// <summary>The caller's time was up.</summary>
    TimedOut,

    /// <summary>The caller cancelled.</summary>
    Cancelled,

    /// <summary>An item could not be created, and the pool was asked to say so at once.</summary>
    Failed,

    /// <summary>The caller was shed because the pool could not keep up.</summary>
    Shed,

    /// <summary>The pool was disposed.</summary>
    Closed,
}
