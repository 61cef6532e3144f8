using Poolhouse.Kernel.Leases;
using Poolhouse.Kernel.Time;

namespace Poolhouse.Resources.Shared;

/// <summary>A shared pool as seen by its leases, each of which is one use of an item.</summary>
internal sealed class SharedUseOwner<T>(string name, SharedItemSet<T> items, PoolClock clock) : ILeaseOwner<T>
    where T : notnull
{
    private long _doubleReturns;

    public string Name => name;

    public long DoubleReturns => Volatile.Read(ref _doubleReturns);

    public LeaseInfo GetInfo(LeaseSlot<T> slot) =>
        ((SharedUse<T>)slot).SharedItem is { } member ? member.Info : throw LeaseErrors.Ended(Name);

    public LeaseSnapshot? FindLease(LeaseSlot<T> slot) => ((SharedUse<T>)slot).Snapshot;

    public void Return(LeaseSlot<T> slot)
    {
        var use = (SharedUse<T>)slot;
        var member = use.Forget();
        if (use.WasTainted)
        {
            if (use.HasLeft)
            {
                use.HasLeft = false;
                use.ReleaseCapacity();
                return;
            }

            items.ProbeSoon(member);
        }

        Leave(member, use);
    }

    public void Discard(LeaseSlot<T> slot)
    {
        var use = (SharedUse<T>)slot;
        var member = use.Forget();
        items.Retire(member, DestroyReason.Discarded);
        Leave(member, use);
    }

    public void Detach(LeaseSlot<T> slot)
    {
        var use = (SharedUse<T>)slot;
        var member = use.Forget();
        member.Detach();
        items.Retire(member, reason: null);
        Leave(member, use);
    }

    public void CountDoubleReturn() => Interlocked.Increment(ref _doubleReturns);

    // The member first: the caller that gets the slot then finds room in it.
    private void Leave(SharedItem<T> member, SharedUse<T> use)
    {
        var hasRoom = member.Leave(clock.Coarse);
        use.ReleaseCapacity();
        if (hasRoom || items.Callers.Exist)
        {
            items.Callers.ReportRoom();
        }
    }
}
