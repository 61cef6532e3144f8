namespace Poolhouse.Tool.Bench.Objects.Operations;

/// <summary>Poolhouse's object pool, used as the drop-in.</summary>
internal readonly struct PoolhouseItems(TieredObjectPool<Item> pool) : ISource<Item>
{
    public Item Take() => pool.Get();

    public void Give(Item item) => pool.Return(item);
}
