namespace Poolhouse;

/// <summary>Creates keyed resource pools from a delegate, without a policy class.</summary>
public static class KeyedResourcePool
{
    /// <summary>
    /// Creates a pool from a delegate. To also reset, validate or destroy items, pass a <see cref="ResourcePolicy{T}"/> for
    /// each key to the constructor of <see cref="KeyedResourcePool{TKey, T}"/>; <see cref="ResourcePolicy.Create{T}"/> creates
    /// one from delegates.
    /// </summary>
    /// <typeparam name="TKey">The type of the key.</typeparam>
    /// <typeparam name="T">The type of the item.</typeparam>
    /// <param name="create">Creates an item for a key; see <see cref="ResourcePolicy{T}.CreateAsync"/>.</param>
    /// <param name="options">The settings.</param>
    /// <returns>The pool.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="create"/> or <paramref name="options"/> is null.</exception>
    /// <exception cref="ArgumentException">Settings are invalid; the message names each of them.</exception>
    public static KeyedResourcePool<TKey, T> Create<TKey, T>(
        Func<TKey, CancellationToken, ValueTask<T>> create, KeyedResourcePoolOptions<TKey> options)
        where TKey : notnull
        where T : notnull
    {
        ArgumentNullException.ThrowIfNull(create);
        return new KeyedResourcePool<TKey, T>(key => ResourcePolicy.Create(token => create(key, token)), options);
    }
}
