namespace Poolhouse.Resources.Engine.Waiting;

/// <summary>The result for a caller that found no idle item and tried to enter the queue.</summary>
internal enum EnqueueResult
{
    /// <summary>The caller is waiting.</summary>
    Queued,

    /// <summary>Too many callers are already waiting.</summary>
    Overloaded,

    /// <summary>Items cannot be created, and the caller may not wait until they can.</summary>
    Unavailable,

    /// <summary>The pool is being drained, or is closed.</summary>
    Closed,
}
