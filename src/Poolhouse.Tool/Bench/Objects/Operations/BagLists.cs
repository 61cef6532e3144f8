using System.Collections.Concurrent;

namespace Poolhouse.Tool.Bench.Objects.Operations;

/// <summary>The home-made pool: a bag, and a new list when it is empty.</summary>
internal readonly struct BagLists(ConcurrentBag<List<int>> bag) : ISource<List<int>>
{
    public List<int> Take() => bag.TryTake(out var list) ? list : [];

    public void Give(List<int> item)
    {
        item.Clear();
        bag.Add(item);
    }
}
