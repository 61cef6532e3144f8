using Poolhouse.Resources.Engine.PolicyCalls;

namespace Poolhouse;

/// <summary>Creates resource pools from delegates, without a policy class.</summary>
public static class ResourcePool
{
    /// <summary>Creates a pool from delegates. For anything more, derive from <see cref="ResourcePolicy{T}"/>.</summary>
    /// <typeparam name="T">The type of the item.</typeparam>
    /// <param name="create">Creates an item; see <see cref="ResourcePolicy{T}.CreateAsync"/>.</param>
    /// <param name="options">The settings.</param>
    /// <param name="reset">
    /// Resets a returned item, or returns false to destroy it; null for no reset. See <see cref="ResourcePolicy{T}.ResetAsync"/>.
    /// </param>
    /// <param name="validate">Checks an item that was idle; null for no check. See <see cref="ResourcePolicy{T}.ValidateAsync"/>.</param>
    /// <param name="isBroken">Whether an item is known to be unusable; null for never. See <see cref="ResourcePolicy{T}.IsBroken"/>.</param>
    /// <param name="destroy">Destroys an item; null to call DisposeAsync, or else Dispose, if the item has them.</param>
    /// <returns>The pool.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="create"/> or <paramref name="options"/> is null.</exception>
    /// <exception cref="ArgumentException">Settings are invalid; the message names each of them.</exception>
    public static ResourcePool<T> Create<T>(
        Func<CancellationToken, ValueTask<T>> create,
        ResourcePoolOptions options,
        Func<T, CancellationToken, ValueTask<bool>>? reset = null,
        Func<T, CancellationToken, ValueTask<bool>>? validate = null,
        Func<T, bool>? isBroken = null,
        Func<T, ValueTask>? destroy = null)
        where T : notnull
    {
        ArgumentNullException.ThrowIfNull(create);
        ArgumentNullException.ThrowIfNull(options);
        return new ResourcePool<T>(new DelegateResourcePolicy<T>(create, reset, validate, isBroken, destroy), options);
    }
}
