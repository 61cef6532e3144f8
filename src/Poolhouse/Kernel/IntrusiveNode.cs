namespace Poolhouse.Kernel;

/// <summary>Something that carries the links of the list that it is in; of one at a time.</summary>
internal abstract class IntrusiveNode<T>
    where T : IntrusiveNode<T>
{
    /// <summary>The list that it is in.</summary>
    public IntrusiveList<T>? List { get; set; }

    public T? Previous { get; set; }

    public T? Next { get; set; }
}
