namespace Poolhouse.Resources.Engine;

/// <summary>What became of a caller that found no idle item.</summary>
internal enum EnqueueResult
{
    /// <summary>It waits.</summary>
    Queued,

    /// <summary>Too many are waiting already.</summary>
    Overloaded,

    /// <summary>Items cannot be created, and the pool says so at once.</summary>
    Unavailable,

    /// <summary>The pool is drained or disposed.</summary>
    Closed,
}
