using Poolhouse.Kernel;

namespace Poolhouse;

/// <summary>The settings of a nested pool with keys.</summary>
/// <typeparam name="TKey">The type of the key.</typeparam>
/// <remarks>A pool copies its options; changing them later has no effect on it. Not thread safe.</remarks>
public sealed class KeyedNestedResourcePoolOptions<TKey> : NestedParentOptions
    where TKey : notnull
{
    /// <summary>
    /// The settings of the children, and of the callers that wait for them, with one capacity limit for each key and one for all keys.
    /// </summary>
    /// <value>
    /// Required; not null. <see cref="KeyedResourcePoolOptions{TKey}.MaxSize"/> limits the children alive, of all keys and on all
    /// parents together; the parents must have room for that many. The name is that of the pool; its parents use this name with the suffix
    /// "-parents", unless they are given one.
    /// </value>
    public required KeyedResourcePoolOptions<TKey> Children { get; set; }

    /// <summary>Returns a copy that the caller can no longer change, or throws one exception that names every invalid setting.</summary>
    internal KeyedNestedResourcePoolOptions<TKey> Freeze()
    {
        var copy = (KeyedNestedResourcePoolOptions<TKey>)MemberwiseClone();
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
