using Poolhouse.Testing;

namespace Poolhouse.Contracts;

/// <summary>
/// A wrapper as users write it: it overrides every hook, and each one only calls the same hook of the wrapped policy.
/// </summary>
internal sealed class DelegatingPolicy(ResourcePolicy<ContractItem> inner) : ResourcePolicy<ContractItem>
{
    public override ValueTask<ContractItem> CreateAsync(CancellationToken cancellationToken) =>
        inner.CreateAsync(cancellationToken);

    public override bool IsBroken(ContractItem item) => inner.IsBroken(item);

    public override bool IsBrokenAfterIdle(ContractItem item) => inner.IsBrokenAfterIdle(item);

    public override bool IsPermanent(Exception createFailure) => inner.IsPermanent(createFailure);

    public override ValueTask<bool> ValidateAsync(ContractItem item, LeaseInfo info, CancellationToken cancellationToken) =>
        inner.ValidateAsync(item, info, cancellationToken);

    public override bool NeedsReset(ContractItem item) => inner.NeedsReset(item);

    public override ValueTask<bool> ResetAsync(ContractItem item, CancellationToken cancellationToken) =>
        inner.ResetAsync(item, cancellationToken);

    public override ValueTask<bool> ProveCleanAsync(ContractItem item, CancellationToken cancellationToken) =>
        inner.ProveCleanAsync(item, cancellationToken);

    public override ValueTask KeepAliveAsync(ContractItem item, CancellationToken cancellationToken) =>
        inner.KeepAliveAsync(item, cancellationToken);

    public override ValueTask DestroyAsync(ContractItem item, DestroyReason reason) => inner.DestroyAsync(item, reason);
}
