namespace Poolhouse.Caching;

/// <summary>Items that left a store, for destruction outside its lock, in the arrays in which the depot kept them.</summary>
internal sealed class RemovedItems
{
    private readonly List<ArraySegment<object?>> _blocks = [];

    public int Count { get; private set; }

    /// <summary>Allocates what the next <see cref="Add"/> needs, so that it cannot fail.</summary>
    public void Reserve() => _blocks.EnsureCapacity(_blocks.Count + 1);

    /// <summary>Takes over the first items of an array.</summary>
    public void Add(object?[] items, int count)
    {
        _blocks.Add(new ArraySegment<object?>(items, 0, count));
        Count += count;
    }

    public IEnumerable<object> Items() => _blocks.SelectMany(static block => block).OfType<object>();
}
