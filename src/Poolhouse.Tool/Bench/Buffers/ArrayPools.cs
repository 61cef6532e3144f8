using System.Buffers;

namespace Poolhouse.Tool.Bench.Buffers;

/// <summary>The private array pool to compare.</summary>
internal static class ArrayPools
{
    private const int LongestArray = 1 << 20;
    private const int ArraysPerLength = 64;

    /// <summary>The runtime's, large enough that it accepts every array.</summary>
    public static ArrayPool<int> Create(int workers) => ArrayPool<int>.Create(LongestArray, Math.Max(ArraysPerLength, workers));
}
