using System.Buffers;

namespace Poolhouse.Tool.Bench.Buffers;

/// <summary>The runtime's shared pool, called through its static type: its best case.</summary>
internal readonly struct SharedArrays : IArraySource
{
    public int[] Take(int length) => ArrayPool<int>.Shared.Rent(length);

    public void Give(int[] array) => ArrayPool<int>.Shared.Return(array);
}
