namespace Poolhouse;

/// <summary>Specifies when a buffer pool clears the content that its users left in an array.</summary>
public enum ClearPolicy
{
    /// <summary>Never, unless the caller that returns the array requests it. The next user may see old content.</summary>
    Never = 0,

    /// <summary>
    /// Arrays that contain references are cleared on return, so that the pool keeps no objects alive; other arrays are not
    /// cleared.
    /// </summary>
    References = 1,

    /// <summary>
    /// Every array of a pooled length is cleared on return, and new arrays are zeroed: a rented array is always all zero.
    /// </summary>
    Always = 2,

    /// <summary>
    /// For secrets: like <see cref="Always"/>, and arrays that the pool does not retain are cleared as well: surplus arrays,
    /// arrays too long to pool, and arrays returned after the pool was disposed. No content written by a user survives the
    /// return.
    /// </summary>
    Sensitive = 3,
}
