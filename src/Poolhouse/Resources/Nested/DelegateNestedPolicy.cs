using Poolhouse.Resources.Engine;

namespace Poolhouse.Resources.Nested;

/// <summary>The policy behind <see cref="NestedPolicy.Create{TParent, TChild}"/>.</summary>
internal sealed class DelegateNestedPolicy<TParent, TChild>(
    Func<TParent, CancellationToken, ValueTask<TChild>> create,
    Func<TChild, CancellationToken, ValueTask<bool>>? reset,
    Func<TChild, CancellationToken, ValueTask<bool>>? validate,
    Func<TChild, bool>? isBroken,
    Func<TChild, ValueTask>? destroy) : NestedPolicy<TParent, TChild>
    where TParent : notnull
    where TChild : notnull
{
    public override ResourceHooks Hooks =>
        (reset is null ? ResourceHooks.None : ResourceHooks.Reset) |
        (validate is null ? ResourceHooks.None : ResourceHooks.Validate) |
        (isBroken is null ? ResourceHooks.None : ResourceHooks.IsBroken);

    public override ValueTask<TChild> CreateAsync(TParent parent, CancellationToken cancellationToken) =>
        create(parent, cancellationToken);

    public override bool IsBroken(TChild item) => isBroken is not null && isBroken(item);

    public override ValueTask<bool> ValidateAsync(TChild item, LeaseInfo info, CancellationToken cancellationToken) =>
        validate is null ? base.ValidateAsync(item, info, cancellationToken) : validate(item, cancellationToken);

    public override ValueTask<bool> ResetAsync(TChild item, CancellationToken cancellationToken) =>
        reset is null ? base.ResetAsync(item, cancellationToken) : reset(item, cancellationToken);

    public override ValueTask DestroyAsync(TChild item, DestroyReason reason) =>
        destroy is null ? base.DestroyAsync(item, reason) : destroy(item);
}
