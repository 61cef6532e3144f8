using Poolhouse.Resources.Engine;
using Poolhouse.Resources.Engine.Items;

namespace Poolhouse.Resources.Shared;

/// <summary>A shared pool as seen by its leases: takes the room of a use that ended back, or hands it over.</summary>
internal sealed class SharedReturns<T> : ILeaseOwner<T>
    where T : notnull
{
    private readonly SharedItemSet<T> _itemSet;
    private readonly PoolClock _clock;
    private readonly PoolEvents<T> _events;

    /// <param name="name">The name of the pool.</param>
    /// <param name="itemSet">The items.</param>
    /// <param name="clock">The clock of the pool.</param>
    /// <param name="events">Reports the uses.</param>
    /// <param name="cells">How many slots are kept for single threads.</param>
    public SharedReturns(string name, SharedItemSet<T> itemSet, PoolClock clock, PoolEvents<T> events, int cells)
    {
        Name = name;
        _itemSet = itemSet;
        _clock = clock;
        _events = events;
        Uses = new SharedUses<T>(this, clock, cells);
    }

    public string Name { get; }

    /// <summary>The slots of the leases.</summary>
    public SharedUses<T> Uses { get; }

    public LeaseInfo GetInfo(LeaseSlot<T> slot) =>
        ((SharedUse<T>)slot).SharedItem is { } item ? item.Info : throw LeaseErrors.Ended(Name);

    public LeaseSnapshot? FindLease(LeaseSlot<T> slot) => LeaseReader.Find((SharedUse<T>)slot, _clock);

    public void Return(LeaseSlot<T> slot)
    {
        var use = (SharedUse<T>)slot;
        var (wasTainted, hasLeft) = (use.WasTainted, use.HasLeft);
        var item = End(use);
        if (hasLeft)
        {
            return;
        }

        if (wasTainted)
        {
            _itemSet.Probe(item, suspected: true);
        }

        _itemSet.Room.EndUse(item);
    }

    public void Discard(LeaseSlot<T> slot)
    {
        var item = End((SharedUse<T>)slot);
        _itemSet.Deactivate(item, DestroyReason.Discarded);
        _itemSet.Room.EndUse(item);
    }

    public void Detach(LeaseSlot<T> slot)
    {
        var item = End((SharedUse<T>)slot);
        item.Detach();
        _itemSet.Deactivate(item, reason: null);
        _itemSet.Room.EndUse(item);
    }

    public void CountDoubleReturn() => _events.CountDoubleReturn();

    /// <summary>Ends the use for its slot, which may serve another use from here on.</summary>
    private SharedItem<T> End(SharedUse<T> use)
    {
        var (item, used) = use.End(_clock.Coarse);
        if (PoolDetail.IsOn || _events.Reporter.RecordsUseTime || use.Trace is not null)
        {
            _events.ReportUse(use, used);
        }

        use.HasLeft = false;
        Uses.Put(use);
        return item;
    }
}
