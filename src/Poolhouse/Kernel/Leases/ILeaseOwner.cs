namespace Poolhouse.Kernel.Leases;

/// <summary>The pool behind a lease. Return, Discard and Detach are called once a lease, by the winner of its end.</summary>
internal interface ILeaseOwner<T>
{
    string Name { get; }

    LeaseInfo GetInfo(LeaseSlot<T> slot);

    void Return(LeaseSlot<T> slot);

    /// <summary>Returns, and completes when the caller need not wait any longer: at once, unless the pool is asked to wait for the reset.</summary>
    ValueTask ReturnAsync(LeaseSlot<T> slot)
    {
        Return(slot);
        return default;
    }

    void Discard(LeaseSlot<T> slot);

    void Detach(LeaseSlot<T> slot);

    void CountDoubleReturn();
}
