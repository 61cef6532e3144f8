using Poolhouse.Resources.Engine.PolicyCalls;

namespace Poolhouse;

/// <summary>Creates policies of resource pools from delegates, without a class of their own.</summary>
public static class ResourcePolicy
{
    /// <summary>Creates a policy from delegates. For more control, derive from <see cref="ResourcePolicy{T}"/>.</summary>
    /// <typeparam name="T">The type of the item.</typeparam>
    /// <param name="create">Creates an item; see <see cref="ResourcePolicy{T}.CreateAsync"/>.</param>
    /// <param name="reset">
    /// Resets a returned item, or returns false to destroy it; null for no reset. See <see cref="ResourcePolicy{T}.ResetAsync"/>.
    /// </param>
    /// <param name="validate">Checks an item that was idle; null for no check. See
    /// <see cref="ResourcePolicy{T}.ValidateAsync"/>.</param>
    /// <param name="isBroken">Whether an item is known to be unusable; null for never. See
    /// <see cref="ResourcePolicy{T}.IsBroken"/>.</param>
    /// <param name="destroy">Destroys an item; null to call DisposeAsync, or else Dispose, if the item has them.</param>
    /// <returns>The policy. It may be used for any number of pools.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="create"/> is null.</exception>
    public static ResourcePolicy<T> Create<T>(
        Func<CancellationToken, ValueTask<T>> create,
        Func<T, CancellationToken, ValueTask<bool>>? reset = null,
        Func<T, CancellationToken, ValueTask<bool>>? validate = null,
        Func<T, bool>? isBroken = null,
        Func<T, ValueTask>? destroy = null)
        where T : notnull
    {
        ArgumentNullException.ThrowIfNull(create);
        return new DelegateResourcePolicy<T>(create, reset, validate, isBroken, destroy);
    }
}
