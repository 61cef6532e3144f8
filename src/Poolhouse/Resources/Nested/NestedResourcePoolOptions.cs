using Poolhouse.Kernel;

namespace Poolhouse;

/// <summary>The settings of a nested pool.</summary>
/// <remarks>A pool copies its options; changing them later has no effect on it. Not thread safe.</remarks>
public sealed class NestedResourcePoolOptions : NestedParentOptions
{
    /// <summary>The settings of the children, and of the callers that wait for them.</summary>
    /// <value>
    /// Required; not null. <see cref="ResourcePoolOptions.MaxSize"/> limits the children alive on all parents together; the
    /// parents must have room for that many. <see cref="ResourcePoolOptions.CreateTimeout"/> includes the wait for a parent.
    /// The name is that of the pool; its parents use this name with the suffix "-parents", unless they are given one.
    /// </value>
    public required ResourcePoolOptions ChildPool { get; set; }

    /// <summary>
    /// Returns a copy that the caller can no longer change, or throws one exception that names every invalid setting.
    /// </summary>
    internal NestedResourcePoolOptions Freeze()
    {
        var errors = new PoolOptionErrors();
        Validate(errors);
        errors.ThrowIfAny(this);
        return Copy();
    }

    /// <summary>
    /// Returns a copy that can replace the current settings of a pool, or throws one exception that names every setting that is
    /// invalid or cannot be changed.
    /// </summary>
    internal NestedResourcePoolOptions FreezeChange(NestedResourcePoolOptions current)
    {
        var errors = new PoolOptionErrors();
        Validate(errors);
        ValidateParentsChange(errors, current);
        ChildPool?.ValidateChange(errors, prefix: "ChildPool.", current.ChildPool);
        errors.ThrowIfAny(this);
        var copy = (NestedResourcePoolOptions)MemberwiseClone();
        copy.ChildPool = ChildPool!.CopyOver(current.ChildPool);
        copy.ParentPool = ParentPool.CopyOver(current.ParentPool);
        return copy;
    }

    /// <summary>Returns a copy of validated settings.</summary>
    internal NestedResourcePoolOptions Copy()
    {
        var copy = (NestedResourcePoolOptions)MemberwiseClone();
        copy.ChildPool = ChildPool.Copy();
        copy.ParentPool = ParentPool.Copy();
        return copy;
    }

    private void Validate(PoolOptionErrors errors)
    {
        errors.CheckNotNull(ChildPool, nameof(ChildPool));
        ChildPool?.Validate(errors, prefix: "ChildPool.");
        ValidateParents(errors, ChildPool?.MaxSize);
    }
}
