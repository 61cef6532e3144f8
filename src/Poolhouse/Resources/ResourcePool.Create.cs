namespace Poolhouse;

/// <summary>Creates resource pools from a delegate, without a policy class.</summary>
public static class ResourcePool
{
    /// <summary>
    /// Creates a pool from a delegate. To also reset, validate or destroy items, pass a <see cref="ResourcePolicy{T}"/> to the
    /// constructor of <see cref="ResourcePool{T}"/>; <see cref="ResourcePolicy.Create{T}"/> creates one from delegates.
    /// </summary>
    /// <typeparam name="T">The type of the item.</typeparam>
    /// <param name="create">Creates an item; see <see cref="ResourcePolicy{T}.CreateAsync"/>.</param>
    /// <param name="options">The settings.</param>
    /// <returns>The pool.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="create"/> or <paramref name="options"/> is null.</exception>
    /// <exception cref="ArgumentException">Settings are invalid; the message names each of them.</exception>
    public static ResourcePool<T> Create<T>(Func<CancellationToken, ValueTask<T>> create, ResourcePoolOptions options)
        where T : notnull =>
        new(ResourcePolicy.Create(create), options);
}
