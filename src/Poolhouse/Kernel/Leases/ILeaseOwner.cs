namespace Poolhouse.Kernel.Leases;

/// <summary>The pool behind a lease. Return, Discard and Detach are called once per lease, by the caller that ended it.</summary>
internal interface ILeaseOwner<T>
{
    string Name { get; }

    LeaseInfo GetInfo(LeaseSlot<T> slot);

    /// <summary>Reads since when the slot is leased and by whom, for debuggers; null if the pool does not know.</summary>
    LeaseSnapshot? FindLease(LeaseSlot<T> slot) => null;

    void Return(LeaseSlot<T> slot);

    /// <summary>
    /// Returns the item, and completes when the caller need not wait any longer: immediately, unless the pool was set to wait for
    /// the reset.
    /// </summary>
    ValueTask ReturnAsync(LeaseSlot<T> slot)
    {
        Return(slot);
        return default;
    }

    void Discard(LeaseSlot<T> slot);

    void Detach(LeaseSlot<T> slot);

    void CountDoubleReturn();
}
