using Poolhouse.Resources.Shared;

namespace Poolhouse.Resources.Nested;

/// <summary>A nested pool as seen by the leases of its children: ending such a lease ends the engine's lease behind it.</summary>
internal sealed class NestedChildOwner<TParent, TChild>(string name, Action destroyBrokenChildren) : ILeaseOwner<TChild>
    where TParent : notnull
    where TChild : notnull
{
    private long _doubleReturns;

    public string Name => name;

    public long DoubleReturns => Volatile.Read(ref _doubleReturns);

    public LeaseInfo GetInfo(LeaseSlot<TChild> slot)
    {
        // Read once: the child may end, and be leased again, at any moment.
        var engineLease = Of(slot).EngineLease;
        return engineLease.IsActive ? engineLease.Info : throw LeaseErrors.Ended(Name);
    }

    public LeaseSnapshot? FindLease(LeaseSlot<TChild> slot) => Of(slot).EngineLease.Snapshot;

    public void Return(LeaseSlot<TChild> slot)
    {
        var (engineLease, parent) = End(slot);
        engineLease.Dispose();
        DestroyIfBroken(parent);
    }

    public ValueTask ReturnAsync(LeaseSlot<TChild> slot)
    {
        var (engineLease, parent) = End(slot);
        var returned = engineLease.DisposeAsync();
        DestroyIfBroken(parent);
        return returned;
    }

    public void Discard(LeaseSlot<TChild> slot) => Of(slot).EngineLease.Discard();

    public void Detach(LeaseSlot<TChild> slot)
    {
        var child = Of(slot);
        child.EndUse(suspect: false);
        child.EngineLease.Detach();
        child.Forget();
    }

    public void CountDoubleReturn() => Interlocked.Increment(ref _doubleReturns);

    private static NestedChild<TParent, TChild> Of(LeaseSlot<TChild> slot) => (NestedChild<TParent, TChild>)slot;

    private static (Lease<NestedChild<TParent, TChild>> EngineLease, SharedItem<TParent> Parent) End(LeaseSlot<TChild> slot)
    {
        var child = Of(slot);
        var engineLease = child.EngineLease;
        if (child.WasTainted)
        {
            engineLease.Taint();
        }

        return (engineLease, child.Parent!);
    }

    /// <summary>
    /// The child may have become idle in a cell after its parent was deactivated and the idle children were scanned. Its return
    /// is a full fence, and so is the deactivation: either that scan found the child, or this check sees the deactivation.
    /// </summary>
    private void DestroyIfBroken(SharedItem<TParent> parent)
    {
        if (parent.IsInactive)
        {
            destroyBrokenChildren();
        }
    }
}
