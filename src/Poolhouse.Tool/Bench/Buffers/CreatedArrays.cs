using System.Buffers;

namespace Poolhouse.Tool.Bench.Buffers;

/// <summary>A private pool of the runtime, from <see cref="ArrayPool{T}.Create(int, int)"/>.</summary>
internal readonly struct CreatedArrays(ArrayPool<int> pool) : IArraySource
{
    public int[] Take(int length) => pool.Rent(length);

    public void Give(int[] array) => pool.Return(array);
}
