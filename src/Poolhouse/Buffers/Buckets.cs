using System.Numerics;
using System.Runtime.CompilerServices;

namespace Poolhouse.Buffers;

/// <summary>The pooled lengths: the powers of two from 16 to 2^30, as in the array pools of .NET.</summary>
internal static class Buckets
{
    public const int Count = ThreadState<byte>.SharedCount;
    public const int LongestLength = 1 << 30;

    private const int ShortestLength = 16;

    /// <summary>
    /// The bucket whose arrays hold <paramref name="length"/> elements; out of range for 0, negative and unpooled lengths.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static int IndexOf(int length) => BitOperations.Log2(((uint)length - 1) | (ShortestLength - 1)) - 3;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static int LengthOf(int bucket) => ShortestLength << bucket;
}
