namespace Poolhouse.Internal;

/// <summary>What became of an item that was offered to a lane.</summary>
internal enum PushResult
{
    /// <summary>The lane keeps it.</summary>
    Kept,

    /// <summary>No place: the caller still owns it.</summary>
    Surplus,

    /// <summary>It was in the lane already: nothing changed.</summary>
    DoubleReturn,

    /// <summary>The pool is disposed: the caller still owns it.</summary>
    Closed,
}
