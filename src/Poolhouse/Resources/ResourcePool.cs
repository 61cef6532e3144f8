using Poolhouse.Resources.Engine;

namespace Poolhouse;

/// <summary>Makes resource pools from delegates: the short form.</summary>
public static class ResourcePool
{
    /// <summary>Makes a pool from delegates. For anything more, derive from <see cref="ResourcePolicy{T}"/>.</summary>
    /// <typeparam name="T">The type of the item.</typeparam>
    /// <param name="create">Makes an item; see <see cref="ResourcePolicy{T}.CreateAsync"/>.</param>
    /// <param name="options">The settings.</param>
    /// <param name="reset">Cleans a returned item, or says false; null: nothing to clean. See <see cref="ResourcePolicy{T}.ResetAsync"/>.</param>
    /// <param name="validate">Checks an item that was idle; null: no check. See <see cref="ResourcePolicy{T}.ValidateAsync"/>.</param>
    /// <param name="isBroken">Whether an item is known to be unusable; null: never. See <see cref="ResourcePolicy{T}.IsBroken"/>.</param>
    /// <param name="destroy">Destroys an item; null: DisposeAsync, else Dispose, if the item has them.</param>
    /// <returns>The pool.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="create"/> or <paramref name="options"/> is null.</exception>
    /// <exception cref="ArgumentException">Settings are invalid; the message names each.</exception>
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
