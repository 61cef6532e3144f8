using Poolhouse.Kernel.Leases;

namespace Poolhouse.Resources.Shared;

/// <summary>Creates the slots, which hold no resources and need no validation or reset.</summary>
internal sealed class SharedUsePolicy<T>(ILeaseOwner<T> owner, TimeProvider time) : ResourcePolicy<SharedUse<T>>
    where T : notnull
{
    public override ValueTask<SharedUse<T>> CreateAsync(CancellationToken cancellationToken) => new(Create(cancellationToken));

    public override SharedUse<T> Create(CancellationToken cancellationToken) => new(owner, time.GetTimestamp());

    public override bool NeedsReset(SharedUse<T> item) => false;

    public override ValueTask DestroyAsync(SharedUse<T> item, DestroyReason reason) => default;
}
