namespace Poolhouse.Resources.Engine.PolicyCalls;

/// <summary>The policy behind <see cref="ResourcePolicy.Create{T}"/>.</summary>
internal sealed class DelegateResourcePolicy<T>(
    Func<CancellationToken, ValueTask<T>> create,
    Func<T, CancellationToken, ValueTask<bool>>? reset,
    Func<T, CancellationToken, ValueTask<bool>>? validate,
    Func<T, bool>? isBroken,
    Func<T, ValueTask>? destroy) : ResourcePolicy<T>
    where T : notnull
{
    public override ResourceHooks Hooks =>
        (reset is null ? ResourceHooks.None : ResourceHooks.Reset) |
        (validate is null ? ResourceHooks.None : ResourceHooks.Validate) |
        (isBroken is null ? ResourceHooks.None : ResourceHooks.IsBroken);

    public override ValueTask<T> CreateAsync(CancellationToken cancellationToken) => create(cancellationToken);

    public override bool IsBroken(T item) => isBroken is not null && isBroken(item);

    public override ValueTask<bool> ValidateAsync(T item, LeaseInfo info, CancellationToken cancellationToken) =>
        validate is null ? base.ValidateAsync(item, info, cancellationToken) : validate(item, cancellationToken);

    public override ValueTask<bool> ResetAsync(T item, CancellationToken cancellationToken) =>
        reset is null ? base.ResetAsync(item, cancellationToken) : reset(item, cancellationToken);

    public override ValueTask DestroyAsync(T item, DestroyReason reason) =>
        destroy is null ? base.DestroyAsync(item, reason) : destroy(item);
}
