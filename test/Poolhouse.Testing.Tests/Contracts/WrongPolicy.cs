
namespace Poolhouse.Testing.Tests.Contracts;

/// <summary>A wrapper that delegates every hook except those that it replaces.</summary>
internal sealed class WrongPolicy(ResourcePolicy<ContractItem> inner) : ResourcePolicy<ContractItem>
{
    public Func<CancellationToken, ValueTask<ContractItem>>? OnCreate { get; init; }

    public Func<ContractItem, bool>? OnIsBroken { get; init; }

    public Func<ContractItem, bool>? OnIsBrokenAfterIdle { get; init; }

    public Func<ContractItem, LeaseInfo, CancellationToken, ValueTask<bool>>? OnValidate { get; init; }

    public Func<ContractItem, bool>? OnNeedsReset { get; init; }

    public Func<ContractItem, CancellationToken, ValueTask<bool>>? OnReset { get; init; }

    public Func<ContractItem, CancellationToken, ValueTask<bool>>? OnProveClean { get; init; }

    public Func<ContractItem, CancellationToken, ValueTask>? OnKeepAlive { get; init; }

    public Func<ContractItem, DestroyReason, ValueTask>? OnDestroy { get; init; }

    public override ValueTask<ContractItem> CreateAsync(CancellationToken cancellationToken) =>
        OnCreate?.Invoke(cancellationToken) ?? inner.CreateAsync(cancellationToken);

    public override bool IsBroken(ContractItem item) => OnIsBroken?.Invoke(item) ?? inner.IsBroken(item);

    public override bool IsBrokenAfterIdle(ContractItem item) =>
        OnIsBrokenAfterIdle?.Invoke(item) ?? inner.IsBrokenAfterIdle(item);

    public override bool IsPermanent(Exception createFailure) => inner.IsPermanent(createFailure);

    public override ValueTask<bool> ValidateAsync(ContractItem item, LeaseInfo info, CancellationToken cancellationToken) =>
        OnValidate?.Invoke(item, info, cancellationToken) ?? inner.ValidateAsync(item, info, cancellationToken);

    public override bool NeedsReset(ContractItem item) => OnNeedsReset?.Invoke(item) ?? inner.NeedsReset(item);

    public override ValueTask<bool> ResetAsync(ContractItem item, CancellationToken cancellationToken) =>
        OnReset?.Invoke(item, cancellationToken) ?? inner.ResetAsync(item, cancellationToken);

    public override ValueTask<bool> ProveCleanAsync(ContractItem item, CancellationToken cancellationToken) =>
        OnProveClean?.Invoke(item, cancellationToken) ?? inner.ProveCleanAsync(item, cancellationToken);

    public override ValueTask KeepAliveAsync(ContractItem item, CancellationToken cancellationToken) =>
        OnKeepAlive?.Invoke(item, cancellationToken) ?? inner.KeepAliveAsync(item, cancellationToken);

    public override ValueTask DestroyAsync(ContractItem item, DestroyReason reason) =>
        OnDestroy?.Invoke(item, reason) ?? inner.DestroyAsync(item, reason);
}
