namespace Poolhouse.Analyzers.Flow;

/// <summary>The possible states of a variable at a point of a body, over all paths that lead there.</summary>
// A set of bits that only grows where paths meet. A rule that warns compares the whole set: 'equal to Ended' means on every path.
[Flags]
internal enum ItemState : byte
{
    /// <summary>No path leads here.</summary>
    Unreached = 0,

    /// <summary>Null, or a default lease.</summary>
    Empty = 1,

    /// <summary>The variable holds an item that has not been returned.</summary>
    Held = 2,

    /// <summary>The item was returned, or the lease was ended.</summary>
    Ended = 4,

    /// <summary>The variable holds something that is not followed: it was moved, or came from elsewhere.</summary>
    Elsewhere = 8,
}
