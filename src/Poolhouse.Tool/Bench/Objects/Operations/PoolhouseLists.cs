namespace Poolhouse.Tool.Bench.Objects.Operations;

/// <summary>Poolhouse's object pool, used as the drop-in.</summary>
internal readonly struct PoolhouseLists(TieredObjectPool<List<int>> pool) : ISource<List<int>>
{
    public List<int> Take() => pool.Get();

    public void Give(List<int> item) => pool.Return(item);
}
