namespace Poolhouse.Kernel;

/// <summary>
/// A list of nodes in the order in which they were added. It allocates nothing, and a node can be removed without a search.
/// Guarded by a lock of its owner.
/// </summary>
// The links are fields of the nodes' base class, so no call is virtual and no type is looked up at run time.
internal sealed class IntrusiveList<T>
    where T : IntrusiveList<T>.Node
{
    public T? First { get; private set; }

    public T? Last { get; private set; }

    public int Count { get; private set; }

    public void AddLast(T node)
    {
        node.List = this;
        node.Previous = Last;
        if (Last is { } last)
        {
            last.Next = node;
        }
        else
        {
            First = node;
        }

        Last = node;
        Count++;
    }

    public T? TakeFirst()
    {
        var first = First;
        if (first is not null)
        {
            Remove(first);
        }

        return first;
    }

    public void Remove(T node)
    {
        if (node.Previous is { } previous)
        {
            previous.Next = node.Next;
        }
        else
        {
            First = node.Next;
        }

        if (node.Next is { } next)
        {
            next.Previous = node.Previous;
        }
        else
        {
            Last = node.Previous;
        }

        node.Previous = null;
        node.Next = null;
        node.List = null;
        Count--;
    }

    /// <summary>A node that carries the links of the list that contains it; it can be in one list at a time.</summary>
    internal abstract class Node
    {
        /// <summary>The list that contains the node.</summary>
        public IntrusiveList<T>? List { get; set; }

        public T? Previous { get; set; }

        public T? Next { get; set; }
    }
}
