namespace Poolhouse.Caching;

/// <summary>The result of offering an item to a store.</summary>
internal enum PushResult
{
    /// <summary>The store keeps the item.</summary>
    Kept,

    /// <summary>There is no free slot: the caller still owns the item.</summary>
    Surplus,

    /// <summary>The item was in the store already: nothing changed.</summary>
    DoubleReturn,

    /// <summary>The pool is disposed: the caller still owns the item.</summary>
    Closed,
}
