
namespace Poolhouse.Testing.Tests.Contracts;

/// <summary>A wrapper whose hooks start late, as on a busy machine.</summary>
internal sealed class LatePolicy(ResourcePolicy<ContractItem> inner) : ResourcePolicy<ContractItem>
{
    public override async ValueTask<ContractItem> CreateAsync(CancellationToken cancellationToken)
    {
        await BeLateAsync();
        return await inner.CreateAsync(cancellationToken);
    }

    public override bool IsBroken(ContractItem item) => inner.IsBroken(item);

    public override bool IsBrokenAfterIdle(ContractItem item) => inner.IsBrokenAfterIdle(item);

    public override bool IsPermanent(Exception createFailure) => inner.IsPermanent(createFailure);

    public override async ValueTask<bool> ValidateAsync(ContractItem item, LeaseInfo info, CancellationToken cancellationToken)
    {
        await BeLateAsync();
        return await inner.ValidateAsync(item, info, cancellationToken);
    }

    public override bool NeedsReset(ContractItem item) => inner.NeedsReset(item);

    public override async ValueTask<bool> ResetAsync(ContractItem item, CancellationToken cancellationToken)
    {
        await BeLateAsync();
        return await inner.ResetAsync(item, cancellationToken);
    }

    public override async ValueTask<bool> ProveCleanAsync(ContractItem item, CancellationToken cancellationToken)
    {
        await BeLateAsync();
        return await inner.ProveCleanAsync(item, cancellationToken);
    }

    public override async ValueTask KeepAliveAsync(ContractItem item, CancellationToken cancellationToken)
    {
        await BeLateAsync();
        await inner.KeepAliveAsync(item, cancellationToken);
    }

    public override async ValueTask DestroyAsync(ContractItem item, DestroyReason reason)
    {
        await BeLateAsync();
        await inner.DestroyAsync(item, reason);
    }

    // Real time, because a check waits for it, too. It is longer than the contract waits for what must not happen.
    private static Task BeLateAsync() => Task.Delay(TimeSpan.FromMilliseconds(5), TimeProvider.System);
}
