using System.Buffers;

namespace Poolhouse.Tool.Bench.Buffers;

/// <summary>A private pool of the runtime, from <see cref="ArrayPool{T}.Create(int, int)"/>.</summary>
internal readonly struct CreatedArrays(ArrayPool<int> pool) : IArraySource
{
    private const int LongestArray = 1 << 20;
    private const int ArraysPerLength = 64;

    /// <summary>A pool large enough that it accepts every array.</summary>
    public static ArrayPool<int> PoolFor(int arrays) => ArrayPool<int>.Create(LongestArray, Math.Max(ArraysPerLength, arrays));

    public int[] Take(int length) => pool.Rent(length);

    public void Give(int[] array) => pool.Return(array);
}
