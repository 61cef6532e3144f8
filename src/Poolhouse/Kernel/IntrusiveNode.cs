namespace Poolhouse.Kernel;

/// <summary>A node that carries the links of the list that contains it; it can be in one list at a time.</summary>
internal abstract class IntrusiveNode<T>
    where T : IntrusiveNode<T>
{
    /// <summary>The list that contains the node.</summary>
    public IntrusiveList<T>? List { get; set; }

    public T? Previous { get; set; }

    public T? Next { get; set; }
}
