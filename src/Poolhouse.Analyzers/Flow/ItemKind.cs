namespace Poolhouse.Analyzers.Flow;

/// <summary>What a variable holds.</summary>
internal enum ItemKind
{
    /// <summary><c>Lease&lt;T&gt;</c> or <c>StreamLease</c>.</summary>
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

    /// <summary>A <c>PooledStream</c> or a <c>PooledSequence</c>.</summary>
    Stream,
}
