using System.Runtime.CompilerServices;
using Poolhouse.Caching.Threads;

namespace Poolhouse.Caching;

/// <summary>The store to which the slots of a cache return when their items need no processing first.</summary>
internal abstract class LeaseSlotStore<T>(ILeaseOwner<T>? owner)
{
    /// <summary>The pool.</summary>
    public ILeaseOwner<T> Owner => owner!;

    /// <summary>The slots' stacks: a copy of their store's table, refreshed by the slow paths.</summary>
    protected ThreadStack?[] SlotTable = [];

    /// <summary>The current thread's stack of slots; null if the slow path must be taken.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public ThreadStack? FindStack() => ThreadStack.Find(ThreadIndex.Current, SlotTable);
}
