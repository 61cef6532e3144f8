namespace Poolhouse;

/// <summary>The settings of a nested pool with keys.</summary>
/// <typeparam name="TKey">The type of the key.</typeparam>
/// <remarks>A pool copies its options; changing them later has no effect on it. Not thread safe.</remarks>
public sealed class KeyedNestedResourcePoolOptions<TKey>
    : NestedParentOptions, IPoolSettings<KeyedNestedResourcePoolOptions<TKey>>
    where TKey : notnull
{
    /// <summary>
    /// The settings of the children, and of the callers that wait for them, with one capacity limit for each key and one for all
    /// keys.
    /// </summary>
    /// <value>
    /// Required; not null. <see cref="KeyedResourcePoolOptions{TKey}.MaxSize"/> limits the children alive, of all keys and on all
    /// parents together; the parents must have room for that many. The name is that of the pool; its parents use this name with
    /// the suffix "-parents", unless they are given one.
    /// </value>
    public required KeyedResourcePoolOptions<TKey> ChildPool { get; set; }

    KeyedNestedResourcePoolOptions<TKey> IPoolSettings<KeyedNestedResourcePoolOptions<TKey>>.CopyOver(
        KeyedNestedResourcePoolOptions<TKey>? current)
    {
        var copy = (KeyedNestedResourcePoolOptions<TKey>)MemberwiseClone();
        copy.ChildPool = ChildPool.CopyOver(current?.ChildPool);
        copy.ParentPool = ParentPool.CopyOver(current?.ParentPool);
        return copy;
    }

    void IPoolSettings<KeyedNestedResourcePoolOptions<TKey>>.ValidateChange(
        PoolOptionErrors errors, string prefix, KeyedNestedResourcePoolOptions<TKey> current)
    {
        ValidateParentsChange(errors, current);
        ChildPool?.ValidateChange(errors, prefix: "ChildPool.", current.ChildPool);
    }

    void IPoolSettings<KeyedNestedResourcePoolOptions<TKey>>.Validate(PoolOptionErrors errors, string prefix)
    {
        errors.CheckNotNull(ChildPool, nameof(ChildPool));
        ChildPool?.Validate(errors, prefix: "ChildPool.");
        ValidateParents(errors, ChildPool?.MaxSize);
    }
}
