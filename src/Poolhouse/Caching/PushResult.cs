namespace Poolhouse.Caching;

/// <summary>The result of offering an item to a store.</summary>
internal enum PushResult
{
    /// <summary>The store keeps it.</summary>
    Kept,

    /// <summary>No place: the caller still owns it.</summary>
    Surplus,

    /// <summary>It was in the store already: nothing changed.</summary>
    DoubleReturn,

    /// <summary>The pool is disposed: the caller still owns it.</summary>
    Closed,
}
