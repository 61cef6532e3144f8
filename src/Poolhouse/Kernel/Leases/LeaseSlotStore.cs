using System.Runtime.CompilerServices;
using Poolhouse.Kernel.Threading;

namespace Poolhouse.Kernel.Leases;

/// <summary>Where the slots of a cache go back to when nothing need be done to their items first.</summary>
internal abstract class LeaseSlotStore
{
    /// <summary>The slots' stacks: a copy of their store's table, renewed by the slow paths.</summary>
    protected ThreadStack?[] SlotTable { get; set; } = [];

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public object? TryTakeSlot() => ThreadTable.TryPop(ThreadIndex.Current, SlotTable);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool TryPutSlot(object slot) => ThreadTable.TryPush(ThreadIndex.Current, SlotTable, slot);
}
