using Poolhouse.Kernel;

namespace Poolhouse;

/// <summary>The settings of a nested pool with keys.</summary>
/// <typeparam name="TKey">The type of the key.</typeparam>
/// <remarks>A pool copies its options; changing them later has no effect on it. Not thread safe.</remarks>
public sealed class KeyedNestedResourcePoolOptions<TKey> : NestedParentOptions
    where TKey : notnull
{
    /// <summary>
    /// The settings of the children, and of the callers that wait for them: one bound for each key and one for all.
    /// </summary>
    /// <value>
    /// Required; not null. <see cref="KeyedResourcePoolOptions{TKey}.MaxSize"/> bounds the children alive, of all keys and on all
    /// parents together; there must be room for so many on the parents. The name is that of the pool; its parents have "-parents"
    /// behind it, unless they are given one.
    /// </value>
    public required KeyedResourcePoolOptions<TKey> Children { get; set; }

    /// <summary>A copy that the caller can no longer change, or one exception that names every invalid setting.</summary>
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
