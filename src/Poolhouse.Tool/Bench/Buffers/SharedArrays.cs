using System.Buffers;

namespace Poolhouse.Tool.Bench.Buffers;

/// <summary>The runtime's pool, called where the JIT sees which it is: at its best.</summary>
internal readonly struct SharedArrays : IArraySource
{
    public int[] Take(int length) => ArrayPool<int>.Shared.Rent(length);

    public void Give(int[] array) => ArrayPool<int>.Shared.Return(array);
}
