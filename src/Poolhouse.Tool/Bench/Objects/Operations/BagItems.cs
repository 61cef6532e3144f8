using System.Collections.Concurrent;

namespace Poolhouse.Tool.Bench.Objects.Operations;

/// <summary>The home-made pool of many code bases: a bag, and a new item when it is empty. It has no bound.</summary>
internal readonly struct BagItems(ConcurrentBag<Item> bag) : ISource<Item>
{
    public Item Take() => bag.TryTake(out var item) ? item : new Item();

    public void Give(Item item) => bag.Add(item);
}
