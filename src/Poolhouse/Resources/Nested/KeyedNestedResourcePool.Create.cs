namespace Poolhouse;

/// <summary>Creates nested resource pools with keys from delegates, without policy classes.</summary>
public static class KeyedNestedResourcePool
{
    /// <summary>
    /// Creates a pool from delegates. To also reset, validate or destroy parents or children, pass policies to the constructor
    /// of <see cref="KeyedNestedResourcePool{TKey, TParent, TChild}"/>; <see cref="ResourcePolicy.Create{T}"/> and
    /// <see cref="NestedPolicy.Create{TParent, TChild}"/> create them from delegates.
    /// </summary>
    /// <typeparam name="TKey">The type of the key.</typeparam>
    /// <typeparam name="TParent">The type of the parents.</typeparam>
    /// <typeparam name="TChild">The type of the children.</typeparam>
    /// <param name="createParent">Creates a parent; see <see cref="ResourcePolicy{T}.CreateAsync"/>.</param>
    /// <param name="createChild">Creates a child for a key on a parent; see
    /// <see cref="NestedPolicy{TParent, TChild}.CreateAsync"/>.</param>
    /// <param name="options">The settings.</param>
    /// <returns>The pool.</returns>
    /// <exception cref="ArgumentNullException">An argument is null.</exception>
    /// <exception cref="ArgumentException">Settings are invalid; the message names each of them.</exception>
    public static KeyedNestedResourcePool<TKey, TParent, TChild> Create<TKey, TParent, TChild>(
        Func<CancellationToken, ValueTask<TParent>> createParent,
        Func<TKey, TParent, CancellationToken, ValueTask<TChild>> createChild,
        KeyedNestedResourcePoolOptions<TKey> options)
        where TKey : notnull
        where TParent : notnull
        where TChild : notnull
    {
        ArgumentNullException.ThrowIfNull(createParent);
        ArgumentNullException.ThrowIfNull(createChild);
        return new KeyedNestedResourcePool<TKey, TParent, TChild>(
            ResourcePolicy.Create(createParent),
            key => NestedPolicy.Create<TParent, TChild>((parent, token) => createChild(key, parent, token)),
            options);
    }
}
