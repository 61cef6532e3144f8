using System.Runtime.CompilerServices;
using Poolhouse.Caching.Threads;

namespace Poolhouse.Caching;

/// <summary>The slot of an item of a cache.</summary>
/// <param name="item">The item.</param>
/// <param name="owner">The pool.</param>
/// <param name="home">
/// The store to which the slot may return without calling the pool; null if the pool must handle each return.
/// </param>
/// <param name="createdAt">A timestamp of the pool's clock.</param>
// A lease reaches the stack of its thread without a virtual call: a slot without an owner is one of this class.
internal sealed class CacheSlot<T>(T item, ILeaseOwner<T> owner, LeaseSlotStore<T>? home, long createdAt)
    : LeaseSlot<T>(item, home is null ? owner : null, createdAt)
{
    /// <summary>An object with the same lifetime as the slot: a memory owner that is reused.</summary>
    public object? Companion { get; set; }

    /// <summary>The current thread's stack of slots; null if the slow path must be taken. For a slot that has a home.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public ThreadStack? FindStack() => home!.FindStack();

    private protected override ILeaseOwner<T> OwnerOfHome => home!.Owner;
}
