namespace Poolhouse.Tool.Bench.Buffers;

/// <summary>Poolhouse's array pool.</summary>
internal readonly struct PoolhouseArrays(TieredArrayPool<int> pool) : IArraySource
{
    public int[] Take(int length) => pool.Rent(length);

    public void Give(int[] array) => pool.Return(array);
}
