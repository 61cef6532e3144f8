namespace Poolhouse.Caching;

/// <summary>Items that left a store, for destruction outside its lock, in the arrays in which the depot kept them.</summary>
internal sealed class RemovedItems
{
    public int Count { get; private set; }

    public List<ArraySegment<object?>> Blocks { get; } = [];

    /// <summary>Allocates what the next <see cref="Add"/> needs, so that it cannot fail.</summary>
    public void Reserve() => Blocks.EnsureCapacity(Blocks.Count + 1);

    /// <summary>Takes over the first items of an array.</summary>
    public void Add(object?[] items, int count)
    {
        Blocks.Add(new ArraySegment<object?>(items, 0, count));
        Count += count;
    }
}
