using Poolhouse.Resources.Engine;

namespace Poolhouse.Resources.Nested;

/// <summary>The policy behind <see cref="NestedPolicy.Create{TParent, TChild}"/>.</summary>
internal sealed class DelegateNestedPolicy<TParent, TChild>(
    Func<TParent, CancellationToken, ValueTask<TChild>> create, ResourcePolicy<TChild> others) : NestedPolicy<TParent, TChild>
    where TParent : notnull
    where TChild : notnull
{
    public override ResourceHooks Hooks => others.Hooks;

    public override ValueTask<TChild> CreateAsync(TParent parent, CancellationToken cancellationToken) =>
        create(parent, cancellationToken);

    public override bool IsBroken(TChild item) => others.IsBroken(item);

    public override ValueTask<bool> ValidateAsync(TChild item, LeaseInfo info, CancellationToken cancellationToken) =>
        others.ValidateAsync(item, info, cancellationToken);

    public override ValueTask<bool> ResetAsync(TChild item, CancellationToken cancellationToken) =>
        others.ResetAsync(item, cancellationToken);

    public override ValueTask DestroyAsync(TChild item, DestroyReason reason) => others.DestroyAsync(item, reason);
}
