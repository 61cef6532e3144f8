namespace Poolhouse;

/// <summary>Creates nested resource pools from delegates, without policy classes.</summary>
public static class NestedResourcePool
{
    /// <summary>
    /// Creates a pool from delegates. To also reset, validate or destroy parents or children, pass policies to the constructor
    /// of <see cref="NestedResourcePool{TParent, TChild}"/>; <see cref="ResourcePolicy.Create{T}"/> and
    /// <see cref="NestedPolicy.Create{TParent, TChild}"/> create them from delegates.
    /// </summary>
    /// <typeparam name="TParent">The type of the parents.</typeparam>
    /// <typeparam name="TChild">The type of the children.</typeparam>
    /// <param name="createParent">Creates a parent; see <see cref="ResourcePolicy{T}.CreateAsync"/>.</param>
    /// <param name="createChild">Creates a child on a parent; see
    /// <see cref="NestedPolicy{TParent, TChild}.CreateAsync"/>.</param>
    /// <param name="options">The settings.</param>
    /// <returns>The pool.</returns>
    /// <exception cref="ArgumentNullException">An argument is null.</exception>
    /// <exception cref="ArgumentException">Settings are invalid; the message names each of them.</exception>
    public static NestedResourcePool<TParent, TChild> Create<TParent, TChild>(
        Func<CancellationToken, ValueTask<TParent>> createParent,
        Func<TParent, CancellationToken, ValueTask<TChild>> createChild,
        NestedResourcePoolOptions options)
        where TParent : notnull
        where TChild : notnull
    {
        ArgumentNullException.ThrowIfNull(createParent);
        ArgumentNullException.ThrowIfNull(createChild);
        return new NestedResourcePool<TParent, TChild>(
            ResourcePolicy.Create(createParent), NestedPolicy.Create(createChild), options);
    }
}
