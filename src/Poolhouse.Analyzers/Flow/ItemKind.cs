namespace Poolhouse.Analyzers.Flow;

/// <summary>The kinds of items that a variable can hold.</summary>
internal enum ItemKind
{
    /// <summary><c>Lease&lt;T&gt;</c>.</summary>
    Lease,

    /// <summary><c>BufferLease&lt;T&gt;</c>.</summary>
    BufferLease,

    /// <summary>The task of a rent that has not been awaited.</summary>
    PendingRent,

    /// <summary>An array of an <c>ArrayPool&lt;T&gt;</c>.</summary>
    Array,

    /// <summary>An object of an <c>ObjectPool&lt;T&gt;</c>.</summary>
    Object,

    /// <summary>An <c>IMemoryOwner&lt;T&gt;</c>.</summary>
    MemoryOwner,

    /// <summary>A task that was given an item or a part of it, and has not been awaited.</summary>
    PendingUse,

    /// <summary>A <c>PooledStream</c> or a <c>PooledSequence</c>.</summary>
    Stream,
}
