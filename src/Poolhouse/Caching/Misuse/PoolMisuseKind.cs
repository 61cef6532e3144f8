namespace Poolhouse;

/// <summary>The kinds of misuse that a cache in paranoid mode detects.</summary>
public enum PoolMisuseKind
{
    /// <summary>An item was returned that had been returned already. The second return is ignored.</summary>
    DoubleReturn = 0,

    /// <summary>
    /// An item was returned that the pool did not rent out, for instance an item of another pool. It is not kept.
    /// </summary>
    ForeignReturn = 1,

    /// <summary>
    /// An array, or a block of a stream, was changed after its return, while it was idle in the pool: its last user still uses
    /// it. It is destroyed instead of rented.
    /// </summary>
    WriteAfterReturn = 2,
}
