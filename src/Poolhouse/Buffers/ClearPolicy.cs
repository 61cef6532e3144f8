namespace Poolhouse;

/// <summary>When a buffer pool overwrites what its users left in an array.</summary>
public enum ClearPolicy
{
    /// <summary>Never, unless the one who returns asks for it. The next user sees old content.</summary>
    Never = 0,

    /// <summary>Arrays that hold references are cleared on return, so that the pool keeps no object alive; others are not.</summary>
    References = 1,

    /// <summary>Every array of a pooled length is cleared on return, and a new one is zeroed: a rented array is always all zero.</summary>
    Always = 2,

    /// <summary>
    /// For secrets: as <see cref="Always"/>, and arrays that the pool does not keep are cleared as well: surplus ones, those too long to
    /// pool, and those that come back after the pool was disposed. Nothing a user wrote outlives the return.
    /// </summary>
    Sensitive = 3,
}
