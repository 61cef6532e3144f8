using Poolhouse.Resources.Nested;

namespace Poolhouse;

/// <summary>Creates policies of nested resource pools from delegates, without a class of their own.</summary>
public static class NestedPolicy
{
    /// <summary>
    /// Creates a policy from delegates. For more control, derive from <see cref="NestedPolicy{TParent, TChild}"/>.
    /// </summary>
    /// <typeparam name="TParent">The type of the parents.</typeparam>
    /// <typeparam name="TChild">The type of the children.</typeparam>
    /// <param name="create">Creates a child on a parent; see <see cref="NestedPolicy{TParent, TChild}.CreateAsync"/>.</param>
    /// <param name="reset">
    /// Resets a returned child, or returns false to destroy it; null for no reset. See
    /// <see cref="NestedPolicy{TParent, TChild}.ResetAsync"/>.
    /// </param>
    /// <param name="validate">
    /// Checks a child that was idle; null for no check. See <see cref="NestedPolicy{TParent, TChild}.ValidateAsync"/>.
    /// </param>
    /// <param name="isBroken">
    /// Whether a child is known to be unusable; null for never. See <see cref="NestedPolicy{TParent, TChild}.IsBroken"/>.
    /// </param>
    /// <param name="destroy">Destroys a child; null to call DisposeAsync, or else Dispose, if the child has them.</param>
    /// <returns>The policy. It may be used for any number of pools.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="create"/> is null.</exception>
    public static NestedPolicy<TParent, TChild> Create<TParent, TChild>(
        Func<TParent, CancellationToken, ValueTask<TChild>> create,
        Func<TChild, CancellationToken, ValueTask<bool>>? reset = null,
        Func<TChild, CancellationToken, ValueTask<bool>>? validate = null,
        Func<TChild, bool>? isBroken = null,
        Func<TChild, ValueTask>? destroy = null)
        where TParent : notnull
        where TChild : notnull
    {
        ArgumentNullException.ThrowIfNull(create);
        var others = ResourcePolicy.Create(static _ => throw new NotSupportedException(), reset, validate, isBroken, destroy);
        return new DelegateNestedPolicy<TParent, TChild>(create, others);
    }
}
