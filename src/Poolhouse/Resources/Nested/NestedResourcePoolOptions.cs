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
    public required ResourcePoolOptions Children { get; set; }

    /// <summary>Returns a copy that the caller can no longer change, or throws one exception that names every invalid setting.</summary>
    internal NestedResourcePoolOptions Freeze()
    {
        var copy = (NestedResourcePoolOptions)MemberwiseClone();
        var errors = new SettingErrors();
        errors.CheckNotNull(Children, nameof(Children));
        Children?.Validate(errors, prefix: "Children.");
        ValidateParents(errors, Children?.MaxSize);
        errors.ThrowIfAny(this);
        copy.Children = Children!.Freeze();
        copy.Parents = Parents.Freeze();
        return copy;
    }
}
