namespace Poolhouse.Internal;

/// <summary>The pool behind a lease. Return, Discard and Detach are called once a lease, by the winner of its end.</summary>
internal interface ILeaseOwner<T>
{
    string Name { get; }

    LeaseInfo GetInfo(LeaseSlot<T> slot);

    void Return(LeaseSlot<T> slot);

    void Discard(LeaseSlot<T> slot);

    void Detach(LeaseSlot<T> slot);

    void CountDoubleReturn();
}
