namespace Poolhouse;

/// <summary>The settings of a nested pool.</summary>
/// <remarks>A pool copies its options; changing them later has no effect on it. Not thread safe.</remarks>
public sealed class NestedResourcePoolOptions : NestedParentOptions, IPoolSettings<NestedResourcePoolOptions>
{
    /// <summary>The settings of the children, and of the callers that wait for them.</summary>
    /// <value>
    /// Required; not null. <see cref="ResourcePoolOptions.MaxSize"/> limits the children alive on all parents together; the
    /// parents must have room for that many. <see cref="ResourcePoolOptions.CreateTimeout"/> includes the wait for a parent.
    /// The name is that of the pool; its parents use this name with the suffix "-parents", unless they are given one.
    /// </value>
    public required ResourcePoolOptions ChildPool { get; set; }

    NestedResourcePoolOptions IPoolSettings<NestedResourcePoolOptions>.CopyOver(NestedResourcePoolOptions? current)
    {
        var copy = (NestedResourcePoolOptions)MemberwiseClone();
        copy.ChildPool = ChildPool.CopyOver(current?.ChildPool);
        copy.ParentPool = ParentPool.CopyOver(current?.ParentPool);
        return copy;
    }

    void IPoolSettings<NestedResourcePoolOptions>.ValidateChange(
        PoolOptionErrors errors, string prefix, NestedResourcePoolOptions current)
    {
        ValidateParentsChange(errors, current);
        ChildPool?.ValidateChange(errors, prefix: "ChildPool.", current.ChildPool);
    }

    void IPoolSettings<NestedResourcePoolOptions>.Validate(PoolOptionErrors errors, string prefix)
    {
        errors.CheckNotNull(ChildPool, nameof(ChildPool));
        ChildPool?.Validate(errors, prefix: "ChildPool.");
        ValidateParents(errors, ChildPool?.MaxSize);
    }
}
