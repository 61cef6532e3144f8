namespace Poolhouse.Tool.Bench.Buffers;

/// <summary>Poolhouse's shared pool, the like of the runtime's, which it stands in for.</summary>
internal readonly struct PoolhouseArrays : IArraySource
{
    public int[] Take(int length) => TieredArrayPool<int>.Shared.Rent(length);

    public void Give(int[] array) => TieredArrayPool<int>.Shared.Return(array);
}
