using System.Runtime.CompilerServices;
using Poolhouse.Kernel.Threading;

namespace Poolhouse.Kernel.Leases;

/// <summary>The store to which the slots of a cache return when their items need no processing first.</summary>
internal abstract class LeaseSlotStore
{
    /// <summary>The slots' stacks: a copy of their store's table, refreshed by the slow paths.</summary>
    protected ThreadStack?[] SlotTable { get; set; } = [];

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public object? TryTakeSlot() => ThreadTable.TryPop(ThreadIndex.Current, SlotTable);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool TryPutSlot(object slot) => ThreadTable.TryPush(ThreadIndex.Current, SlotTable, slot);
}
